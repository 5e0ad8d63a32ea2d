# Append "  NAME : TEXT" to the caller's `lines`, with the colon in a column of its own.
function(summary_line width name text)
  string(LENGTH "${name}" length)
  math(EXPR padding "${width} - ${length}")
  if(padding LESS 1)
    set(padding 1)
  endif()
  string(REPEAT " " ${padding} space)
  list(APPEND lines "  ${name}${space}: ${text}")
  set(lines "${lines}" PARENT_SCOPE)
endfunction()

# Print each option with its value and origin. The first run prints all lines; later runs, mostly started
# by Ninja, print only those that changed.
function(print_summary)
  string(REPLACE ";" ", " capabilities "${CPU_CAPABILITIES}")
  set(lines
    "  Version               : ${PROJECT_VERSION_TEXT}"
    "  CMake                 : ${CMAKE_VERSION} (${CMAKE_COMMAND})"
    "  System                : ${CMAKE_SYSTEM_NAME} ${CMAKE_SYSTEM_PROCESSOR}"
    "  Compiler cache        : ${COMPILER_CACHE_NOTE}"
    "  Linker                : ${LINKER_NOTE}"
    "  Build type            : ${CMAKE_BUILD_TYPE}"
    "  CPU capabilities      : ${capabilities}"
    "  Python                : ${Python_VERSION} (${Python_EXECUTABLE})")
  foreach(language IN LISTS TABLED_LANGUAGES)
    summary_line(22 "${LANGUAGE_${language}_TITLE} compiler"
      "${CMAKE_${language}_COMPILER} (${CMAKE_${language}_COMPILER_ID} ${CMAKE_${language}_COMPILER_VERSION})")
  endforeach()
  foreach(option IN LISTS TABLED_OPTIONS)
    string(REPLACE ";" ", " note "${OPTION_NOTE_${option}}")
    summary_line(26 "${option}" "${note}")
  endforeach()

  set(file "${CMAKE_BINARY_DIR}/summary.txt")
  set(before "")
  set(title "******** Summary ********")
  if(EXISTS "${file}")
    file(READ "${file}" before)
    set(title "Changed since CMake last ran (python setup.py options shows everything):")
  endif()
  string(JOIN "\n" text ${lines})
  file(WRITE "${file}" "\n${text}\n")
  foreach(line IN LISTS lines)
    string(FIND "${before}" "\n${line}\n" place)
    if(place EQUAL -1)
      if(title)
        message(STATUS "${title}")
        set(title "")
      endif()
      message(STATUS "${line}")
    endif()
  endforeach()
endfunction()
