#pragma once

#include <c10/macros/Macros.h>
#include <c10/util/MessagePiece.h>

#include <cstdint>
#include <exception>
#include <initializer_list>
#include <string>
#include <vector>

namespace c10 {

struct C10_API SourceLocation {
  const char* function;
  const char* file;
  uint32_t line;
};

// The base class of the errors this library throws. Python sees it as RuntimeError; each subclass
// below has its own Python exception.
class C10_API Error : public std::exception {
 public:
  Error(SourceLocation location, std::string message);
  Error(std::string message, std::string backtrace, const void* caller = nullptr);
  ~Error() override;
  Error(const Error&);
  Error& operator=(const Error&);

  void add_context(std::string message);

  const char* what() const noexcept override { return what_.c_str(); }
  const char* what_without_backtrace() const noexcept { return what_without_backtrace_.c_str(); }
  const std::string& msg() const { return message_; }
  const std::vector<std::string>& context() const { return context_; }
  const std::string& backtrace() const { return backtrace_; }
  const void* caller() const noexcept { return caller_; }

 private:
  void refresh_what();

  std::string message_;
  std::string backtrace_;
  std::vector<std::string> context_;
  std::string what_;
  std::string what_without_backtrace_;
  const void* caller_ = nullptr;
};

#define C10_DECLARE_ERROR(name, base)       \
  class C10_API name : public base {        \
   public:                                  \
    using base::base;                       \
    ~name() override;                       \
    name(const name&) = default;            \
    name& operator=(const name&) = default; \
  }
C10_DECLARE_ERROR(IndexError, Error);
C10_DECLARE_ERROR(ValueError, Error);
C10_DECLARE_ERROR(TypeError, Error);
C10_DECLARE_ERROR(AttributeError, Error);
C10_DECLARE_ERROR(NotImplementedError, Error);
C10_DECLARE_ERROR(LinAlgError, Error);
C10_DECLARE_ERROR(OutOfMemoryError, Error);
C10_DECLARE_ERROR(EnforceFiniteError, Error);
C10_DECLARE_ERROR(SyntaxError, Error);
C10_DECLARE_ERROR(BufferError, Error);
C10_DECLARE_ERROR(DistError, Error);
C10_DECLARE_ERROR(DistBackendError, DistError);
#undef C10_DECLARE_ERROR

// The Python category of a warning.
enum class WarningKind : uint8_t { User, Deprecation };

class C10_API Warning {
 public:
  Warning(WarningKind kind, SourceLocation location, std::string message, bool verbatim);

  WarningKind kind() const { return kind_; }
  const SourceLocation& source_location() const { return location_; }
  const std::string& msg() const { return message_; }
  bool verbatim() const { return verbatim_; }

 private:
  WarningKind kind_;
  SourceLocation location_;
  std::string message_;
  bool verbatim_;
};

// Warnings go to standard error until Python (or a C++ user) installs a handler for its thread.
class C10_API WarningHandler {
 public:
  virtual ~WarningHandler();
  virtual void process(const Warning& warning);
};

C10_API void warn(const Warning& warning);

namespace WarningUtils {
C10_API void set_warning_handler(WarningHandler* handler) noexcept;
C10_API WarningHandler* get_warning_handler() noexcept;
C10_API void set_warnAlways(bool enabled) noexcept;
C10_API bool get_warnAlways() noexcept;

class C10_API WarningHandlerGuard {
 public:
  explicit WarningHandlerGuard(WarningHandler* handler) : previous_(get_warning_handler()) {
    set_warning_handler(handler);
  }
  ~WarningHandlerGuard() { set_warning_handler(previous_); }
  C10_DISABLE_COPY_AND_ASSIGN(WarningHandlerGuard);

 private:
  WarningHandler* previous_;
};
} // namespace WarningUtils

namespace detail {

struct CheckSite {
  const char* function;
  const char* file;
  uint32_t line;
  const char* condition;
};

template <typename ErrorType>
[[noreturn]] C10_COLD void throw_error(
    const char* function, const char* file, uint32_t line, std::string message) {
  throw ErrorType({function, file, line}, std::move(message));
}

[[noreturn]] C10_API void check_fail(const CheckSite&, std::initializer_list<MessagePiece>);
[[noreturn]] C10_API void internal_assert_fail(
    const CheckSite&, std::initializer_list<MessagePiece>);
C10_API std::string check_message(const char* condition, std::initializer_list<MessagePiece>);
C10_API void warn_at(
    WarningKind kind, const char* function, const char* file, uint32_t line,
    std::initializer_list<MessagePiece> pieces);

// The variadic entry points: they turn macro arguments into pieces, which also works for an empty
// list.
template <typename... Args>
[[noreturn]] C10_COLD void check_fail_with(const CheckSite& site, const Args&... args) {
  check_fail(site, {MessagePiece(args)...});
}
template <typename ErrorType, typename... Args>
[[noreturn]] C10_COLD void check_fail_as(const CheckSite& site, const Args&... args) {
  throw_error<ErrorType>(
      site.function, site.file, site.line, check_message(site.condition, {MessagePiece(args)...}));
}
template <typename... Args>
[[noreturn]] C10_COLD void internal_assert_fail_with(const CheckSite& site, const Args&... args) {
  internal_assert_fail(site, {MessagePiece(args)...});
}
template <typename... Args>
C10_COLD void warn_with(
    WarningKind kind, const char* function, const char* file, uint32_t line, const Args&... args) {
  warn_at(kind, function, file, line, {MessagePiece(args)...});
}

} // namespace detail

// Returns the current call stack as text. Empty unless TORCH_SHOW_CPP_STACKTRACES is set, because
// walking the stack costs far more than the rest of the error.
C10_API std::string get_backtrace();
C10_API std::string GetExceptionString(const std::exception& e);

} // namespace c10

#define C10_CHECK_SITE(condition)                                  \
  ::c10::detail::CheckSite {                                       \
    __func__, __FILE__, static_cast<uint32_t>(__LINE__), condition \
  }

#define TORCH_CHECK_WITH(error_type, cond, ...)                                          \
  if (C10_UNLIKELY(!(cond))) {                                                           \
    ::c10::detail::check_fail_as<::c10::error_type>(C10_CHECK_SITE(#cond) __VA_OPT__(, ) \
                                                        __VA_ARGS__);                    \
  }
#define TORCH_CHECK(cond, ...)                                                        \
  if (C10_UNLIKELY(!(cond))) {                                                        \
    ::c10::detail::check_fail_with(C10_CHECK_SITE(#cond) __VA_OPT__(, ) __VA_ARGS__); \
  }
#define TORCH_INTERNAL_ASSERT(cond, ...)                                                        \
  if (C10_UNLIKELY(!(cond))) {                                                                  \
    ::c10::detail::internal_assert_fail_with(C10_CHECK_SITE(#cond) __VA_OPT__(, ) __VA_ARGS__); \
  }
#ifdef NDEBUG
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(...) \
  while (false)                               \
  TORCH_INTERNAL_ASSERT(__VA_ARGS__)
#else
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(...) TORCH_INTERNAL_ASSERT(__VA_ARGS__)
#endif

#define TORCH_CHECK_LINALG(cond, ...) TORCH_CHECK_WITH(LinAlgError, cond __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_CHECK_INDEX(cond, ...) TORCH_CHECK_WITH(IndexError, cond __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_CHECK_VALUE(cond, ...) TORCH_CHECK_WITH(ValueError, cond __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_CHECK_TYPE(cond, ...) TORCH_CHECK_WITH(TypeError, cond __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_CHECK_ATTRIBUTE(cond, ...) \
  TORCH_CHECK_WITH(AttributeError, cond __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_CHECK_NOT_IMPLEMENTED(cond, ...) \
  TORCH_CHECK_WITH(NotImplementedError, cond __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_CHECK_BUFFER(cond, ...) TORCH_CHECK_WITH(BufferError, cond __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_CHECK_ARG(cond, argN, ...) \
  TORCH_CHECK(cond, "invalid argument ", argN, ": " __VA_OPT__(, ) __VA_ARGS__)
#define C10_THROW_ERROR(err_type, msg) \
  throw ::c10::err_type({__func__, __FILE__, static_cast<uint32_t>(__LINE__)}, msg)
#define AT_ERROR(...) TORCH_CHECK(false __VA_OPT__(, ) __VA_ARGS__)
#define AT_ASSERT(...) TORCH_INTERNAL_ASSERT(__VA_ARGS__)

#define TORCH_WARN_AS(kind, ...) \
  ::c10::detail::warn_with(      \
      kind, __func__, __FILE__, static_cast<uint32_t>(__LINE__) __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_WARN(...) TORCH_WARN_AS(::c10::WarningKind::User __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_WARN_DEPRECATION(...) \
  TORCH_WARN_AS(::c10::WarningKind::Deprecation __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_WARN_ONCE(...)                                        \
  do {                                                              \
    static bool already_warned = false;                             \
    if (!already_warned || ::c10::WarningUtils::get_warnAlways()) { \
      already_warned = true;                                        \
      TORCH_WARN(__VA_ARGS__);                                      \
    }                                                               \
  } while (false)
