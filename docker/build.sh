#!/usr/bin/env bash
# Build an image. The Dockerfile beside this script describes its ARGs.
#
#   docker/build.sh [cpu|cuda|dev|wheel] [--dry-run] [--tag NAME] [ARG=VALUE...] [DOCKER BUILD OPTION...]
#
#   cpu    Python and the wheel, to run (default)
#   cuda   the same with CUDA; with `docker run --gpus all` it sees the GPUs of the machine
#   dev    the tools to build and test a checkout that is mounted into the container
#   wheel  no image: the wheel, in dist/
#
#   DOCKER   the program to call (default: docker)
#   Behind a mirror: PIP_INDEX_URL, PIP_EXTRA_INDEX_URL, PIP_TRUSTED_HOST and PIP_CERT, or pip's
#   configuration of this machine, reach pip in the build as secrets; http_proxy and its like as well.
# Exit codes: 1 the build failed, 2 usage, 3 this machine lacks something.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
dockerfile=$root/docker/Dockerfile
docker=${DOCKER:-docker}
log=
secrets=$(mktemp -d)
trap 'rm -rf "$secrets" ${log:+"$log"}' EXIT

fail() { # CODE MESSAGE [HINT]
  echo "error: $2" >&2
  [[ -z ${3:-} ]] || echo "hint: $3" >&2
  exit "$1"
}

# ---- What to build.
image=cpu dry_run='' tag=''
build_args=() options=()
known_args=$(sed -n 's/^ARG \([A-Za-z_]*\).*/\1/p' "$dockerfile" | sort -u | tr '\n' ' ')
if [[ ${1:-} == [a-z]* && ${1:-} != *=* ]]; then
  image=$1
  shift
fi
while (($#)); do
  case $1 in
    -h | --help)
      sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p;}' "${BASH_SOURCE[0]}"
      exit
      ;;
    --dry-run) dry_run=yes ;;
    -t | --tag)
      tag=${2:?--tag needs a name}
      shift
      ;;
    [A-Z]*=*)
      [[ " $known_args" == *" ${1%%=*} "* ]] ||
        fail 2 "the Dockerfile has no ARG ${1%%=*}" "it has ${known_args% }"
      build_args+=("$1")
      ;;
    *)
      options=("$@")
      break
      ;;
  esac
  shift
done
value_of() { # ARG: the value given on the command line, or else the Dockerfile's default
  local name=$1 each value
  value=$(sed -n "s/^ARG $name=//p" "$dockerfile" | head -n 1)
  for each in ${build_args[@]+"${build_args[@]}"}; do
    [[ $each != "$name="* ]] || value=${each#*=}
  done
  echo "$value"
}
case $image in
  cpu) target=runtime ;;
  cuda) target=runtime build_args=(VARIANT=cuda ${build_args[@]+"${build_args[@]}"}) ;;
  dev | wheel) target=$image ;;
  *) fail 2 "there is no image '$image'" "choose cpu, cuda, dev or wheel" ;;
esac
variant=$(value_of VARIANT)
base=$(value_of BASE)
case $variant in
  cpu | cuda) ;;
  *) fail 2 "VARIANT=$variant: choose cpu or cuda" ;;
esac
name=$image
[[ $image != dev || $variant != cuda ]] || name=dev-cuda
tag=${tag:-torchsmith:$name}

# ---- The settings of this machine that a build behind a mirror needs.
configured=$(python3 -m pip config list 2>/dev/null || true)
pip_setting() { # KEY VARIABLE: without places that exist only on this machine
  local value=${!2:-} word kept=()
  [[ $value ]] || value=$(sed -n "s/^global\.$1='\(.*\)'$/\1/p" <<<"$configured")
  for word in $value; do [[ $word == file:* || $word == /* ]] || kept+=("$word"); done
  [[ ${#kept[@]} == 0 ]] || echo "$1 = ${kept[*]}"
}
settings=$(pip_setting index-url PIP_INDEX_URL && pip_setting extra-index-url PIP_EXTRA_INDEX_URL &&
  pip_setting trusted-host PIP_TRUSTED_HOST)
if [[ -n $settings ]]; then
  printf '[global]\n%s\n' "$settings" >"$secrets/pip.conf"
  options=(--secret "id=pip.conf,src=$secrets/pip.conf" ${options[@]+"${options[@]}"})
fi
certificate=${PIP_CERT:-${SSL_CERT_FILE:-}}
if [[ -f $certificate ]]; then
  options=(--secret "id=ca.crt,src=$certificate" ${options[@]+"${options[@]}"})
fi
for each in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
  [[ -z ${!each:-} ]] || options=(--build-arg "$each" ${options[@]+"${options[@]}"})
done

command=("$docker" build --file "$dockerfile" --target "$target")
for each in ${build_args[@]+"${build_args[@]}"}; do command+=(--build-arg "$each"); done
if [[ $target == wheel ]]; then
  command+=(--output "$root/dist")
else
  command+=(--tag "$tag")
fi
command+=(${options[@]+"${options[@]}"} "$root")
if [[ $dry_run ]]; then
  printf 'DOCKER_BUILDKIT=1'
  printf ' %q' "${command[@]}"
  echo
  exit
fi

# ---- Build, and explain a failure.
command -v "$docker" >/dev/null ||
  fail 3 "there is no program $docker" "sudo apt-get install docker.io, or set DOCKER to its path"
if ! answer=$("$docker" version --format '{{.Server.Version}}' 2>&1); then
  fail 3 "the container engine does not answer: ${answer##*$'\n'}" \
    "python3 setup.py doctor --container explains why"
fi
log=$(mktemp)
status=0
DOCKER_BUILDKIT=1 "${command[@]}" --progress plain 2>&1 | tee "$log" || status=$?

said() { grep -qiE "$1" "$log"; }
if ((status)); then
  echo >&2
  if said 'no space left on device|disk quota exceeded'; then
    folder=$("$docker" info --format '{{.DockerRootDir}}' 2>/dev/null || true)
    fail 3 "the disk of the container engine is full (${folder:-its data folder})" \
      "docker builder prune, docker image prune; or move its data-root to a larger disk"
  elif said 'buildx component is missing|requires? BuildKit'; then
    fail 3 "this docker cannot use BuildKit" "install docker-buildx-plugin, or docker-buildx"
  elif said 'network bridge not found|failed to create endpoint'; then
    fail 3 "this engine has no network for containers" "docker/build.sh $image --network host"
  elif said 'load metadata for .*(ERROR|failed)|failed to (load cache key|resolve source metadata|create LLB definition)|pull access denied|manifest unknown|failed to do request'; then
    fail 3 "the base image $base cannot be fetched: is its registry down, or its name wrong?" \
      "choose one that '$docker images' lists (BASE=NAME); docker/make_base.sh makes one without a registry"
  elif said 'Temporary failure resolving|Failed to fetch http|Unable to locate package|Could not connect to .*:(80|443|3142)'; then
    fail 3 "apt-get in the image cannot install packages: is the mirror of $base reachable?" \
      "set http_proxy, or choose a BASE whose /etc/apt names a mirror that you can reach"
  elif said 'CERTIFICATE_VERIFY_FAILED'; then
    fail 3 "pip in the image does not know the certificate of the package index" \
      "PIP_CERT=/path/to/ca.crt docker/build.sh $image"
  elif said 'No matching distribution found|Could not fetch URL|NewConnectionError'; then
    fail 3 "pip in the image cannot reach the package index" \
      "PIP_INDEX_URL=https://your.mirror/simple docker/build.sh $image"
  elif reason=$(grep -oE 'error: .*' "$log" | tail -n 1) && [[ -n $reason ]]; then
    fail 1 "${reason#error: }"
  fi
  fail 1 "$docker build failed" "its output above ends with the step that failed"
fi

# ---- What to do with it.
gpus=
[[ $variant == cpu ]] || gpus=' --gpus all'
case $image in
  wheel) ls -l "$root"/dist/*.whl ;;
  dev)
    echo "$docker run --rm -it --user \$(id -u):\$(id -g) -v \"\$PWD\":/src -v torchsmith-ccache:/ccache --shm-size=1g$gpus $tag"
    ;;
  *) echo "$docker run --rm$gpus $tag python -c 'import torch; print(torch.ones(2) + 1)'" ;;
esac
