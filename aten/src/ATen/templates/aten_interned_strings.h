${generated}
#pragma once

/// Lists for macros: the names of operators, of their arguments and of their results.

#define FORALL_ATEN_BASE_SYMBOLS(_) \
${operators}

#define FORALL_ATTR_BASE_SYMBOLS(_) \
${attributes}

