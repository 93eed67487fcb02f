# Copyright (c) scaffold. A sandbox counterpart in the form of dlinfer, not its code.
