# SELECTED_OP_LIST names the operators of a small build. The option is declared but refused until
# selective registration exists, so there is nothing to configure here yet.
if(SELECTED_OP_LIST)
  message(FATAL_ERROR "SELECTED_OP_LIST is planned and not supported yet; leave it unset")
endif()
