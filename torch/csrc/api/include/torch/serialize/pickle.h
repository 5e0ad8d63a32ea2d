#pragma once

#include <torch/serialize/value.h>
#include <torch/serialize/zip.h>

#include <map>

// Values as Python's pickles, in the archives of Python's torch.save: Python reads what C++ writes
// with torch.load(path), and C++ reads dictionaries of tensors that Python wrote.
namespace torch::serialize {

namespace detail {

struct StorageType {
  Dtype dtype;
  const char* name;
};
inline constexpr StorageType kStorageTypes[] = {
    {kFloat, "FloatStorage"},       {kDouble, "DoubleStorage"}, {kHalf, "HalfStorage"},
    {kBFloat16, "BFloat16Storage"}, {kLong, "LongStorage"},     {kInt, "IntStorage"},
    {kShort, "ShortStorage"},       {kChar, "CharStorage"},     {kByte, "ByteStorage"},
    {kBool, "BoolStorage"}};

} // namespace detail

class Pickler {
 public:
  explicit Pickler(ZipWriter& archive) : archive_(archive) {}

  std::string pickled(const Value& value) {
    out_ = "\x80\x02"; // protocol 2
    write(value);
    return out_ + ".";
  }

 private:
  void write(const Value& value) {
    switch (value.kind) {
      case Value::Kind::integer:
        return write_integer(value.integer);
      case Value::Kind::text:
        return write_text(value.text);
      case Value::Kind::tensor:
        return write_tensor(value.tensor);
      case Value::Kind::sequence:
        out_ += "](";
        for (const Value& item : value.items)
          write(item);
        out_ += 'e';
        return;
      case Value::Kind::dictionary:
        write_ordered_dict();
        out_ += '(';
        for (const Value& item : value.items)
          write(item);
        out_ += 'u';
        return;
      default:
        out_ += 'N';
    }
  }
  void write_integer(int64_t value) {
    out_ += "\x8a\x08"; // 8 bytes
    detail::put(out_, static_cast<uint64_t>(value), 8);
  }
  void write_text(const std::string& text) {
    out_ += 'X';
    detail::put(out_, text.size(), 4);
    out_ += text;
  }
  void write_ordered_dict() { out_ += "ccollections\nOrderedDict\n)R"; }
  void write_tuple(IntArrayRef values) {
    out_ += '(';
    for (const int64_t value : values)
      write_integer(value);
    out_ += 't';
  }

  void write_tensor(const Tensor& tensor) {
    const Tensor flat = tensor.detach().to(Device(kCPU)).contiguous().resolve_conj().resolve_neg();
    const char* type = nullptr;
    for (const auto& row : detail::kStorageTypes) {
      if (row.dtype == flat.scalar_type()) type = row.name;
    }
    TORCH_CHECK(type, "tensors of ", flat.scalar_type(), " cannot be saved");
    const std::string key = std::to_string(count_++);
    archive_.add(
        "archive/data/" + key, static_cast<const char*>(flat.const_data_ptr()), flat.nbytes());
    out_ += "ctorch._utils\n_rebuild_tensor_v2\n((";
    write_text("storage");
    out_ += std::string("ctorch\n") + type + "\n";
    write_text(key);
    write_text("cpu");
    write_integer(flat.numel());
    out_ += "tQ"; // a persistent id
    write_integer(0);
    write_tuple(flat.sizes());
    write_tuple(flat.strides());
    out_ += '\x89';       // requires_grad=False
    write_ordered_dict(); // no hooks
    out_ += "tR";
  }

  ZipWriter& archive_;
  std::string out_;
  int64_t count_ = 0;
};

// Reads the part of the pickle language that dictionaries, lists, numbers, texts and tensors use.
// It calls no function that an archive names, except those that rebuild a tensor or make an
// OrderedDict.
class Unpickler {
 public:
  Unpickler(const ZipReader& archive, const std::string& pickle)
      : archive_(archive), pickle_(pickle) {}

  Value read() {
    for (;;) {
      const auto code = static_cast<uint8_t>(number(1));
      if (code == '.') return pop();
      step(code);
    }
  }

 private:
  using Kind = Value::Kind;

  void step(uint8_t code) {
    switch (code) {
      case 0x80: // PROTO
        number(1);
        break;
      case 'N':
        push({});
        break;
      case 0x88: // True
      case 0x89: // False
        push(int64_t(code == 0x88));
        break;
      case 'K':
        push(static_cast<int64_t>(number(1)));
        break;
      case 'M':
        push(static_cast<int64_t>(number(2)));
        break;
      case 'J':
        push(static_cast<int64_t>(static_cast<int32_t>(number(4))));
        break;
      case 0x8a: // LONG1
        push(long_integer());
        break;
      case 'G':
        push(real());
        break;
      case 'X':
        push(bytes(number(4)));
        break;
      case 'c':
        push(global());
        break;
      case ')':
      case ']':
        push(Value::of(Kind::sequence));
        break;
      case '}':
        push(Value::of(Kind::dictionary));
        break;
      case '(':
        marks_.push_back(stack_.size());
        break;
      case 't':
        push(sequence_of(marked()));
        break;
      case 0x85: // tuples of 1, 2 and 3
      case 0x86:
      case 0x87:
        push(sequence_of(last(code - 0x84u)));
        break;
      case 'e':
      case 'u':
        append(marked());
        break;
      case 'a':
        append(last(1));
        break;
      case 's':
        append(last(2));
        break;
      case 'q':
        memo_[number(1)] = top();
        break;
      case 'r':
        memo_[number(4)] = top();
        break;
      case 'h':
        push(memo_.at(number(1)));
        break;
      case 'j':
        push(memo_.at(number(4)));
        break;
      case 'Q':
        break; // the tuple itself stands for the storage
      case 'R':
        call();
        break;
      case 'b': // the state of an OrderedDict: attributes that C++ has no use for
        pop();
        break;
      default:
        TORCH_CHECK(false, "the pickle has an operation that is not read: ", int(code));
    }
  }

  uint64_t number(int size) {
    const uint64_t value = detail::get(pickle_, at_, size);
    at_ += static_cast<size_t>(size);
    return value;
  }
  std::string bytes(uint64_t size) {
    TORCH_CHECK(size <= pickle_.size() - at_, "the pickle ends too early");
    at_ += size;
    return pickle_.substr(at_ - size, size);
  }
  int64_t long_integer() {
    const auto size = static_cast<int>(number(1));
    TORCH_CHECK(size <= 8, "an integer of the pickle is too large");
    if (size == 0) return 0;
    const int unused = 64 - 8 * size;
    return static_cast<int64_t>(number(size) << unused) >> unused; // keeps the sign
  }
  Value real() {
    uint64_t bits = 0; // big-endian
    for (int i = 0; i < 8; ++i)
      bits = bits << 8 | number(1);
    Value value = Value::of(Kind::real);
    std::memcpy(&value.real, &bits, sizeof bits);
    return value;
  }
  Value global() {
    const auto line = [&] {
      const size_t end = pickle_.find('\n', at_);
      TORCH_CHECK(end != std::string::npos, "the pickle ends too early");
      const std::string text = bytes(end - at_);
      ++at_;
      return text;
    };
    Value value = Value::of(Kind::other);
    value.text = line();
    value.text += "." + line();
    return value;
  }

  void push(Value value) { stack_.push_back(std::move(value)); }
  Value& top() {
    TORCH_CHECK(!stack_.empty(), "the pickle takes a value that is not there");
    return stack_.back();
  }
  Value pop() {
    Value value = std::move(top());
    stack_.pop_back();
    return value;
  }
  std::vector<Value> last(size_t count) {
    TORCH_CHECK(count <= stack_.size(), "the pickle takes a value that is not there");
    const auto first = stack_.end() - static_cast<ptrdiff_t>(count);
    std::vector<Value> values(
        std::make_move_iterator(first), std::make_move_iterator(stack_.end()));
    stack_.erase(first, stack_.end());
    return values;
  }
  std::vector<Value> marked() {
    TORCH_CHECK(
        !marks_.empty() && marks_.back() <= stack_.size(),
        "the pickle takes a mark that is not there");
    const size_t mark = marks_.back();
    marks_.pop_back();
    return last(stack_.size() - mark);
  }
  static Value sequence_of(std::vector<Value> items) {
    Value value = Value::of(Kind::sequence);
    value.items = std::move(items);
    return value;
  }
  void append(std::vector<Value> items) {
    auto& to = top().items;
    to.insert(
        to.end(), std::make_move_iterator(items.begin()), std::make_move_iterator(items.end()));
  }

  void call() {
    const Value arguments = pop().expect(Kind::sequence, "arguments");
    const Value function = pop().expect(Kind::other, "a function");
    if (function.text == "collections.OrderedDict") {
      push(Value::of(Kind::dictionary));
    } else if (function.text == "torch._utils._rebuild_tensor_v2") {
      push(rebuilt(arguments));
    } else if (function.text == "torch._utils._rebuild_parameter") {
      TORCH_CHECK(!arguments.items.empty(), "a parameter of the pickle has no tensor");
      push(arguments.items[0]);
    } else {
      TORCH_CHECK(false, "the archive calls ", function.text, ", which is not read");
    }
  }

  // _rebuild_tensor_v2((storage, type, key, location, numel), offset, sizes, strides, ...)
  Tensor rebuilt(const Value& arguments) const {
    TORCH_CHECK(arguments.items.size() >= 4, "a tensor of the pickle is not complete");
    const Value& storage = arguments.items[0].expect(Kind::sequence, "a storage");
    TORCH_CHECK(storage.items.size() == 5, "a storage of the pickle is not complete");
    const std::string& data = archive_["data/" + storage.items[2].expect(Kind::text, "a key").text];
    const Dtype dtype = storage_dtype(storage.items[1].text);
    const auto width = static_cast<int64_t>(c10::elementSize(dtype));
    Tensor elements = torch::empty({static_cast<int64_t>(data.size()) / width}, dtype);
    std::memcpy(elements.data_ptr(), data.data(), elements.nbytes());
    const int64_t offset = arguments.items[1].expect(Kind::integer, "an offset").integer;
    // as_strided checks that the elements are inside of the storage.
    Tensor tensor =
        elements.as_strided(integers(arguments.items[2]), integers(arguments.items[3]), offset);
    return arguments.items.size() > 6 ? pending(std::move(tensor), arguments.items[6]) : tensor;
  }
  // The seventh argument says whether the elements are conjugated or negated when they are read.
  static Tensor pending(Tensor tensor, const Value& metadata) {
    const auto& items = metadata.expect(Kind::dictionary, "metadata").items;
    for (size_t i = 0; i + 1 < items.size(); i += 2) {
      const std::string& name = items[i].expect(Kind::text, "a name").text;
      TORCH_CHECK(
          name == "conj" || name == "neg", "a tensor of the pickle has the metadata ", name,
          ", which is not read");
      if (items[i + 1].expect(Kind::integer, "whether it is pending").integer != 0) {
        tensor = name == "conj" ? tensor.conj() : tensor._neg_view();
      }
    }
    return tensor;
  }
  static Dtype storage_dtype(const std::string& name) {
    for (const auto& row : detail::kStorageTypes) {
      if (name == std::string("torch.") + row.name) return row.dtype;
    }
    TORCH_CHECK(false, "the archive has a storage of type ", name, ", which is not read");
  }
  static std::vector<int64_t> integers(const Value& value) {
    std::vector<int64_t> result;
    for (const Value& item : value.expect(Kind::sequence, "sizes").items)
      result.push_back(item.expect(Kind::integer, "a size").integer);
    return result;
  }

  const ZipReader& archive_;
  const std::string& pickle_;
  size_t at_ = 0;
  std::vector<Value> stack_;
  std::vector<size_t> marks_;
  std::map<uint64_t, Value> memo_;
};

inline void write_archive(const Value& value, const std::string& path) {
  ZipWriter archive;
  const std::string pickle = Pickler(archive).pickled(value);
  archive.add("archive/data.pkl", pickle);
  archive.add("archive/byteorder", "little");
  archive.add("archive/version", "3\n");
  archive.write(path);
}

inline Value read_archive(const std::string& path) {
  const ZipReader archive(path);
  return Unpickler(archive, archive["data.pkl"]).read();
}

} // namespace torch::serialize
