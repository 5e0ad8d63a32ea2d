// einsum: contracts pairs of operands as matrix products over (batch, rows, contracted, columns).

#include <ATen/core/Tensor.h>
#include <ATen/native/EinsumEquation.h>

#include <ATen/ops/bmm.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/einsum_native.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/reshape.h>
#include <ATen/ops/squeeze.h>
#include <ATen/ops/sum.h>
#include <c10/util/DimVector.h>

#include <algorithm>
#include <vector>

namespace at::native {
namespace {

struct Term {
  Tensor tensor;
  EinsumLabels labels;

  int64_t dim_of(EinsumLabel label) const {
    const auto at = std::find(labels.begin(), labels.end(), label);
    return at == labels.end() ? -1 : at - labels.begin();
  }
  bool has(EinsumLabel label) const { return dim_of(label) >= 0; }
  int64_t size_of(EinsumLabel label) const { return tensor.size(dim_of(label)); }
};

// A label on two dimensions of one operand selects their diagonal.
Term with_distinct_labels(const Tensor& tensor, const EinsumLabels& labels, size_t operand) {
  Term term{tensor, {}};
  for (size_t i = 0; i < labels.size(); ++i) {
    const int64_t first = term.dim_of(labels[i]);
    const auto here = static_cast<int64_t>(term.labels.size());
    if (first < 0) {
      term.labels.push_back(labels[i]);
      continue;
    }
    TORCH_CHECK(
        term.tensor.size(first) == term.tensor.size(here), "einsum(): subscript ",
        einsum_letter(labels[i]), " is repeated for operand ", operand,
        " but the sizes don't match, ", term.tensor.size(here), " != ", term.tensor.size(first));
    // The diagonal is now the last dimension; move it to the label's first position.
    const Tensor diagonal = at::diagonal(term.tensor, 0, first, here);
    c10::DimVector order;
    for (int64_t d = 0; d + 1 < diagonal.dim(); ++d) {
      order.push_back(d);
    }
    order.insert(order.begin() + first, diagonal.dim() - 1);
    term.tensor = at::permute(diagonal, order);
  }
  return term;
}

void check_sizes(const std::vector<Term>& terms) {
  std::vector<int64_t> sizes(static_cast<size_t>(kEllipsisLabels) + 64, 1);
  for (size_t t = 0; t < terms.size(); ++t) {
    for (const EinsumLabel label : terms[t].labels) {
      int64_t& seen = sizes[static_cast<size_t>(label)];
      const int64_t size = terms[t].size_of(label);
      TORCH_CHECK(
          seen == size || seen == 1 || size == 1, "einsum(): subscript ", einsum_letter(label),
          " has size ", size, " for operand ", t,
          " which does not broadcast with previously seen size ", seen);
      seen = seen == 1 ? size : seen;
    }
  }
}

Term sum_over(const Term& term, const EinsumLabels& labels) {
  if (labels.empty()) {
    return term;
  }
  c10::DimVector dims;
  Term result;
  for (const EinsumLabel label : term.labels) {
    if (std::find(labels.begin(), labels.end(), label) != labels.end()) {
      dims.push_back(term.dim_of(label));
    } else {
      result.labels.push_back(label);
    }
  }
  result.tensor = at::sum(term.tensor, dims, /*keepdim=*/false);
  return result;
}

// Drops a dimension of size one that the other side broadcasts.
void drop_broadcast(Term& term, const Term& other) {
  for (size_t i = term.labels.size(); i-- > 0;) {
    const EinsumLabel label = term.labels[i];
    if (other.has(label) && term.size_of(label) == 1 && other.size_of(label) != 1) {
      term.tensor = at::squeeze(term.tensor, static_cast<int64_t>(i));
      term.labels.erase(term.labels.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

using LabelGroup = EinsumLabels;

int64_t extent(const Term& term, const LabelGroup& group) {
  int64_t n = 1;
  for (const EinsumLabel label : group) {
    n *= term.size_of(label);
  }
  return n;
}

Tensor arranged(const Term& term, std::initializer_list<const LabelGroup*> groups) {
  c10::DimVector order;
  for (const LabelGroup* group : groups) {
    for (const EinsumLabel label : *group) {
      order.push_back(term.dim_of(label));
    }
  }
  return at::permute(term.tensor, order);
}

Tensor spread(const Tensor& tensor, int64_t at, size_t ones) {
  c10::DimVector shape(tensor.sizes().slice(0, static_cast<size_t>(at)));
  shape.resize(shape.size() + ones, 1);
  for (int64_t d = at; d < tensor.dim(); ++d) {
    shape.push_back(tensor.size(d));
  }
  return at::reshape(tensor, shape);
}

struct Roles {
  LabelGroup batch, contracted, left, right, left_sum, right_sum;
};

template <class Needed>
Roles assign_roles(const Term& a, const Term& b, const Needed& needed) {
  Roles roles;
  for (const EinsumLabel label : a.labels) {
    if (b.has(label)) {
      (needed(label) ? roles.batch : roles.contracted).push_back(label);
    } else {
      (needed(label) ? roles.left : roles.left_sum).push_back(label);
    }
  }
  for (const EinsumLabel label : b.labels) {
    if (!a.has(label)) {
      (needed(label) ? roles.right : roles.right_sum).push_back(label);
    }
  }
  return roles;
}

Tensor matrix_product(const Term& a, const Term& b, const Roles& r) {
  const int64_t batch = extent(a, r.batch), rows = extent(a, r.left), cols = extent(b, r.right);
  const int64_t inner = extent(a, r.contracted);
  const Tensor left = arranged(a, {&r.batch, &r.left, &r.contracted});
  const Tensor right = arranged(b, {&r.batch, &r.contracted, &r.right});
  if (r.batch.empty()) {
    return at::mm(at::reshape(left, {rows, inner}), at::reshape(right, {inner, cols}));
  }
  return at::bmm(at::reshape(left, {batch, rows, inner}), at::reshape(right, {batch, inner, cols}));
}

// The product of two terms, summed over the labels that neither the output nor a later term needs.
template <class Needed>
Term contract(Term a, Term b, const Needed& needed) {
  drop_broadcast(a, b);
  drop_broadcast(b, a);
  const Roles r = assign_roles(a, b, needed);
  a = sum_over(a, r.left_sum);
  b = sum_over(b, r.right_sum);
  Term result;
  c10::DimVector shape;
  for (const auto& [group, term] : {std::pair{&r.batch, &a}, {&r.left, &a}, {&r.right, &b}}) {
    for (const EinsumLabel label : *group) {
      result.labels.push_back(label);
      shape.push_back(term->size_of(label));
    }
  }
  if (r.contracted.empty()) {
    const auto at = static_cast<int64_t>(r.batch.size());
    result.tensor = at::mul(
        spread(arranged(a, {&r.batch, &r.left}), a.tensor.dim(), r.right.size()),
        spread(arranged(b, {&r.batch, &r.right}), at, r.left.size()));
  } else {
    result.tensor = at::reshape(matrix_product(a, b, r), shape);
  }
  return result;
}

// The next pair of terms to contract: from `path` if given, else the first two.
std::pair<size_t, size_t> next_pair(OptionalIntArrayRef path, size_t step, size_t count) {
  if (!path.has_value()) {
    return {0, 1};
  }
  const int64_t i = (*path)[2 * step], j = (*path)[2 * step + 1];
  const auto n = static_cast<int64_t>(count);
  TORCH_CHECK(
      i >= 0 && i < n && j >= 0 && j < n && i != j, "einsum(): operands (", i, ", ", j,
      ") of the path are not among ", n, " operands");
  return {static_cast<size_t>(std::min(i, j)), static_cast<size_t>(std::max(i, j))};
}

Tensor finish(const Term& term, const EinsumLabels& output) {
  EinsumLabels surplus;
  for (const EinsumLabel label : term.labels) {
    if (std::find(output.begin(), output.end(), label) == output.end()) {
      surplus.push_back(label);
    }
  }
  const Term kept = sum_over(term, surplus);
  return arranged(kept, {&output});
}

} // namespace

Tensor einsum(c10::string_view equation, TensorList operands, OptionalIntArrayRef path) {
  TORCH_CHECK(!operands.empty(), "einsum(): must provide at least one operand");
  std::vector<int64_t> ndims;
  for (const Tensor& operand : operands) {
    ndims.push_back(operand.dim());
  }
  const EinsumEquation parsed = parse_einsum(equation, ndims);
  TORCH_CHECK(
      !path.has_value() || path->size() == 2 * (operands.size() - 1),
      "einsum(): expected contraction path given in path parameter to have size ",
      2 * (operands.size() - 1), " but got ", path->size());
  std::vector<Term> terms;
  for (size_t i = 0; i < operands.size(); ++i) {
    terms.push_back(with_distinct_labels(operands[i], parsed.operands[i], i));
  }
  check_sizes(terms);
  for (size_t step = 0; terms.size() > 1; ++step) {
    const auto [i, j] = next_pair(path, step, terms.size());
    Term a = std::move(terms[i]), b = std::move(terms[j]);
    terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(j));
    terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(i));
    const auto needed = [&](EinsumLabel label) {
      const auto& out = parsed.output;
      return std::find(out.begin(), out.end(), label) != out.end() ||
          std::any_of(terms.begin(), terms.end(), [&](const Term& t) { return t.has(label); });
    };
    Term result = contract(std::move(a), std::move(b), needed);
    terms.insert(path.has_value() ? terms.end() : terms.begin(), std::move(result));
  }
  return finish(terms.front(), parsed.output);
}

} // namespace at::native
