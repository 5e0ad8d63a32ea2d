//! One shard of the functions of the phrases.
/* Made by generator/phrases.py from phrases.yaml and Register.c. */
${includes}
${kernels}${functions}
