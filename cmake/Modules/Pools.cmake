# The table's resource classes as Ninja pools, each as deep as memory allows.
function(use_pools target compile link)
  if(compile AND DEFINED POOL_${compile})
    set_target_properties(${target} PROPERTIES JOB_POOL_COMPILE "${compile}")
  endif()
  if(link AND DEFINED POOL_${link})
    set_target_properties(${target} PROPERTIES JOB_POOL_LINK "${link}")
  endif()
endfunction()

foreach(pool IN LISTS TABLED_RESOURCES)
  set_property(GLOBAL APPEND PROPERTY JOB_POOLS "${pool}=${POOL_${pool}}")
endforeach()
