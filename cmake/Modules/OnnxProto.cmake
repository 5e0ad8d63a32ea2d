# The target onnx_proto: ONNX's messages in C++. They are compiled from the generated onnx_<namespace>.proto with
# protoc, or come from the system's ONNX, which is in the namespace `onnx`.
add_library(onnx_messages INTERFACE)
find_package(Protobuf REQUIRED)
if(USE_SYSTEM_ONNX)
  find_package(ONNX REQUIRED)
  target_link_libraries(onnx_messages INTERFACE onnx_proto)
  target_compile_definitions(onnx_messages INTERFACE
    ONNX_NAMESPACE=onnx ONNX_HEADER=<onnx/onnx_pb.h>)
  return()
endif()

set(folder "${CMAKE_BINARY_DIR}/third_party/onnx")
set(stem "onnx/onnx_${ONNX_NAMESPACE}")
if(ONNX_NAMESPACE STREQUAL "onnx")
  set(stem "onnx/onnx")
endif()
add_custom_command(
  OUTPUT "${folder}/${stem}.pb.cc" "${folder}/${stem}.pb.h"
  COMMAND protobuf::protoc --cpp_out=. -I. ${stem}.proto
  DEPENDS "${folder}/${stem}.proto"
  WORKING_DIRECTORY "${folder}"
  COMMENT "Compiling ${stem}.proto" VERBATIM)
add_library(own_onnx_proto STATIC "${folder}/${stem}.pb.cc")
target_include_directories(own_onnx_proto PUBLIC "${folder}")
target_compile_options(own_onnx_proto PRIVATE -w) # protoc's code
target_link_libraries(own_onnx_proto PUBLIC protobuf::libprotobuf-lite)
target_link_libraries(onnx_messages INTERFACE own_onnx_proto)
target_compile_definitions(onnx_messages INTERFACE
  ONNX_NAMESPACE=${ONNX_NAMESPACE} ONNX_HEADER=<${stem}.pb.h>)
