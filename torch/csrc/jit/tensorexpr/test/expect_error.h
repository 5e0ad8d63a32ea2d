#pragma once

#include <c10/util/Exception.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace torch::jit::tensorexpr {

// Expects an error whose text has `message` in it.
inline void expect_error(const std::string& message, const std::function<void()>& f) {
  std::string error = "no error";
  try {
    f();
  } catch (const c10::Error& raised) {
    error = raised.what();
  }
  EXPECT_NE(error.find(message), std::string::npos) << error;
}

} // namespace torch::jit::tensorexpr
