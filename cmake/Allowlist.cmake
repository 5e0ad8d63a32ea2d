# A selective build compiles copies of the kernels' sources and headers, reduced to the operators and dtypes
# of SELECTED_OP_LIST, and small sources in groups. Code generation writes the copies and the groups.
if(SELECTED_OP_LIST)
  include_directories(BEFORE "${CMAKE_BINARY_DIR}/selected")
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_MODE GROUP)
  include("${CMAKE_BINARY_DIR}/selected/groups.cmake")
endif()
