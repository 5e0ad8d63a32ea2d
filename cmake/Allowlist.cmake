# Code generation reads SELECTED_OP_LIST, the operators of a selective build; the files that it writes
# have the registrations, bindings and autograd formulas of these only.
