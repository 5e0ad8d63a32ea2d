# . cmake/toolchains/cross.sh TRIPLET [FOLDER]        (in bash or zsh)
#
# Set the variables that make setup.py, pip and build cross compile for another Linux machine with the GNU
# compilers of Debian or Ubuntu, for example:
#
#   dpkg --add-architecture arm64 && apt-get update
#   apt-get install g++-aarch64-linux-gnu libpython3-dev:arm64 libgomp1:arm64
#   . cmake/toolchains/cross.sh aarch64-linux-gnu
#   python setup.py bdist_wheel
#
# The wheel is for the Python that runs the build, which must be the system's or an environment of it: the
# headers and the description of the other machine's Python come from libpython3-dev. OpenBLAS comes from
# the other machine's wheel on PyPI, which is unpacked in FOLDER (by default ~/.cache/torchsmith/TRIPLET) and
# found by PYTHONPATH.
cross_triplet=${1:?the GNU triplet of the other machine, such as aarch64-linux-gnu}
cross_machine=${cross_triplet%%-*}
cross_folder=${2:-${XDG_CACHE_HOME:-$HOME/.cache}/torchsmith/$cross_triplet}

if [ ! -d "$cross_folder/scipy_openblas32" ]; then
  python3 -m pip install --quiet --target "$cross_folder" --no-deps --only-binary :all: \
    --platform "manylinux_2_28_$cross_machine" --platform "manylinux2014_$cross_machine" \
    --platform "manylinux_2_17_$cross_machine" scipy-openblas32
fi

export CC="$cross_triplet-gcc" CXX="$cross_triplet-g++" BUILD_DIR="build-$cross_machine"
# CPython's own variables for cross compilation: they decide the tags and the names of extension modules.
export _PYTHON_HOST_PLATFORM="linux-$cross_machine"
export _PYTHON_SYSCONFIGDATA_NAME="_sysconfigdata__$cross_triplet"

export PYTHONPATH="$cross_folder${PYTHONPATH:+:$PYTHONPATH}"
unset cross_triplet cross_machine cross_folder
