# docker buildx bake -f docker/docker-bake.hcl [cpu|dev|wheel|cuda|dev-cuda]
# The variables are those ARGs of the Dockerfile that a release sets, and the files that pip uses behind a
# mirror; the environment overrides them.

variable "BASE" { default = "debian:bookworm-slim" }
variable "PYTHON" { default = "python3" }
variable "CUDA_VERSION" { default = "13.0" }
variable "TORCH_CUDA_ARCH_LIST" { default = "" }
variable "MAX_JOBS" { default = "0" }
variable "OPTIONS" { default = "" }
variable "SOURCE_DATE_EPOCH" { default = "0" }
variable "PIP_CONFIG_FILE" { default = "/dev/null" }
variable "PIP_CERT" { default = "/dev/null" }

group "default" { targets = ["cpu"] }

target "common" {
  context    = "."
  dockerfile = "docker/Dockerfile"
  args = {
    VARIANT           = "cpu"
    BASE              = BASE
    PYTHON            = PYTHON
    MAX_JOBS          = MAX_JOBS
    OPTIONS           = OPTIONS
    SOURCE_DATE_EPOCH = SOURCE_DATE_EPOCH
  }
  secret = ["id=pip.conf,src=${PIP_CONFIG_FILE}", "id=ca.crt,src=${PIP_CERT}"]
}

target "cpu" {
  inherits = ["common"]
  target   = "runtime"
  tags     = ["torchsmith:cpu"]
}

target "dev" {
  inherits = ["common"]
  target   = "dev"
  tags     = ["torchsmith:dev"]
}

target "wheel" {
  inherits = ["common"]
  target   = "wheel"
  output   = ["type=local,dest=dist"]
}

target "cuda" {
  inherits = ["cpu"]
  args = {
    VARIANT              = "cuda"
    CUDA_VERSION         = CUDA_VERSION
    TORCH_CUDA_ARCH_LIST = TORCH_CUDA_ARCH_LIST
  }
  tags = ["torchsmith:cuda"]
}

target "dev-cuda" {
  inherits = ["dev"]
  args = {
    VARIANT      = "cuda"
    CUDA_VERSION = CUDA_VERSION
  }
  tags = ["torchsmith:dev-cuda"]
}
