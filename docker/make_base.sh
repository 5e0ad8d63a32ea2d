#!/usr/bin/env bash
# Make a minimal base image with debootstrap, for machines that reach a Debian mirror and no registry.
#   sudo docker/make_base.sh NAME [SUITE [MIRROR]]
# Then: docker/build.sh cpu BASE=NAME
set -euo pipefail

name=${1:?usage: docker/make_base.sh NAME [SUITE [MIRROR]]}
suite=${2:-bookworm}
mirror=${3:-http://deb.debian.org/debian}
docker=${DOCKER:-docker}
command -v debootstrap >/dev/null || {
  echo "error: debootstrap is not installed" >&2
  echo "hint: sudo apt-get install debootstrap" >&2
  exit 3
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
debootstrap --variant=minbase "$suite" "$folder/root" "$mirror"
rm -rf "$folder"/root/var/cache/apt/archives/*.deb "$folder"/root/var/lib/apt/lists/*
tar --directory "$folder/root" --create . | "$docker" import - "$name"
