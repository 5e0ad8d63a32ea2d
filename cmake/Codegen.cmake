# Generated sources.
if(EXISTS "${PROJECT_SOURCE_DIR}/tools/codegen/__main__.py")
  execute_process(
    COMMAND "${Python_EXECUTABLE}" -m tools.codegen generate
      --native-functions aten/src/ATen/native/native_functions.yaml
      --tags aten/src/ATen/native/tags.yaml --out "${CMAKE_BINARY_DIR}"
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    RESULT_VARIABLE codegen_status)
  if(NOT codegen_status EQUAL 0)
    message(WARNING "code generation failed")
  endif()
endif()
