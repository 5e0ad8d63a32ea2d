#!/usr/bin/env bash
# Build with the C library of an older Debian, so that the wheel also runs on machines of that age. The compiler
# stays this machine's GCC. In Debian 12, this command makes a wheel with the tag manylinux_2_28:
#
#   cmake/toolchains/older_glibc.sh [SUITE [FOLDER]] [-- COMMAND...]
#
# COMMAND is `python3 setup.py bdist_wheel` by default, and runs with REPAIR_WHEEL=ON. SUITE is bullseye by default
# (Debian 11, glibc 2.31). To set the variables in a shell (bash or zsh) instead, for setup.py, pip and build:
#
#   . cmake/toolchains/older_glibc.sh [SUITE [FOLDER]]
#
# Links see only symbols that are as old as manylinux_2_28 allows. What this compiler's C++ library has gained since
# then is linked from libstdc++.a, as in Red Hat's gcc-toolset.
#
# The older libraries and headers are unpacked in FOLDER (by default ~/.cache/torchsmith/SUITE), from the mirror
# DEBIAN_MIRROR; nothing is installed and root is not needed.
older_suite=bullseye older_folder=
[ $# -eq 0 ] || [ "$1" = -- ] || { older_suite=$1; [ $# -eq 1 ] || [ "$2" = -- ] || older_folder=$2; }
older_folder=$(realpath -ms -- "${older_folder:-${XDG_CACHE_HOME:-$HOME/.cache}/torchsmith/$older_suite}")

"$(dirname "${BASH_SOURCE[0]:-$0}")/unpack_older_packages.sh" "$older_suite" "$older_folder" || {
  echo "error: the packages of Debian's $older_suite cannot be fetched or unpacked" >&2
  echo "hint: name a suite and a mirror that has it (DEBIAN_MIRROR=http://deb.debian.org/debian), or another FOLDER" >&2
  unset older_suite older_folder
  # shellcheck disable=SC2317 # a script that is not sourced cannot return
  return 1 2>/dev/null || exit 3
}

older_triplet=$(gcc -dumpmachine)
export CFLAGS="--sysroot=$older_folder/root" CXXFLAGS="--sysroot=$older_folder/root"
export LDFLAGS="--sysroot=$older_folder/root -B$older_folder/link -B$older_folder/root/usr/lib/$older_triplet \
-B$older_folder/root/lib/$older_triplet -Wl,--exclude-libs,libstdc++.a"
export LD_LIBRARY_PATH="$older_folder/run" BUILD_DIR="build-$older_suite"
unset older_suite older_folder older_triplet

# Run the command, unless a shell reads this file for its variables.
if [ -n "${BASH_SOURCE[0]:-}" ] && [ "${BASH_SOURCE[0]}" = "$0" ]; then
  while [ $# -gt 0 ] && [ "$1" != -- ]; do shift; done
  [ $# -eq 0 ] || shift
  [ $# -gt 0 ] || set -- python3 setup.py bdist_wheel
  export REPAIR_WHEEL="${REPAIR_WHEEL:-ON}"
  exec "$@"
fi
