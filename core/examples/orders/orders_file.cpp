// SPDX-License-Identifier: Apache-2.0
#include "orders_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>

#include "config/text.hpp"
#include "csv.hpp"

namespace orders {
namespace {

constexpr std::size_t most_bytes = 64 << 20;

/// Columns by name, as this file has them.
class Columns {
 public:
  explicit Columns(const Row& header) : count_(header.fields.size()) {
    for (std::size_t i = 0; i < count_; ++i) at_.emplace(header.fields[i], i);
    for (const char* name : {"order_id", "customer", "item", "quantity", "unit_price"})
      if (!at_.contains(name))
        throw BadFile("its first row names no column \"" + std::string(name) + "\": is this a file of orders?");
  }
  std::size_t count() const { return count_; }
  std::string of(const Row& row, const char* name) const {
    auto found = at_.find(name);
    return found == at_.end() ? std::string() : row.fields[found->second];
  }

 private:
  std::map<std::string, std::size_t, std::less<>> at_;
  std::size_t count_;
};

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "12", "12.5", "12.50".
std::optional<std::int64_t> cents_of(std::string_view text) {
  auto point = text.find('.');
  auto whole = whole_number(text.substr(0, point));
  if (!whole || *whole < 0 || *whole > 10'000'000) return std::nullopt;
  if (point == std::string_view::npos) return *whole * 100;
  auto rest = text.substr(point + 1);
  if (rest.empty() || rest.size() > 2 || rest[0] == '-' || rest[0] == '+') return std::nullopt;
  auto part = whole_number(rest);
  if (!part) return std::nullopt;
  return *whole * 100 + (rest.size() == 1 ? *part * 10 : *part);
}

/// Fills the order; says what is wrong with the row instead.
std::optional<std::string> read_row(const Row& row, const Columns& columns, Order& order) {
  if (!row.wrong.empty()) return row.wrong;
  if (row.fields.size() != columns.count())
    return std::to_string(row.fields.size()) + " fields, and the first row names " + std::to_string(columns.count());
  for (const auto& field : row.fields)
    if (!stile::detail::is_utf8(field)) return "text that is not UTF-8";
  order.id = columns.of(row, "order_id");
  order.customer = columns.of(row, "customer");
  order.email = columns.of(row, "email");
  order.item = columns.of(row, "item");
  order.country = columns.of(row, "country");
  order.note = columns.of(row, "note");
  if (order.id.empty()) return "no order_id";
  if (order.id.size() > 100) return "an order_id of more than 100 bytes";
  if (order.customer.empty()) return "no customer";
  if (order.item.empty()) return "no item";
  std::string quantity = columns.of(row, "quantity"), price = columns.of(row, "unit_price");
  auto count = whole_number(quantity);
  if (!count || *count < 1 || *count > 100'000) return "quantity \"" + quantity + "\" is no number from 1 to 100000";
  auto cents = cents_of(price);
  if (!cents) return "unit_price \"" + price + "\" is no amount such as 12.50";
  order.quantity = *count;
  order.unit_cents = *cents;
  return std::nullopt;
}

}  // namespace

OrdersFile read_orders(std::string_view text) {
  if (text.empty()) throw BadFile("it is empty");
  if (auto zero = text.find('\0'); zero != std::string_view::npos)
    throw BadFile("it is binary: byte " + std::to_string(zero + 1) + " is zero");
  auto rows = read_csv(text);
  if (rows.empty()) throw BadFile("it holds no row");
  if (!rows[0].wrong.empty()) throw BadFile("its first row: " + rows[0].wrong);
  Columns columns(rows[0]);
  OrdersFile file;
  std::map<std::string, std::size_t> seen;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    Order order;
    auto wrong = read_row(rows[i], columns, order);
    if (!wrong) {
      auto [first, fresh] = seen.emplace(order.id, rows[i].line);
      if (!fresh) wrong = "order_id \"" + order.id + "\" stands in line " + std::to_string(first->second) + " already";
    }
    if (wrong)
      file.skipped.push_back({rows[i].line, *wrong});
    else
      file.orders.push_back(std::move(order));
  }
  if (file.orders.empty())
    throw BadFile("it holds no order that can be read" +
                  (file.skipped.empty()
                       ? std::string()
                       : "; line " + std::to_string(file.skipped[0].line) + ": " + file.skipped[0].why));
  return file;
}

OrdersFile read_orders_file(const std::string& path) {
  const std::string shown = stile::config::hide_secrets(path);  // a config string may stand in its place
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (file < 0 || fstat(file, &status) != 0) {
    std::string why = std::strerror(errno);
    if (file >= 0) close(file);
    throw BadFile(shown + ": " + why);
  }
  std::string text, wrong;
  if (S_ISDIR(status.st_mode)) wrong = "it is a directory";
  char buffer[65536];
  for (ssize_t got; wrong.empty() && (got = read(file, buffer, sizeof buffer)) != 0;) {
    if (got < 0)
      wrong = std::strerror(errno);
    else
      text.append(buffer, static_cast<std::size_t>(got));
    if (text.size() > most_bytes) wrong = "it is larger than 64 MiB";
  }
  close(file);
  if (!wrong.empty()) throw BadFile(shown + ": " + wrong);
  try {
    return read_orders(text);
  } catch (const BadFile& e) {
    throw BadFile(shown + ": " + e.what());
  }
}

}  // namespace orders
