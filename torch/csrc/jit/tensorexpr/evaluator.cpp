// The evaluator: one function for each kind of node.

#include <torch/csrc/jit/tensorexpr/codegen.h>

#include <c10/util/Exception.h>
#include <torch/csrc/jit/tensorexpr/external_functions.h>

#include <cmath>
#include <map>
#include <type_traits>

namespace torch::jit::tensorexpr {
namespace {

using Value = std::variant<bool, int, int64_t, float, double>;

template <class T>
T integer_quotient(BinaryOp op, T a, T b) {
  TORCH_CHECK_VALUE(b != 0, "integer division by zero");
  if (b == -1) { // the least integer divided by -1 wraps
    return op == BinaryOp::Mod ? T{0} : static_cast<T>(-static_cast<std::make_unsigned_t<T>>(a));
  }
  return op == BinaryOp::Mod ? a % b : a / b;
}

// Integers wrap.
template <class T>
T arithmetic(BinaryOp op, T a, T b) {
  using Wide = typename std::conditional_t<
      std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;
  switch (op) {
    case BinaryOp::Add:
      return static_cast<T>(static_cast<Wide>(a) + static_cast<Wide>(b));
    case BinaryOp::Sub:
      return static_cast<T>(static_cast<Wide>(a) - static_cast<Wide>(b));
    case BinaryOp::Mul:
      return static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b));
    case BinaryOp::Max:
      return a != a || a > b ? a : b;
    case BinaryOp::Min:
      return a != a || a < b ? a : b;
    default:
      if constexpr (std::is_integral_v<T>) {
        return integer_quotient(op, a, b);
      } else {
        return a / b;
      }
  }
}

template <class T>
Value apply(BinaryOp op, T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    return op == BinaryOp::And ? a && b : a || b;
  } else {
    return arithmetic(op, a, b);
  }
}

template <class T>
bool apply(CompareOp op, T a, T b) {
  switch (op) {
    case CompareOp::EQ:
      return a == b;
    case CompareOp::NE:
      return a != b;
    case CompareOp::LT:
      return a < b;
    default:
      return a <= b;
  }
}

template <class T>
Value apply(IntrinsicOp op, T value) {
  switch (op) {
#define TENSOREXPR_CASE(name, op) \
  case IntrinsicOp::op:           \
    return std::name(value);
    TENSOREXPR_INTRINSICS(TENSOREXPR_CASE)
#undef TENSOREXPR_CASE
  }
  return value;
}

// Calls `f` with a null value of the type.
template <class F>
auto with_type(Dtype dtype, const F& f) {
  switch (dtype) {
    case Dtype::Bool:
      return f(bool{});
    case Dtype::Int:
      return f(int{});
    case Dtype::Long:
      return f(int64_t{});
    case Dtype::Float:
      return f(float{});
    default:
      return f(double{});
  }
}

Value converted(const auto& value, Dtype dtype) {
  return with_type(dtype, [&]<class T>(T) -> Value { return static_cast<T>(value); });
}

class Machine {
 public:
  void bind(const BufPtr& buf, void* data) { memory_[buf->id] = data; }

  void execute(const StmtPtr& stmt) {
    std::visit(
        Overloaded{
            [&](const Block& it) {
              for (const auto& inner : it.stmts) {
                execute(inner);
              }
            },
            [&](const For& it) {
              for (int64_t i = it.start; i < it.stop; ++i) {
                vars_[it.var.id] = i;
                execute(it.body);
              }
            },
            [&](const Store& it) { store(it); },
            [&](const Cond& it) {
              if (std::get<bool>(evaluate(it.condition))) {
                execute(it.body);
              }
            },
            [&](const Allocate& it) { allocate(it.buf); }, [&](const Call& it) { call(it); }},
        stmt->node);
  }

 private:
  Value evaluate(const ExprPtr& expr) {
    return std::visit(
        Overloaded{
            [&](const Immediate& it) {
              return std::visit(
                  [&](auto value) { return converted(value, expr->dtype); }, it.value);
            },
            [&](const Var& it) -> Value { return vars_.at(it.id); },
            [&](const Binary& it) { return on_both(it.op, it.left, it.right); },
            [&](const Compare& it) { return on_both(it.op, it.left, it.right); },
            [&](const Cast& it) {
              return std::visit(
                  [&](auto value) { return converted(value, expr->dtype); }, evaluate(it.value));
            },
            [&](const Select& it) {
              return evaluate(std::get<bool>(evaluate(it.condition)) ? it.yes : it.no);
            },
            [&](const Intrinsic& it) { return call(it); },
            [&](const Load& it) {
              const int64_t offset = offset_of(*it.buf, it.indices);
              return with_type(it.buf->dtype, [&]<class T>(T) -> Value {
                return static_cast<const T*>(memory_.at(it.buf->id))[offset];
              });
            }},
        expr->node);
  }

  template <class Op>
  Value on_both(Op op, const ExprPtr& left, const ExprPtr& right) {
    const Value a = evaluate(left);
    if constexpr (std::is_same_v<Op, BinaryOp>) { // the right side may be decided by the left
      if ((op == BinaryOp::And || op == BinaryOp::Or) &&
          std::get<bool>(a) == (op == BinaryOp::Or)) {
        return a;
      }
    }
    const Value b = evaluate(right);
    return std::visit(
        [&]<class T>(T value) -> Value { return apply(op, value, std::get<T>(b)); }, a);
  }

  Value call(const Intrinsic& it) {
    const Value value = evaluate(it.value);
    if (const auto* const single = std::get_if<float>(&value)) {
      return apply(it.op, *single);
    }
    return apply(it.op, std::get<double>(value));
  }

  void call(const Call& it) {
    CallLayout layout = layout_of(it);
    std::vector<int64_t> arguments = it.arguments;
    std::vector<void*> data;
    data.reserve(layout.bufs.size());
    for (const auto& buf : layout.bufs) {
      data.push_back(memory_.at(buf->id));
    }
    registered_external_function(it.function)
        .function(
            static_cast<int64_t>(data.size()), data.data(), layout.ranks.data(), layout.dims.data(),
            layout.strides.data(), layout.dtypes.data(), static_cast<int64_t>(arguments.size()),
            arguments.data());
  }

  int64_t offset_of(const Buf& buf, const std::vector<ExprPtr>& indices) {
    int64_t offset = 0;
    for (size_t d = 0; d < indices.size(); ++d) {
      const auto index = std::get<int64_t>(evaluate(indices[d]));
      TORCH_CHECK_INDEX(
          index >= 0 && index < buf.sizes[d], "buffer ", buf.name, ": index ", index,
          " is out of range for dimension ", d, " of size ", buf.sizes[d]);
      offset = offset * buf.sizes[d] + index;
    }
    return offset;
  }

  void store(const Store& it) {
    const int64_t offset = offset_of(*it.buf, it.indices);
    const Value value = evaluate(it.value);
    std::visit(
        [&]<class T>(T element) { static_cast<T*>(memory_.at(it.buf->id))[offset] = element; },
        value);
  }

  void allocate(const BufPtr& buf) {
    size_t bytes = c10::elementSize(buf->dtype);
    for (const int64_t size : buf->sizes) {
      bytes *= static_cast<size_t>(size);
    }
    bind(buf, allocated_.emplace_back(std::make_unique<char[]>(bytes)).get());
  }

  std::map<int64_t, int64_t> vars_;
  std::map<int64_t, void*> memory_;
  std::vector<std::unique_ptr<char[]>> allocated_;
};

} // namespace

void SimpleIREvaluator::run(const std::vector<void*>& data) const {
  Machine machine;
  for (size_t n = 0; n < data.size(); ++n) {
    machine.bind(args()[n], data[n]);
  }
  machine.execute(stmt());
}

} // namespace torch::jit::tensorexpr
