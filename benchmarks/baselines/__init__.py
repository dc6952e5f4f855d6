"""The other side of each ratio, one file each; its docstring says what it is and why it is fair."""
