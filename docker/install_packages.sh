#!/bin/sh
# Install Python and other packages into an image, and leave no package lists behind.
#   install_packages.sh PYTHON [--development] [PACKAGE...]
# A Python that the base image already has is used; --development adds its headers and venv.
set -eu

python=$1
shift
development=
if [ "${1:-}" = --development ]; then
  development=yes
  shift
fi

if ! command -v apt-get >/dev/null; then
  echo "error: the base image has no apt-get; choose a Debian or Ubuntu image (BASE)" >&2
  exit 3
fi

has_headers() {
  "$python" -c 'import ensurepip, os, sysconfig
assert os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))' 2>/dev/null
}
if [ -n "$development" ]; then
  has_headers || set -- "$python" "$python-dev" "$python-venv" "$@"
elif ! command -v "$python" >/dev/null; then
  set -- "$python" "$@"
fi

if [ $# -gt 0 ]; then
  rm -f /etc/apt/apt.conf.d/docker-clean # keeps the downloads in the cache mount
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
  rm -rf /var/lib/apt/lists/* /var/log/apt /var/log/dpkg.log /var/log/alternatives.log
fi
version=$("$python" -c 'import sys; print(*sys.version_info[:2], sep=".")')
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  echo "error: $python of the base image is Python $version; Torchsmith needs 3.11 or newer" >&2
  exit 3
fi
