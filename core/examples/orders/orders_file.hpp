// A file of orders: the good ones, and what is wrong with the rest.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "order.hpp"

namespace orders {

/// The file as a whole cannot be used: which one, and why.
class BadFile : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct BadRow {
  std::size_t line = 0;
  std::string why;
};
struct OrdersFile {
  std::vector<Order> orders;
  std::vector<BadRow> skipped;
};

/// Columns by the names in its first row, in any order: order_id, customer, item, quantity, unit_price; email, country
/// and note may be missing. Throws BadFile.
OrdersFile read_orders(std::string_view text);
OrdersFile read_orders_file(const std::string& path);

}  // namespace orders
