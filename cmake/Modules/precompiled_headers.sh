# Read by canonical_command.sh. Reading headers of the C++ library takes a third to a half of the time of most
# sources, so GCC reads those of standard_headers.h precompiled, once per set of flags that enough sources
# share. The object is the same without them, so Ninja does not know of them. (Debug information would differ.)
#
# The files below CMakeFiles, which the front end cleans:
#   precompiled/KEY.uses     a line for each compilation with these flags before the headers were precompiled
#   precompiled/KEY.h        the headers, which GCC reads itself if it finds that the next file does not fit
#   precompiled/KEY.h.gch    the precompiled headers
#   precompiled/KEY.inputs   the files that they were made from
#   precompiled/KEY.lock     a link to the number of the process that makes them
headers=${0%/*}/../standard_headers.h
precompiled=./CMakeFiles/precompiled
enough=6 # compilations; precompiling takes as long as they save

# find_header COMPILER ARGUMENT...: set `header` to the file that a compilation has to include first, or to nothing.
find_header() {
  header= flags= skip=
  for argument; do
    case $skip$argument in
      skip*) skip= ;;
      -g[!0]* | -g | -include | -imacros | @*) return ;; # the last three may name what has to come first
      -o | -c | -MF | -MT | -MQ | -isystem) skip=skip ;;
      -D_* | -Wp,*) flags="$flags $argument" ;;
      -[DIMW]* | -f*-prefix-map=*) ;;
      *[!A-Za-z0-9/_.,+=:-]*) return ;;
      *) flags="$flags $argument" ;;
    esac
  done
  key=$(printf '%s\n' "$flags" | cat - "$headers" | cksum) || return
  key=$precompiled/${key%% *}
  if ! is_current "$key"; then
    mkdir -p $precompiled && echo >>"$key.uses" && [ "$(wc -l <"$key.uses")" -ge $enough ] || return
    precompile "$key" $flags || return
  fi
  header=$key.h
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
    sed 's/^[^:]*://; s/\\$//; s,CMakeFiles/[^ ]*,,' "$made.d" >"$key.inputs" && mv "$made.gch" "$key.h.gch" && is_current "$key"
  set -- $?
  rm -f "$made.d" "$made.gch" "$key.uses" "$key.lock" # after a failure, count anew
  return "$1"
}
