#!/usr/bin/env bash
# Unpack what a compiler needs of an older Debian's C and C++ libraries; older_glibc.sh calls this.
#   unpack_older_packages.sh SUITE FOLDER
# FOLDER gets root/ with the packages, link/ with what links look at first, and run/ with the older libgomp. It is
# left alone while `complete` in it describes this compiler and this Python.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
suite=$1 folder=$2
triplet=$(gcc -dumpmachine)
libraries=$folder/root/usr/lib/$triplet
keys=/usr/share/keyrings/debian-archive-keyring.gpg
complete=$(gcc -print-file-name=libstdc++.a; ls -d "/usr/include/$triplet"/python3* 2>/dev/null || true)

if [[ $folder =~ [[:space:]] ]]; then
  echo "error: $folder: the arguments of compilers cannot name a folder with spaces" >&2
  exit 1
fi
[[ $(cat "$folder/complete" 2>/dev/null) != "$complete" ]] || exit 0
if [[ -e $folder && ! -e $folder/apt.conf && -n $(ls -A "$folder") ]]; then
  echo "error: $folder holds other files; it would be replaced" >&2
  exit 1
fi

rm -rf "$folder"
mkdir -p "$folder"/{lists/partial,archives/partial,etc/apt.conf.d,etc/preferences.d,root,link,run}
cd "$folder"
echo "deb [signed-by=$keys] ${DEBIAN_MIRROR:-http://deb.debian.org/debian} $suite main" >etc/sources.list
cat >apt.conf <<EOF
Dir::Etc "$folder/etc"; Dir::State::lists "$folder/lists"; Dir::Cache "$folder";
Dir::State::status "/dev/null"; APT::Sandbox::User "";
EOF
export APT_CONFIG="$folder/apt.conf"
apt-get update -qq -o APT::Update::Error-Mode=any
cd archives
apt-get download -qq libc6 libc6-dev libcrypt1 libcrypt-dev linux-libc-dev libgcc-s1 libgomp1 libstdc++6
cd ..
for each in archives/*.deb; do dpkg --extract "$each" root; done

# An absolute link would lead to this machine's files.
find root -type l -lname '/*' | while read -r each; do ln -sfr "root$(readlink "$each")" "$each"; done
# Debian's Python.h includes the configuration in <TRIPLET/python3.N/pyconfig.h>.
for each in "/usr/include/$triplet"/python3*; do
  [[ ! -d $each ]] || ln -s "$each" "root/usr/include/$triplet/"
done

# Links look at stand-ins that have only the symbols that manylinux_2_28 allows.
stand_in() { # LIBRARY
  python3 "$here/older_symbols.py" "$1" "link/$(basename "$1")" GLIBC_2.28 GLIBCXX_3.4.24 CXXABI_1.3.11
}
stand_in "$libraries/libstdc++.so.6"
stand_in "root/lib/$triplet/libm.so.6"
echo "INPUT($folder/link/libstdc++.so.6 $(gcc -print-file-name=libstdc++.a))" >link/libstdc++.so
echo "INPUT($folder/link/libm.so.6)" >link/libm.so
ln -s "$libraries/libgomp.so.1" link/libgomp.so
ln -s "$libraries/libgomp.so.1" run/ # the one that auditwheel adds to the wheel
rm -rf lists archives
echo "$complete" >complete
