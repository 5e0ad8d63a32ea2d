"""What leaves the build: the staged package, its audit, wheels, archives, editable installs."""
