# Sanitizers apply to every target alike.
set(sanitizers)
if(USE_ASAN)
  list(APPEND sanitizers address)
endif()
if(USE_UBSAN)
  list(APPEND sanitizers undefined)
endif()
if(USE_TSAN)
  list(APPEND sanitizers thread)
endif()
if(sanitizers)
  list(JOIN sanitizers "," sanitizers)
  # -O1: at -O2 the checks take half as long again to compile, and find nothing more.
  # Null pointers stop the program without a check of their own, and wrong casts of objects that
  # ended are the address sanitizer's; both checks would double the time of generated files.
  add_compile_options("-fsanitize=${sanitizers}" -fno-omit-frame-pointer
    $<$<NOT:$<CONFIG:Debug>>:-O1> $<$<NOT:$<CONFIG:Debug>>:-g1> -fno-sanitize=null,vptr)
  add_link_options("-fsanitize=${sanitizers}")
else()
  # Names of local functions are a third of a library's bytes; REL_WITH_DEB_INFO keeps them.
  add_link_options($<$<CONFIG:Release>:LINKER:--strip-all>)
endif()
