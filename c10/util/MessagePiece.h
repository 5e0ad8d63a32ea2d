#pragma once

// Type-erased pieces of a message. An error site only stores pointers to its operands. All
// formatting happens in one out-of-line function, so a check costs its caller a few instructions
// off the hot path.

#include <c10/macros/Macros.h>

#include <cstddef>
#include <initializer_list>
#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>

namespace c10 {

class MessagePiece {
 public:
  MessagePiece(const char* text) : kind_(Kind::CString), pointer_(text ? text : "(null)") {}
  MessagePiece(const std::string& text) : kind_(Kind::View) { set_view(text.data(), text.size()); }
  MessagePiece(std::string_view text) : kind_(Kind::View) { set_view(text.data(), text.size()); }
  MessagePiece(bool value) : kind_(Kind::Bool) { integer_ = value; }
  MessagePiece(char value) : kind_(Kind::Char) { integer_ = static_cast<unsigned char>(value); }
  MessagePiece(signed char value) : MessagePiece(static_cast<long long>(value)) {}
  MessagePiece(unsigned char value) : MessagePiece(static_cast<long long>(value)) {}
  MessagePiece(short value) : MessagePiece(static_cast<long long>(value)) {}
  MessagePiece(unsigned short value) : MessagePiece(static_cast<long long>(value)) {}
  MessagePiece(int value) : MessagePiece(static_cast<long long>(value)) {}
  MessagePiece(unsigned int value) : MessagePiece(static_cast<long long>(value)) {}
  MessagePiece(long value) : MessagePiece(static_cast<long long>(value)) {}
  MessagePiece(unsigned long value) : MessagePiece(static_cast<unsigned long long>(value)) {}
  MessagePiece(long long value) : kind_(Kind::Signed) { integer_ = value; }
  MessagePiece(unsigned long long value) : kind_(Kind::Unsigned) {
    integer_ = static_cast<long long>(value);
  }
  MessagePiece(float value) : MessagePiece(static_cast<double>(value)) {}
  MessagePiece(double value) : kind_(Kind::Double) { real_ = value; }

  // Anything else with a stream operator. The operand outlives the piece: both live until the end
  // of the full expression that reports the message.
  template <
      typename T,
      typename = std::enable_if_t<
          !std::is_arithmetic_v<T> && !std::is_convertible_v<const T&, std::string_view> &&
          !std::is_same_v<T, MessagePiece>>>
  MessagePiece(const T& value) : kind_(Kind::Printer), pointer_(&value) {
    printer_ = [](std::ostream& out, const void* operand) {
      out << *static_cast<const T*>(operand);
    };
  }

  C10_API void append_to(std::string& out) const;

 private:
  enum class Kind : unsigned char { CString, View, Bool, Char, Signed, Unsigned, Double, Printer };

  void set_view(const char* data, size_t size) {
    pointer_ = data;
    size_ = size;
  }

  Kind kind_;
  const void* pointer_ = nullptr;
  union {
    size_t size_;
    long long integer_;
    double real_;
    void (*printer_)(std::ostream&, const void*);
  };
};

C10_API std::string format_message(std::initializer_list<MessagePiece> pieces);

// Concatenates the pieces as operator<< would print them.
template <typename... Args>
std::string str(const Args&... args) {
  return format_message({MessagePiece(args)...});
}
inline std::string str() {
  return {};
}

} // namespace c10
