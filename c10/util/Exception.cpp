#include <c10/util/Exception.h>

#include <c10/util/ProcessWarnings.h>

#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <dlfcn.h>
#include <iterator>
#include <memory>
#include <sstream>
#include <typeinfo>
#include <unwind.h>

namespace c10 {

namespace {

void append_double(std::string& out, double value) {
  // Same format as operator<<: six significant digits.
  char buffer[48];
  const int length = std::snprintf(buffer, sizeof buffer, "%g", value);
  out.append(buffer, static_cast<size_t>(length));
}

template <typename Integer>
void append_integer(std::string& out, Integer value) {
  char buffer[24];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  out.append(buffer, end);
}

bool wants_backtrace() {
  static const bool wanted = [] {
    const char* setting = std::getenv("TORCH_SHOW_CPP_STACKTRACES");
    return setting && std::string_view(setting) != "0" && *setting != '\0';
  }();
  return wanted;
}

// By the unwinder and not by <execinfo.h>, which musl does not have.
struct Frames {
  std::uintptr_t addresses[64];
  std::size_t count = 0;
};

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* argument) {
  auto& frames = *static_cast<Frames*>(argument);
  if (frames.count == std::size(frames.addresses)) return _URC_END_OF_STACK;
  frames.addresses[frames.count++] = _Unwind_GetIP(context);
  return _URC_NO_REASON;
}

std::string demangle(const char* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> readable(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return readable ? readable.get() : name;
}

std::string describe_frame(std::uintptr_t address) {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(address), &info) == 0) return "(unknown)";
  const auto offset = [address](const void* start) {
    return address - reinterpret_cast<std::uintptr_t>(start);
  };
  const std::string library = info.dli_fname;
  // Without a name, the offset in the library is what addr2line takes.
  if (!info.dli_sname) return str(library, " + ", offset(info.dli_fbase));
  return str(demangle(info.dli_sname), " + ", offset(info.dli_saddr), " in ", library);
}

std::string describe(const SourceLocation& location) {
  return str(
      "Exception raised from ", location.function, " at ", location.file, ":", location.line,
      " (most recent call first):\n", get_backtrace());
}

} // namespace

void MessagePiece::append_to(std::string& out) const {
  switch (kind_) {
    case Kind::CString:
      out += static_cast<const char*>(pointer_);
      break;
    case Kind::View:
      out.append(static_cast<const char*>(pointer_), size_);
      break;
    case Kind::Bool:
      out += integer_ ? '1' : '0';
      break;
    case Kind::Char:
      out += static_cast<char>(integer_);
      break;
    case Kind::Signed:
      append_integer(out, integer_);
      break;
    case Kind::Unsigned:
      append_integer(out, static_cast<unsigned long long>(integer_));
      break;
    case Kind::Double:
      append_double(out, real_);
      break;
    case Kind::Printer: {
      std::ostringstream stream;
      printer_(stream, pointer_);
      out += stream.str();
      break;
    }
  }
}

std::string format_message(std::initializer_list<MessagePiece> pieces) {
  std::string out;
  for (const MessagePiece& piece : pieces) {
    piece.append_to(out);
  }
  return out;
}

Error::Error(SourceLocation location, std::string message)
    : Error(std::move(message), describe(location)) {}

Error::Error(std::string message, std::string backtrace, const void* caller)
    : message_(std::move(message)), backtrace_(std::move(backtrace)), caller_(caller) {
  refresh_what();
}

Error::~Error() = default;
Error::Error(const Error&) = default;
Error& Error::operator=(const Error&) = default;

void Error::add_context(std::string message) {
  context_.push_back(std::move(message));
  refresh_what();
}

void Error::refresh_what() {
  what_without_backtrace_ = message_;
  if (context_.size() == 1) {
    what_without_backtrace_ += " (" + context_.front() + ")";
  } else {
    for (const std::string& line : context_) {
      what_without_backtrace_ += "\n  " + line;
    }
  }
  what_ = what_without_backtrace_ + "\n" + backtrace_;
}

IndexError::~IndexError() = default;
ValueError::~ValueError() = default;
TypeError::~TypeError() = default;
AttributeError::~AttributeError() = default;
NotImplementedError::~NotImplementedError() = default;
LinAlgError::~LinAlgError() = default;
OutOfMemoryError::~OutOfMemoryError() = default;
EnforceFiniteError::~EnforceFiniteError() = default;
SyntaxError::~SyntaxError() = default;
BufferError::~BufferError() = default;
DistError::~DistError() = default;
DistBackendError::~DistBackendError() = default;

namespace detail {

std::string check_message(const char* condition, std::initializer_list<MessagePiece> pieces) {
  if (pieces.size() == 0) {
    return str(
        "Expected ", condition, " to be true, but got false.  ",
        "(Could this error message be improved?  If so, please report an enhancement request.)");
  }
  return format_message(pieces);
}

void check_fail(const CheckSite& site, std::initializer_list<MessagePiece> pieces) {
  throw Error({site.function, site.file, site.line}, check_message(site.condition, pieces));
}

void internal_assert_fail(const CheckSite& site, std::initializer_list<MessagePiece> pieces) {
  throw Error(
      {site.function, site.file, site.line},
      str(site.condition, " INTERNAL ASSERT FAILED at \"", site.file, "\":", site.line,
          ", please report a bug. ", format_message(pieces)));
}

void warn_at(
    WarningKind kind, const char* function, const char* file, uint32_t line,
    std::initializer_list<MessagePiece> pieces) {
  warn(Warning(kind, {function, file, line}, format_message(pieces), false));
}

} // namespace detail

Warning::Warning(WarningKind kind, SourceLocation location, std::string message, bool verbatim)
    : kind_(kind), location_(location), message_(std::move(message)), verbatim_(verbatim) {}

WarningHandler::~WarningHandler() = default;

void WarningHandler::process(const Warning& warning) {
  const SourceLocation& at = warning.source_location();
  std::fprintf(
      stderr, "[W %s:%u] Warning: %s (function %s)\n", at.file, at.line, warning.msg().c_str(),
      at.function);
}

namespace {
thread_local WarningHandler* thread_handler = nullptr;
std::atomic<WarningHandler*> process_handler{nullptr};
std::atomic<bool> warn_always{false};
} // namespace

void warn(const Warning& warning) {
  WarningUtils::get_warning_handler()->process(warning);
}

namespace WarningUtils {
void set_warning_handler(WarningHandler* handler) noexcept {
  thread_handler = handler;
}
void set_process_warning_handler(WarningHandler* handler) noexcept {
  process_handler = handler;
}
WarningHandler* get_warning_handler() noexcept {
  static WarningHandler to_standard_error;
  if (thread_handler) {
    return thread_handler;
  }
  WarningHandler* of_process = process_handler;
  return of_process ? of_process : &to_standard_error;
}
void set_warnAlways(bool enabled) noexcept {
  warn_always = enabled;
}
bool get_warnAlways() noexcept {
  return warn_always;
}
} // namespace WarningUtils

std::string get_backtrace() {
  if (!wants_backtrace()) {
    return {};
  }
  Frames frames;
  _Unwind_Backtrace(&add_frame, &frames);
  std::string text;
  for (std::size_t i = 1; i < frames.count; ++i) { // without this function
    text += str("frame #", i - 1, ": ", describe_frame(frames.addresses[i]), "\n");
  }
  return text;
}

std::string GetExceptionString(const std::exception& e) {
  return str(demangle(typeid(e).name()), ": ", e.what());
}

} // namespace c10
