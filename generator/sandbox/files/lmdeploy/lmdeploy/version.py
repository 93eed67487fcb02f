# Sandbox counterpart written for scaffold, in the form of lmdeploy.
__version__ = '0.16.0'
