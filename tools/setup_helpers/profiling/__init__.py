"""`--profile-compile`: what compiling costs, by phase, header and template.

The slowest files are compiled once more beside the build, with the compiler's own accounting switched on;
the tree is left as it is, so nothing has to be made again before or after.
"""
