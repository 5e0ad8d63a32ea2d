"""The products of a build: the staged package, its audit, wheels, archives and editable installs."""
