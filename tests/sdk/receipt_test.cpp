// Receipts as text: one text for one receipt, and none but those (D2, B9).
//
// SPDX-License-Identifier: Apache-2.0
#include "stile/sdk/engine/receipt.hpp"

#include <random>

#include "host.hpp"

namespace stile::test {
namespace {

using sdk::engine::Receipt;
using sdk::engine::ReceiptReader;
using sdk::engine::Row;

std::string written(const Row& row) {
  std::string out(Receipt::text_size(row.id.size()), '?');
  sdk::engine::write_receipt(row, out.data());
  return out;
}

TEST(Receipts, come_back_as_they_were_for_every_length_of_id) {
  std::mt19937 random(1);
  for (std::size_t size = 1; size <= Receipt::max_id; ++size) {
    Row row;
    row.receive = fresh_id();
    row.delivery = random();
    for (std::size_t i = 0; i < size; ++i) row.id += static_cast<char>(random());
    const std::string text = written(row);
    EXPECT_LE(text.size(), 1024u);
    for (const char c : text) EXPECT_TRUE(c > ' ' && c < 127 && c != '"' && c != '\'');
    ReceiptReader reader;
    ASSERT_TRUE(reader.read(text)) << size;
    EXPECT_EQ(reader.receipt().workflow, row.id);
    EXPECT_TRUE(reader.receipt().names(row));
  }
}

TEST(Receipts, another_text_never_reads_as_the_same_receipt) {
  Row row;
  row.id = "ab";  // 26 bytes: the last digit has bits to spare
  row.receive = fresh_id();
  row.delivery = 3;
  const std::string text = written(row);
  ReceiptReader reader;
  for (int c = 0; c < 256; ++c) {
    auto other = text;
    other.back() = static_cast<char>(c);
    if (other == text || !reader.read(other)) continue;
    EXPECT_TRUE(!reader.receipt().names(row) || reader.receipt().workflow != row.id) << c;
  }
  for (const std::string& wrong : {text + "=", text + "A", text + " ", "A" + text, std::string(33, 'A'), std::string()})
    EXPECT_FALSE(reader.read(wrong) && reader.receipt().workflow == row.id && reader.receipt().names(row)) << wrong;
}

}  // namespace
}  // namespace stile::test
