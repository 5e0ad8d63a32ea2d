# The target Python::Module, for extensions of the Python that runs the build. It has described itself in
# options.cmake; FindPython would start it seven times to learn the same.
if(Python_VERSION VERSION_LESS PYTHON_MINIMUM)
  message(FATAL_ERROR "${Python_EXECUTABLE} is Python ${Python_VERSION}; ${PYTHON_MINIMUM} is needed")
endif()
if(NOT EXISTS "${Python_INCLUDE_DIR}/Python.h")
  message(FATAL_ERROR " ${Python_INCLUDE_DIR}/Python.h: No such file or directory")
endif()
add_library(Python::Module INTERFACE IMPORTED)
set_target_properties(Python::Module PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${Python_INCLUDE_DIR}")
