# Generated sources: the runner brings them up to date and leaves the only source lists CMake sees.
# Its inputs are watched, so that a bare `ninja` after an edit generates, configures and builds.
if(DEFINED ENV{BUILD_FRONT_END_CONFIGURES})
  # It generates meanwhile, and lets go of the lock when it has, or is gone.
  file(LOCK "${CMAKE_BINARY_DIR}/generation.lock" GUARD FILE)
  file(LOCK "${CMAKE_BINARY_DIR}/generation.lock" RELEASE)
endif()
if(NOT DEFINED ENV{BUILD_FRONT_END_CONFIGURES} OR EXISTS "${CMAKE_BINARY_DIR}/generation.pending")
  execute_process(
    COMMAND "${Python_EXECUTABLE}" -m tools.setup_helpers.generate_code
      --source "${CMAKE_SOURCE_DIR}" --build "${CMAKE_BINARY_DIR}"
    WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
    RESULT_VARIABLE codegen_status)
  if(NOT codegen_status EQUAL 0)
    message(FATAL_ERROR "code generation failed; the reason stands above")
  endif()
endif()
include("${CMAKE_BINARY_DIR}/generated_sources.cmake")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${CODE_GENERATION_INPUTS} build_config.toml)
