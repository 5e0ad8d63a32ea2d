// Compiles the kernel on the standard input by libcaffe2_nvrtc, and prints the lowered name and the
// image. Usage: compile_kernel LIBRARY NAME OPTION...

#include <ATen/cuda/NvrtcLibrary.h>

#include <dlfcn.h>

#include <exception>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

int main(int count, char** arguments) {
  void* const library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::cerr << dlerror() << "\n";
    return 2;
  }
  const auto entry = reinterpret_cast<at::cuda::NvrtcEntry>(dlsym(library, at::cuda::kNvrtcEntry));
  const std::string source(std::istreambuf_iterator<char>(std::cin), {});
  try {
    const std::vector<std::string> options(arguments + 3, arguments + count);
    const at::cuda::RuntimeKernel kernel = entry()->compile(source, arguments[2], options);
    std::cout << kernel.lowered_name << "\n" << kernel.image;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
