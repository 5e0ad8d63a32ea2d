//! One shard of the phrases' functions.
/* Made by generator/phrases.py from phrases.yaml and Register.c. */
${includes}
${kernels}${functions}
