# Sandbox counterpart written for scaffold, in the form of lmdeploy.
