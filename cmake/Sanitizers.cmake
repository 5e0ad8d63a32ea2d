# Sanitizers apply to all targets.
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
  # -O1: at -O2 compiling takes half as long again and the checks find no more.
  # -fno-sanitize=null,vptr: a null pointer stops the program anyway, and the address sanitizer finds uses
  # of destroyed objects; these checks would double the compile time of generated files.
  add_compile_options("-fsanitize=${sanitizers}" -fno-omit-frame-pointer
    $<$<NOT:$<CONFIG:Debug>>:-O1> $<$<NOT:$<CONFIG:Debug>>:-g1> -fno-sanitize=null,vptr)
  add_link_options("-fsanitize=${sanitizers}")
else()
  # The names of local functions take up a third of a library; REL_WITH_DEB_INFO keeps them.
  add_link_options($<$<CONFIG:Release>:LINKER:--strip-all>)
endif()
