# One GoogleTest program from the files of a pattern. Built on request (target `unit_tests`), so that
# a build of the package does not wait for it.
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
  # The copy of OpenBLAS lies beside the libraries in the package only: load it first, by name.
  get_filename_component(blas_folder "${BLAS_LIBRARY}" DIRECTORY)
  set_target_properties(${name} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib;${blas_folder}")
  target_link_options(${name} PRIVATE LINKER:--no-as-needed)
  target_link_libraries(${name} PRIVATE blas)
  add_dependencies(unit_tests ${name})
endfunction()
