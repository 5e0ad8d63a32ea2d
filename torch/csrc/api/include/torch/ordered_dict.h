#pragma once

#include <c10/util/Exception.h>

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace torch {

// A dictionary that keeps the order in which its entries were added.
template <typename Key, typename Value>
class OrderedDict {
 public:
  class Item {
   public:
    Item(Key key, Value value) : pair_(std::move(key), std::move(value)) {}
    const Key& key() const noexcept { return pair_.first; }
    Value& value() noexcept { return pair_.second; }
    const Value& value() const noexcept { return pair_.second; }
    Value& operator*() noexcept { return value(); }
    const Value& operator*() const noexcept { return value(); }
    Value* operator->() noexcept { return &value(); }
    const std::pair<Key, Value>& pair() const noexcept { return pair_; }

   private:
    std::pair<Key, Value> pair_;
  };

  explicit OrderedDict(std::string description = "Key") : description_(std::move(description)) {}

  Value& insert(Key key, Value value) {
    TORCH_CHECK(!contains(key), description_, " '", key, "' already defined");
    places_.emplace(key, items_.size());
    return items_.emplace_back(std::move(key), std::move(value)).value();
  }

  bool contains(const Key& key) const { return places_.contains(key); }
  Value* find(const Key& key) {
    const auto place = places_.find(key);
    return place == places_.end() ? nullptr : &items_[place->second].value();
  }
  const Value* find(const Key& key) const { return const_cast<OrderedDict*>(this)->find(key); }
  Value& operator[](const Key& key) {
    Value* found = find(key);
    TORCH_CHECK(found, description_, " '", key, "' is not defined");
    return *found;
  }
  const Value& operator[](const Key& key) const { return const_cast<OrderedDict&>(*this)[key]; }

  auto begin() noexcept { return items_.begin(); }
  auto begin() const noexcept { return items_.begin(); }
  auto end() noexcept { return items_.end(); }
  auto end() const noexcept { return items_.end(); }
  size_t size() const noexcept { return items_.size(); }
  bool is_empty() const noexcept { return items_.empty(); }

  std::vector<Key> keys() const {
    std::vector<Key> result;
    for (const Item& item : items_)
      result.push_back(item.key());
    return result;
  }
  std::vector<Value> values() const {
    std::vector<Value> result;
    for (const Item& item : items_)
      result.push_back(item.value());
    return result;
  }

 private:
  std::vector<Item> items_;
  std::unordered_map<Key, size_t> places_;
  std::string description_;
};

} // namespace torch
