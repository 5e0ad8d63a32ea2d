#!/bin/sh
# canonical_command.sh SOURCES BUILD PROGRAM ARGUMENT...
#
# Runs a compilation in such a way that neither the compiler nor a cache in front of it sees the paths of
# SOURCES and BUILD: the object's bytes and the cache's key are the same in every checkout and build directory.
# The working directory is BUILD. Paths below BUILD become ./..., and paths below SOURCES become
# .sources/..., a link in BUILD that the front end removes when Ninja has ended. The compiler takes the
# path of the working directory from PWD. -ffile-prefix-map (BuildDefaults.cmake) turns all three into the
# paths that a reader expects.
# The caches cannot do this well enough: ccache supports only one base directory and leaves chains of ../ as
# deep as BUILD, and sccache rewrites nothing unless its server was started with that setting.
#
# COMPILER_PREFIX names a program that passes compilations to other machines. It is a variable, because Ninja
# compiles everything again when commands change.
#
# BUILD/compiler_cache.txt names the cache if one is used. It is not an argument, because the object is the same with
# every cache and without one.
#
# Headers that every source reads first are read precompiled if no cache is used (precompiled_headers.sh). The caches
# would have to hash or send what is precompiled.
#
# The language standard is moved behind the other flags: releases of CMake put it in different places, which would
# make other keys for the cache.
#
# Real paths are restored in the depfile, because Ninja has to recognise generated headers, and in
# diagnostics, because people have to find the files.
sources=$1 build=$2 cache= headers=
shift 2
[ -f "$build/compiler_cache.txt" ] && IFS= read -r cache <"$build/compiler_cache.txt"
[ -x "$cache" ] || cache= # it was uninstalled
set -- ${cache:+"$cache"} "$@"

# Several compilations start at once, and none may replace a link that another one has just made.
[ .sources -ef "$sources" ] || ln -sT "$sources" .sources 2>/dev/null || [ .sources -ef "$sources" ] ||
  ln -sfn "$sources" .sources || exit

# If one directory contains the other, the inner one has to be matched first.
case $sources in
  "$build"/*) inner=$sources inner_name=.sources outer=$build outer_name=. ;;
  *) inner=$build inner_name=. outer=$sources outer_name=.sources ;;
esac
count=$#
previous= depfile= standard=
while [ "$count" -gt 0 ]; do
  argument=$1
  shift
  count=$((count - 1))
  [ "$previous" = -MF ] && depfile=$argument
  previous=$argument
  case $argument in
    -std=*)
      standard=$argument
      continue
      ;;
    "-include$sources/cmake/standard_headers.h")
      headers=.sources/cmake/standard_headers.h
      continue
      ;;
    -MD) set -- "$@" ${standard:+"$standard"} && standard= ;;
  esac
  case $argument in
    -D*) path= ;; # the program may need the value as it is
    /*) path=$argument ;;
    -[Iio]/*) path=${argument#??} ;;
    -*=/*) path=${argument#*=} ;;
    *) path= ;;
  esac
  case $path in
    "$inner" | "$inner"[/=]*) argument=${argument%"$path"}$inner_name${path#"$inner"} ;;
    "$outer" | "$outer"[/=]*) argument=${argument%"$path"}$outer_name${path#"$outer"} ;;
  esac
  set -- "$@" "$argument"
done
set -- "$@" ${standard:+"$standard"}

# CMake's files for unity builds include sources by their real paths.
case " $* " in
  */Unity/unity_*) set -- "$@" "-ffile-prefix-map=$sources/=./" "-ffile-prefix-map=$build/=build/" ;;
esac

# An inherited setting of ccache must not bring the real paths back.
CCACHE_BASEDIR= CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=time_macros PWD=/proc/self/cwd
export CCACHE_BASEDIR CCACHE_NOHASHDIR CCACHE_SLOPPINESS PWD
exec 3>&1
compile() { # and keep the diagnostics; the last redirection is where this shell would report a killed command
  { diagnostics=$(${COMPILER_PREFIX:+"$COMPILER_PREFIX"} "$@" 2>&1 >&3 3>&-); } 2>/dev/null
}
precompiled=
case $headers$cache$COMPILER_PREFIX:${1##*/} in
  .sources/cmake/standard_headers.h:*++*)
    . "${0%/*}/precompiled_headers.sh"
    find_precompiled "$@"
    ;;
esac
compile "$@" ${headers:+-include "${precompiled:-$headers}"}
status=$?
if [ -n "$precompiled" ] && [ "$status" -gt 0 ] && [ "$status" -le 128 ]; then
  compile "$@" -include "$headers" # so that messages name the source's own headers
  status=$?
  [ "$status" -ne 0 ] || rm -f "$precompiled.gch" # it is damaged
fi

# The paths, escaped as replacements of sed's `s,,,`; in a depfile, first escaped for Make.
in_depfile=$sources in_text=$sources build_in_text=$build
case $sources$build in
  *[!A-Za-z0-9/_.+@%=~-]*)
    in_depfile=$(printf '%s\n' "$sources" | sed 's/[ #]/\\&/g; s/\$/$$/g; s/[\\&,]/\\&/g')
    in_text=$(printf '%s\n' "$sources" | sed 's/[\\&,]/\\&/g')
    build_in_text=$(printf '%s\n' "$build" | sed 's/[\\&,]/\\&/g')
    ;;
esac
if [ -n "$diagnostics" ]; then
  # A path starts a word or follows a compiler's colour code. `./` starts a path if a line number follows.
  begins='(^|[^[:alnum:]_./-]|\[K)'
  printf '%s\n' "$diagnostics" | sed -E "s,$begins\.sources/,\1$in_text/,g
    s,$begins\./([^ :]*:( |[0-9])),\1$build_in_text/\2,g" >&2
fi
if [ "$status" -eq 0 ] && [ -f "$depfile" ]; then
  # GCC leaves out what it read precompiled, and `named` turns the name of that into the headers' own.
  [ -z "$precompiled" ] || sed 's/.*/ & \\/' "${precompiled%.h}.inputs" |
    sed -i "$named"'; $s/$/ \\/; $r /dev/stdin' "$depfile"
  sed -i "s, \.sources/, $in_depfile/,g" "$depfile" || status=$?
fi
[ "$status" -gt 128 ] && kill -s "$((status - 128))" $$ # let Ninja see which signal killed the compiler
exit "$status"
