# Read by canonical_command.sh. Reading headers of the C++ library takes a third to a half of the time of most
# sources, so they are precompiled once for each set of flags that enough compilations share. GCC makes
# the same object from them (but not the same debug information), so Ninja does not know of them.
#
# The files, in a folder of CMake, which the front end cleans:
#   KEY.uses     a line for each compilation with these flags before the headers were precompiled
#   KEY.h        the headers, which GCC reads itself if it finds that the next file does not fit
#   KEY.h.gch    the precompiled headers
#   KEY.inputs   what they were made from, for a depfile
#   KEY.lock     a link to the number of the process that makes them
folder=./CMakeFiles/precompiled
enough=6 # compilations; precompiling takes as long as they save
# For sed: name the headers where GCC names KEY.h.
named="s,[./]*CMakeFiles/precompiled/[^ ]*,$headers,"

# find_precompiled COMPILER ARGUMENT...: set `precompiled` to the file to include instead of `headers`, or to nothing.
find_precompiled() {
  precompiled= flags= skip=
  for argument; do
    case $skip$argument in
      skip*) skip= ;;
      -g[!0]* | -g | -include* | -imacros* | @*) return ;; # what the last three name would come first
      -o | -c | -MF | -MT | -MQ | -isystem) skip=skip ;;
      -D_* | -Wp,*) flags="$flags $argument" ;;
      -[DIMW]* | -f*-prefix-map=*) ;;
      *[!A-Za-z0-9/_.,+=:-]*) return ;;
      *) flags="$flags $argument" ;;
    esac
  done
  key=$(printf '%s\n' "$flags" | cksum) || return
  key=$folder/${key%% *}
  if ! is_current "$key"; then
    mkdir -p $folder && echo >>"$key.uses" && [ "$(wc -l <"$key.uses")" -ge $enough ] || return
    precompile "$key" $flags || return
  fi
  precompiled=$key.h
}

# Whether no input changed since. Packages bring files with old times of modification, so it is the time of
# the change on this machine that counts.
is_current() {
  [ -f "$1.h.gch" ] && [ -z "$(find -L $(cat "$1.inputs") -newercc "$1.h.gch" -print -quit 2>&1)" ]
}

# precompile KEY COMPILER FLAG...: make the file, unless another compilation is making it.
precompile() {
  key=$1
  shift
  if ! ln -s $$ "$key.lock" 2>/dev/null; then
    kill -0 "$(readlink "$key.lock")" 2>/dev/null || rm -f "$key.lock" # it was killed
    return 1
  fi
  made=$key.$$
  cp "$headers" "$key.h" &&
    "$@" -w -MD -MF "$made.d" -x c++-header "$key.h" -o "$made.gch" 2>/dev/null &&
    sed "s/^[^:]*://; s/\\\\$//; $named" "$made.d" | tr -s ' ' '\n' >"$key.inputs" &&
    mv "$made.gch" "$key.h.gch" && is_current "$key"
  set -- $?
  rm -f "$made.d" "$made.gch" "$key.uses" "$key.lock" # after a failure, count anew
  return "$1"
}
