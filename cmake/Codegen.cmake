# Generated sources: the stage runner updates them and writes the source lists that CMake reads.
# The build graph runs it before anything else when an input or a generated file is newer than the last
# run. CMake runs again only if the source lists changed. So after an edit, a bare `ninja` generates,
# configures if necessary, and builds.
if(NOT DEFINED ENV{BUILD_FRONT_END_CONFIGURES}) # otherwise the code is generated already
  execute_process(
    COMMAND "${Python_EXECUTABLE}" -m tools.setup_helpers.generate_code
      --source "${CMAKE_SOURCE_DIR}" --build "${CMAKE_BINARY_DIR}"
    WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
    RESULT_VARIABLE codegen_status)
  if(NOT codegen_status EQUAL 0)
    message(FATAL_ERROR "code generation failed; see the error above")
  endif()
endif()
# The step's dependency file lists everything that it read and wrote, so that edited outputs are made again.
add_custom_command(
  OUTPUT "${CMAKE_BINARY_DIR}/codegen.stamp"
  COMMAND "${Python_EXECUTABLE}" -m tools.setup_helpers.generate_code
    --source "${CMAKE_SOURCE_DIR}" --build "${CMAKE_BINARY_DIR}" --step
  DEPFILE "${CMAKE_BINARY_DIR}/codegen.stamp.d"
  WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
  COMMENT "Generating code that is out of date" VERBATIM)
# The step above writes this file only when it changes. A rule of its own makes Ninja check its time.
add_custom_command(
  OUTPUT "${CMAKE_BINARY_DIR}/generated_sources.cmake"
  COMMAND "${CMAKE_COMMAND}" -E true
  DEPENDS "${CMAKE_BINARY_DIR}/codegen.stamp"
  COMMENT "Comparing the lists of generated sources" VERBATIM)
add_custom_target(generate_code DEPENDS "${CMAKE_BINARY_DIR}/generated_sources.cmake")
include("${CMAKE_BINARY_DIR}/generated_sources.cmake")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS build_config.toml)
