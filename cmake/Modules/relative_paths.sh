#!/bin/sh
# relative_paths.sh SOURCES TO_SOURCES BUILD CACHE COMPILER ARGUMENT...
# Runs CACHE COMPILER with every path below SOURCES or BUILD spelt from the working directory, which is
# BUILD; TO_SOURCES leads from there to SOURCES. sccache hashes arguments and preprocessed text as they
# are, and learnt to leave a prefix out (SCCACHE_BASEDIRS) only in servers started for it.
sources=$1 to_sources=$2 build=$3 cache=$4 compiler=$5
shift 5

# Where the build directory's own files lie when they are reached through the sources.
case $build in
  "$sources"/*) to_build=$to_sources/${build#"$sources"/} ;;
  *) to_build=. ;;
esac

count=$#
while [ "$count" -gt 0 ]; do
  argument=$1
  shift
  count=$((count - 1))
  case $argument in
    -D*) path= ;; # the program may need the value as it is
    /*) path=$argument ;;
    -[Iio]/*) path=${argument#??} ;;
    -*=/*) path=${argument#*=} ;;
    *) path= ;;
  esac
  case $path in
    "$build" | "$build"[/=]*) argument=${argument%"$path"}$to_build${path#"$build"} ;;
    "$sources" | "$sources"[/=]*) argument=${argument%"$path"}$to_sources${path#"$sources"} ;;
  esac
  set -- "$@" "$argument"
done
exec "$cache" "$compiler" "$@"
