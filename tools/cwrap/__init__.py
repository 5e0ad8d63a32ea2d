"""cwrap: C++ from declarations of C functions, through plug-ins."""
