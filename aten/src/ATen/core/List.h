#pragma once

#include <c10/util/intrusive_ptr.h>

#include <initializer_list>
#include <utility>
#include <vector>

namespace c10 {

// A counted handle to a growable list: copies share the elements, as in Python.
template <typename T>
class List final {
  struct Elements final : intrusive_ptr_target {
    std::vector<T> values;
  };

 public:
  using value_type = T;
  using size_type = size_t;
  using iterator = typename std::vector<T>::iterator;

  List() : elements_(make_intrusive<Elements>()) {}
  List(std::initializer_list<T> values) : List() { elements_->values = values; }
  explicit List(std::vector<T> values) : List() { elements_->values = std::move(values); }

  size_t size() const { return elements_->values.size(); }
  bool empty() const { return elements_->values.empty(); }
  T get(size_t position) const { return elements_->values.at(position); }
  void set(size_t position, T value) const { elements_->values.at(position) = std::move(value); }
  T& operator[](size_t position) const { return elements_->values[position]; }
  void push_back(T value) const { elements_->values.push_back(std::move(value)); }
  template <typename... Args>
  void emplace_back(Args&&... args) const {
    elements_->values.emplace_back(std::forward<Args>(args)...);
  }
  void reserve(size_t count) const { elements_->values.reserve(count); }
  void resize(size_t count) const { elements_->values.resize(count); }
  void clear() const { elements_->values.clear(); }
  List copy() const { return List(elements_->values); }
  const std::vector<T>& vec() const { return elements_->values; }
  iterator begin() const { return elements_->values.begin(); }
  iterator end() const { return elements_->values.end(); }
  bool is(const List& other) const { return elements_.get() == other.elements_.get(); }

 private:
  intrusive_ptr<Elements> elements_;
};

} // namespace c10

namespace torch {
using c10::List;
}
