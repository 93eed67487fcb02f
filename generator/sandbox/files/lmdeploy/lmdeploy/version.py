# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
__version__ = '0.16.0'
