# `unit_tests(NAME PATTERN LIBRARY...)` adds a GoogleTest program of the files that match PATTERN. It is
# built on request (target `unit_tests`), so that a build of the package does not wait for it.
if(NOT TARGET unit_tests)
  add_custom_target(unit_tests)
endif()

function(unit_tests name pattern)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/${pattern}")
  if(NOT sources)
    return()
  endif()
  add_executable(${name} EXCLUDE_FROM_ALL ${sources})
  target_link_libraries(${name} PRIVATE ${ARGN} openmp GTest::gtest_main)
  # Only the package has a copy of the BLAS library next to its own, so the program itself loads it first.
  set_target_properties(${name} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib;${BLAS_FOLDER}")
  target_link_options(${name} PRIVATE LINKER:--no-as-needed)
  target_link_libraries(${name} PRIVATE blas)
  add_dependencies(unit_tests ${name})
endfunction()
