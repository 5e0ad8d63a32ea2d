# The target Python::Module, for extensions of the Python that runs the build, and Python::Module_ABI for
# each further Python. options.cmake provides all facts about them; FindPython would start the interpreter seven times to find the same.
if(NOT EXISTS "${Python_INCLUDE_DIR}/Python.h")
  message(FATAL_ERROR " ${Python_INCLUDE_DIR}/Python.h: No such file or directory")
endif()
add_library(Python::Module INTERFACE IMPORTED)
set_target_properties(Python::Module PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${Python_INCLUDE_DIR}")
foreach(abi IN LISTS FURTHER_PYTHONS)
  add_library(Python::Module_${abi} INTERFACE IMPORTED)
  set_target_properties(Python::Module_${abi} PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${Python_${abi}_INCLUDE_DIR}")
endforeach()
