# . cmake/toolchains/older_glibc.sh [SUITE [FOLDER]]        (in bash or zsh)
#
# Set the variables that make setup.py, pip and build link with the C library of an older Debian, so that the
# wheel also runs on machines of that age. The compiler stays this machine's GCC. For example, in Debian 12:
#
#   . cmake/toolchains/older_glibc.sh bullseye        # glibc 2.31, the default
#   REPAIR_WHEEL=ON python setup.py bdist_wheel
#
# The wheel's tag is manylinux_2_28 then: links see only symbols that are as old as that. What this compiler's C++
# library has gained since then is linked from libstdc++.a, as in Red Hat's gcc-toolset.
#
# The older libraries and headers are unpacked in FOLDER (by default ~/.cache/torchsmith/SUITE), from the mirror
# DEBIAN_MIRROR; nothing is installed and root is not needed.
older_suite=${1:-bullseye}
older_folder=${2:-${XDG_CACHE_HOME:-$HOME/.cache}/torchsmith/$older_suite}
older_triplet=$(gcc -dumpmachine)

[ -e "$older_folder/complete" ] ||
  "$(dirname "${BASH_SOURCE[0]:-$0}")/unpack_older_packages.sh" "$older_suite" "$older_folder" || {
  echo "error: the packages of Debian's $older_suite cannot be fetched or unpacked" >&2
  echo "hint: name a suite and a mirror that has it: DEBIAN_MIRROR=http://deb.debian.org/debian" >&2
  unset older_suite older_folder older_triplet
  return 1
}

export CFLAGS="--sysroot=$older_folder/root" CXXFLAGS="--sysroot=$older_folder/root"
export LDFLAGS="--sysroot=$older_folder/root -B$older_folder/link -B$older_folder/root/usr/lib/$older_triplet \
-B$older_folder/root/lib/$older_triplet -Wl,--exclude-libs,libstdc++.a"
export LD_LIBRARY_PATH="$older_folder/run" BUILD_DIR="build-$older_suite"
unset older_suite older_folder older_triplet
