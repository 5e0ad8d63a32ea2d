#include <c10/cuda/emulated/Kernel.h>

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <utility>

namespace cuda_emulation {

namespace {

std::string demangled(const char* symbol) {
  int status = 0;
  char* text = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
  std::string name = status == 0 ? text : symbol;
  std::free(text);
  return name;
}

// Looks the address up in the full symbol table of the file it comes from: kernels are often
// static, and dladdr() knows only what a file exports.
std::string local_symbol(const std::string& path, uintptr_t offset) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (bytes.size() < sizeof(ElfW(Ehdr))) return {};
  const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(bytes.data());
  const auto* sections = reinterpret_cast<const ElfW(Shdr)*>(bytes.data() + header->e_shoff);
  if (header->e_shoff + header->e_shnum * sizeof(ElfW(Shdr)) > bytes.size()) return {};
  for (size_t i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB) continue;
    const auto* symbol = reinterpret_cast<const ElfW(Sym)*>(bytes.data() + sections[i].sh_offset);
    const auto* end = symbol + sections[i].sh_size / sizeof(*symbol);
    const char* names = bytes.data() + sections[sections[i].sh_link].sh_offset;
    for (; symbol != end; ++symbol) {
      if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_value == offset) {
        return demangled(names + symbol->st_name);
      }
    }
  }
  return {};
}

// "void a::(anonymous namespace)::sum<4>(int*)" becomes "a::sum<4>".
std::string shortened(std::string name) {
  const std::string anonymous = "(anonymous namespace)::";
  for (size_t at = name.find(anonymous); at != std::string::npos; at = name.find(anonymous)) {
    name.erase(at, anonymous.size());
  }
  if (name.compare(0, 5, "void ") == 0) name.erase(0, 5);
  return name.substr(0, name.find('('));
}

} // namespace

std::string kernel_name(const void* code) {
  Dl_info info = {};
  link_map* map = nullptr;
  if (dladdr1(code, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0) return "kernel";
  std::string name;
  if (info.dli_sname != nullptr && info.dli_saddr == code) {
    name = demangled(info.dli_sname);
  } else {
    const std::string path = *map->l_name == '\0' ? "/proc/self/exe" : map->l_name;
    name = local_symbol(path, reinterpret_cast<uintptr_t>(code) - map->l_addr);
  }
  return name.empty() ? "kernel" : shortened(std::move(name));
}

} // namespace cuda_emulation
