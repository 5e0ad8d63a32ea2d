${generated}
#pragma once

/// Lists for macros: the names of operators, and of their arguments and results.

#define FORALL_ATEN_BASE_SYMBOLS(_) \
${operators}

#define FORALL_ATTR_BASE_SYMBOLS(_) \
${attributes}

