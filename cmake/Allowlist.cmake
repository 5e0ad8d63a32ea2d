# SELECTED_OP_LIST names the operators of a small build. The option is declared and refused until
# selective registration exists, so there is nothing to configure here yet.
if(SELECTED_OP_LIST)
  message(FATAL_ERROR "SELECTED_OP_LIST is planned; its part does not exist yet")
endif()
