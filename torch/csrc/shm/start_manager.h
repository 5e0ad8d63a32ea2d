#pragma once
#include <string>

namespace torch::shm {

// Runs the program and returns the handle of the manager that it leaves running. Throws c10::Error.
std::string start_manager(const std::string& program);

} // namespace torch::shm
