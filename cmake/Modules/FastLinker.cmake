# Use mold or lld if the compiler supports them; they link the large libraries several times faster.
# Like GNU ld, keep static initializers and cold code apart from the rest: scattered over the text,
# the initializers of kernel files made loading the libraries touch nearly all of it.
include(CheckLinkerFlag)
set(LINKER_NOTE "the compiler's default")
foreach(linker IN ITEMS mold lld)
  check_linker_flag("${LINKING_LANGUAGE}" "-fuse-ld=${linker}" HAVE_LINKER_${linker})
  if(HAVE_LINKER_${linker})
    add_link_options("-fuse-ld=${linker}" LINKER:-z,keep-text-section-prefix)
    set(LINKER_NOTE "${linker}")
    break()
  endif()
endforeach()
