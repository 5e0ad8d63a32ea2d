// Philox4x32-10 against the known answers of Random123, and positions in a thread's stream.

#include <ATen/core/PhiloxRNGEngine.h>

#include <gtest/gtest.h>

#include <vector>

namespace at {
namespace {

void expect_words(const PhiloxBlock& block, std::vector<uint32_t> words) {
  EXPECT_EQ(std::vector<uint32_t>(block.words, block.words + 4), words);
}

TEST(Philox, HasRandom123sKnownAnswers) {
  expect_words(
      philox4x32_10({{0, 0, 0, 0}}, {{0, 0}}), {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  expect_words(
      philox4x32_10({{~0U, ~0U, ~0U, ~0U}}, {{~0U, ~0U}}),
      {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  expect_words(
      philox4x32_10({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, {{0xa4093822, 0x299f31d0}}),
      {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST(Philox, StartsAnywhereInAStream) {
  Philox4_32 whole(42, 7);
  std::vector<uint32_t> words(40);
  for (uint32_t& word : words) {
    word = whole();
  }
  for (size_t offset : {0U, 1U, 4U, 7U, 30U}) {
    Philox4_32 part(42, 7, offset);
    for (size_t i = offset; i < words.size(); ++i) {
      ASSERT_EQ(part(), words[i]) << "offset " << offset << ", word " << i;
    }
  }
}

TEST(Philox, ThreadsHaveStreamsOfTheirOwn) {
  EXPECT_NE(Philox4_32(42, 0)(), Philox4_32(42, 1)());
  EXPECT_NE(Philox4_32(42, 0)(), Philox4_32(43, 0)());
}

} // namespace
} // namespace at
