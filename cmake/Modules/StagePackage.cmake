# The files of the graph that belong to the package, and the step that makes the source tree
# importable. `package_target` and `package_file` say what goes where; `stage_package` ends the list.
set_property(GLOBAL PROPERTY PACKAGE_ROWS "")

# A target's file below `folder` of the package root.
function(package_target target folder)
  if(TARGET ${target})
    set_property(GLOBAL APPEND PROPERTY PACKAGE_ROWS
      "{\"source\": \"$<TARGET_FILE:${target}>\", \"path\": \"${folder}/$<TARGET_FILE_NAME:${target}>\"}")
    set_property(GLOBAL APPEND PROPERTY PACKAGE_DEPENDS ${target})
    package_output(${target} ${folder})
  endif()
endfunction()

# Generator expressions may not name an output, so its name is put together here.
function(package_output target folder)
  get_target_property(kind ${target} TYPE)
  get_target_property(name ${target} OUTPUT_NAME)
  if(NOT name)
    set(name ${target})
  endif()
  if(kind STREQUAL "SHARED_LIBRARY")
    set(file "${CMAKE_SHARED_LIBRARY_PREFIX}${name}${CMAKE_SHARED_LIBRARY_SUFFIX}")
  elseif(kind STREQUAL "EXECUTABLE")
    set(file "${name}${CMAKE_EXECUTABLE_SUFFIX}")
  else()
    set(file "${name}.${Python_SOABI}${CMAKE_SHARED_MODULE_SUFFIX}")
  endif()
  set_property(GLOBAL APPEND PROPERTY PACKAGE_OUTPUTS "${CMAKE_SOURCE_DIR}/${folder}/${file}")
endfunction()

# A file that exists before the build, such as a third-party library.
function(package_file file folder)
  get_filename_component(name "${file}" NAME)
  set_property(GLOBAL APPEND PROPERTY PACKAGE_ROWS "{\"source\": \"${file}\", \"path\": \"${folder}/${name}\"}")
  set_property(GLOBAL APPEND PROPERTY PACKAGE_OUTPUTS "${CMAKE_SOURCE_DIR}/${folder}/${name}")
endfunction()

# `package` builds everything a wheel needs; `stage` (part of all) also fills the source tree.
function(stage_package)
  get_property(rows GLOBAL PROPERTY PACKAGE_ROWS)
  get_property(targets GLOBAL PROPERTY PACKAGE_DEPENDS)
  get_property(outputs GLOBAL PROPERTY PACKAGE_OUTPUTS)
  list(JOIN rows ",\n " rows)
  set(plan "${CMAKE_BINARY_DIR}/package_plan.json")
  file(GENERATE OUTPUT "${plan}" CONTENT "[${rows}]\n")
  add_custom_target(package DEPENDS ${targets})
  set(made ${CODE_GENERATION_OUTPUTS})
  list(FILTER made INCLUDE REGEX "\\.pyi?$")
  list(TRANSFORM made PREPEND "${CMAKE_BINARY_DIR}/")
  add_custom_command(
    OUTPUT "${CMAKE_BINARY_DIR}/stage.stamp" ${outputs}
    COMMAND "${Python_EXECUTABLE}" -m tools.setup_helpers.package.staging
      --source "${CMAKE_SOURCE_DIR}" --build "${CMAKE_BINARY_DIR}"
    COMMAND "${CMAKE_COMMAND}" -E touch "${CMAKE_BINARY_DIR}/stage.stamp"
    DEPENDS ${targets} ${made} "${plan}"
    WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
    COMMENT "Staging the package into the source tree" VERBATIM)
  add_custom_target(stage ALL DEPENDS "${CMAKE_BINARY_DIR}/stage.stamp")
endfunction()
