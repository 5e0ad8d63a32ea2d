# The target caffe2_messages: caffe2.proto in C++; and its module for Python, caffe2/proto/caffe2_pb2.py.
find_package(Protobuf REQUIRED)
if(NOT TARGET protobuf::protoc)
  message(FATAL_ERROR "BUILD_CAFFE2 needs the compiler of protocol buffers: install protobuf-compiler")
endif()
set(proto caffe2/proto/caffe2)
file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/caffe2/proto")
add_custom_command(
  OUTPUT
    "${CMAKE_BINARY_DIR}/${proto}.pb.cc" "${CMAKE_BINARY_DIR}/${proto}.pb.h"
    "${CMAKE_BINARY_DIR}/${proto}_pb2.py"
  COMMAND protobuf::protoc "--cpp_out=${CMAKE_BINARY_DIR}" "--python_out=${CMAKE_BINARY_DIR}" ${proto}.proto
  DEPENDS "${CMAKE_SOURCE_DIR}/${proto}.proto"
  WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
  COMMENT "Compiling ${proto}.proto" VERBATIM)
add_library(caffe2_messages STATIC "${CMAKE_BINARY_DIR}/${proto}.pb.cc")
target_compile_options(caffe2_messages PRIVATE -w) # protoc's code
target_link_libraries(caffe2_messages PUBLIC protobuf::libprotobuf-lite)
if(BUILD_PYTHON)
  package_output("${CMAKE_BINARY_DIR}/${proto}_pb2.py" caffe2/proto)
endif()
