// Receipts as text: the nonce of a delivery and the workflow it belongs to (D2, B9).
//
// base64url without padding of: op_id of the receive (16), delivery number (8, little endian), workflow id. The one
// text that decodes to a receipt is the one that encodes it: anything else is no receipt, so at worst `stale`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "stile/sdk/engine/row.hpp"

namespace stile::sdk::engine {

struct Receipt {
  static constexpr std::size_t nonce_size = 24;
  static constexpr std::size_t max_id = 512;
  static constexpr std::size_t text_size(std::size_t id_size) { return ((nonce_size + id_size) * 4 + 2) / 3; }

  stile_id receive{};
  std::uint64_t delivery = 0;
  std::string_view workflow;

  bool names(const RowCore& row) const { return delivery == row.delivery && same(receive, row.receive); }
};
static_assert(Receipt::text_size(Receipt::max_id) <= 1024);

namespace receipt_detail {

inline constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

inline constexpr std::array<std::uint8_t, 256> values = [] {
  std::array<std::uint8_t, 256> table{};
  for (auto& value : table) value = 0xff;
  for (std::size_t i = 0; i < digits.size(); ++i)
    table[static_cast<std::uint8_t>(digits[i])] = static_cast<std::uint8_t>(i);
  return table;
}();

inline char* put(char* to, const std::uint8_t* from, std::size_t size) {
  for (; size >= 3; size -= 3, from += 3) {
    const std::uint32_t group = std::uint32_t{from[0]} << 16 | std::uint32_t{from[1]} << 8 | from[2];
    *to++ = digits[group >> 18];
    *to++ = digits[group >> 12 & 63];
    *to++ = digits[group >> 6 & 63];
    *to++ = digits[group & 63];
  }
  if (size == 0) return to;
  const std::uint32_t group = std::uint32_t{from[0]} << 16 | (size == 2 ? std::uint32_t{from[1]} << 8 : 0);
  *to++ = digits[group >> 18];
  *to++ = digits[group >> 12 & 63];
  if (size == 2) *to++ = digits[group >> 6 & 63];
  return to;
}

}  // namespace receipt_detail

/// Writes the receipt of the row's present delivery: text_size(row.id.size()) characters.
inline void write_receipt(const Row& row, char* to) {
  std::uint8_t nonce[Receipt::nonce_size];
  std::memcpy(nonce, row.receive.bytes, 16);
  for (int i = 0; i < 8; ++i) nonce[16 + i] = static_cast<std::uint8_t>(row.delivery >> (8 * i));
  to = receipt_detail::put(to, nonce, sizeof nonce);  // 24 is a multiple of 3: nothing is carried over
  receipt_detail::put(to, reinterpret_cast<const std::uint8_t*>(row.id.data()), row.id.size());
}

/// Reads receipts. Keeps the bytes that its receipt's workflow points to.
class ReceiptReader {
 public:
  /// False for any text that is no receipt.
  bool read(std::string_view text) {
    if (text.size() < Receipt::text_size(1) || text.size() > Receipt::text_size(Receipt::max_id)) return false;
    if (text.size() % 4 == 1) return false;
    const auto* from = reinterpret_cast<const std::uint8_t*>(text.data());
    std::uint8_t* to = bytes_;
    std::uint32_t bad = 0;
    std::size_t left = text.size();
    const auto next = [&] {
      const std::uint32_t value = receipt_detail::values[*from++];
      bad |= value;
      return value;
    };
    for (; left >= 4; left -= 4) {
      std::uint32_t group = next() << 18;
      group |= next() << 12;
      group |= next() << 6;
      group |= next();
      *to++ = static_cast<std::uint8_t>(group >> 16);
      *to++ = static_cast<std::uint8_t>(group >> 8);
      *to++ = static_cast<std::uint8_t>(group);
    }
    if (left != 0) {  // two or three digits for one or two bytes; the bits to spare are zero in the one right text
      std::uint32_t group = next() << 18;
      group |= next() << 12;
      if (left == 3) group |= next() << 6;
      *to++ = static_cast<std::uint8_t>(group >> 16);
      if (left == 3) *to++ = static_cast<std::uint8_t>(group >> 8);
      if ((group & (left == 3 ? 0xffu : 0xffffu)) != 0) return false;
    }
    if (bad > 63) return false;
    std::memcpy(receipt_.receive.bytes, bytes_, 16);
    receipt_.delivery = 0;
    for (int i = 0; i < 8; ++i) receipt_.delivery |= std::uint64_t{bytes_[16 + i]} << (8 * i);
    receipt_.workflow = {reinterpret_cast<const char*>(bytes_) + Receipt::nonce_size,
                         static_cast<std::size_t>(to - bytes_) - Receipt::nonce_size};
    return true;
  }

  const Receipt& receipt() const { return receipt_; }

 private:
  std::uint8_t bytes_[Receipt::nonce_size + Receipt::max_id + 3];
  Receipt receipt_;
};

}  // namespace stile::sdk::engine
