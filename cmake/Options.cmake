# The front end's resolver computes the options of build_config.toml. This file is included before
# project(), because the compilers are options too.
if(NOT Python_EXECUTABLE)
  if(DEFINED ENV{VIRTUAL_ENV})
    set(Python_EXECUTABLE "$ENV{VIRTUAL_ENV}/bin/python" CACHE FILEPATH "Python that runs the build")
  else()
    find_program(Python_EXECUTABLE NAMES python3 python DOC "Python that runs the build" REQUIRED)
  endif()
endif()

if(NOT DEFINED ENV{BUILD_FRONT_END_CONFIGURES}) # otherwise they are resolved already
  # An old Python would fail with a traceback, since it cannot even read the table.
  if(NOT Python_EXECUTABLE STREQUAL PYTHON_THAT_IS_NEW_ENOUGH)
    file(STRINGS "${CMAKE_SOURCE_DIR}/pyproject.toml" least REGEX "^requires-python *=")
    string(REGEX MATCH "[0-9.]+" least "${least}")
    execute_process(
      COMMAND "${Python_EXECUTABLE}" -c "import sys; print('%d.%d.%d' % sys.version_info[:3])"
      OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(version VERSION_LESS least)
      message(FATAL_ERROR "${Python_EXECUTABLE} is Python ${version}; the build needs ${least} or newer")
    endif()
    set(PYTHON_THAT_IS_NEW_ENOUGH "${Python_EXECUTABLE}" CACHE INTERNAL "Python whose version was checked")
  endif()

  # Pass on the values set with -D. The resolver recognizes those that the build itself wrote.
  get_cmake_property(cached_names CACHE_VARIABLES)
  set(cached_values)
  foreach(name IN LISTS cached_names)
    get_property(kind CACHE "${name}" PROPERTY TYPE)
    if(NOT kind MATCHES "INTERNAL|STATIC")
      string(REPLACE "\n" " " value "$CACHE{${name}}")
      string(APPEND cached_values "${name}\t${kind}\t${value}\n")
    endif()
  endforeach()
  file(WRITE "${CMAKE_BINARY_DIR}/CMakeFiles/cache_values.txt" "${cached_values}")

  execute_process(
    COMMAND "${Python_EXECUTABLE}" -m tools.setup_helpers.cmake.interface
      --source "${CMAKE_SOURCE_DIR}" --build "${CMAKE_BINARY_DIR}"
      --cache "${CMAKE_BINARY_DIR}/CMakeFiles/cache_values.txt"
    WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
    RESULT_VARIABLE options_status)
  if(NOT options_status EQUAL 0)
    message(FATAL_ERROR "the options cannot be met; see the error above")
  endif()
endif()
include("${CMAKE_BINARY_DIR}/options.cmake")
