# The package's files from the graph, and the step that makes the source tree importable.
# `package_target` and `package_file` add files; `stage_package` ends the list.
set_property(GLOBAL PROPERTY PACKAGE_ROWS "")

# Add a target's file, in `folder` below the package root. `wheel` is library or python, and `soabi` the tag
# of the Python that it was built for, if it depends on one.
function(package_target target folder wheel soabi)
  if(TARGET ${target})
    set_property(GLOBAL APPEND PROPERTY PACKAGE_ROWS
      "{\"source\": \"$<TARGET_FILE:${target}>\", \"path\": \"${folder}/$<TARGET_FILE_NAME:${target}>\",\
 \"wheel\": \"${wheel}\", \"python\": \"${soabi}\"}")
    set_property(GLOBAL APPEND PROPERTY PACKAGE_DEPENDS ${target})
    if(wheel STREQUAL "library")
      set_property(GLOBAL APPEND PROPERTY LIBRARY_DEPENDS ${target})
    endif()
  endif()
endfunction()

# Build a target whenever the package is built, without adding it.
function(built_with_package target)
  set_property(GLOBAL APPEND PROPERTY PACKAGE_DEPENDS ${target})
endfunction()

# Add a file that exists before the build, such as a third-party library.
function(package_file file folder)
  get_filename_component(name "${file}" NAME)
  set_property(GLOBAL APPEND PROPERTY PACKAGE_ROWS 
    "{\"source\": \"${file}\", \"path\": \"${folder}/${name}\", \"wheel\": \"library\", \"python\": \"\"}")
endfunction()

# Add a file of the Python wheel that the graph makes, in `folder` below the package root.
function(package_output file folder)
  get_filename_component(name "${file}" NAME)
  add_custom_target(${name} DEPENDS "${file}")
  set_property(GLOBAL APPEND PROPERTY PACKAGE_ROWS
    "{\"source\": \"${file}\", \"path\": \"${folder}/${name}\", \"wheel\": \"python\", \"python\": \"\"}")
  set_property(GLOBAL APPEND PROPERTY PACKAGE_DEPENDS ${name})
endfunction()

# `package` builds everything that a wheel needs, `package_library` what a library wheel needs; `stage` (part of all) also copies it into the source tree.
# The copies are not outputs of the graph, because the graph deletes outputs that it no longer makes, and
# another build directory may have staged the same files. The step's dependency file lists the sources, the
# copies and the folders that were searched.
function(stage_package)
  get_property(rows GLOBAL PROPERTY PACKAGE_ROWS)
  get_property(targets GLOBAL PROPERTY PACKAGE_DEPENDS)
  get_property(libraries GLOBAL PROPERTY LIBRARY_DEPENDS)
  list(JOIN rows ",\n " rows)
  set(plan "${CMAKE_BINARY_DIR}/package_plan.json")
  file(GENERATE OUTPUT "${plan}" CONTENT "[${rows}]\n")
  add_custom_target(package DEPENDS ${targets})
  add_custom_target(package_library DEPENDS ${libraries})
  add_custom_command(
    OUTPUT "${CMAKE_BINARY_DIR}/stage.stamp"
    COMMAND "${Python_EXECUTABLE}" -m tools.setup_helpers.package.staging
      --source "${CMAKE_SOURCE_DIR}" --build "${CMAKE_BINARY_DIR}" --stamp stage.stamp
    DEPENDS ${targets} "${plan}"
    DEPFILE "${CMAKE_BINARY_DIR}/stage.stamp.d"
    WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
    COMMENT "Updating the package in the source tree" VERBATIM)
  add_custom_target(stage ALL DEPENDS "${CMAKE_BINARY_DIR}/stage.stamp")
endfunction()
