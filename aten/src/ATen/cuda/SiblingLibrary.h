#pragma once

// Parts of the CUDA back end that are loaded at their first use.

namespace at::cuda {

// Loads a library from the folder of libtorch_cuda. If that fails, throws NotImplementedError with
// the path, the loader's reason and the text, which says who needs the library and how to get it.
void load_sibling_library(const char* name, const char* purpose);
// Also returns the library's symbol; one that is missing is an error as well.
void* load_sibling_library(const char* name, const char* purpose, const char* symbol);

} // namespace at::cuda
