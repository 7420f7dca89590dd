// Effects: work inside the store's own transaction, committed together with its record (contract E).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "stile/types.hpp"

namespace stile {
inline namespace v1 {

/// A parameter of a statement, or a column of a row. Text is a string, bytes are a Blob.
struct Blob {
  Bytes bytes;
};
using Parameter = std::variant<std::monostate, std::int64_t, double, std::string, Blob>;

/// An open transaction, lent to a callback effect; dead when the callback returns. Nothing else of the store may be
/// used meanwhile.
class Transaction {
 public:
  struct Rows {
    std::vector<std::vector<Parameter>> rows;
    std::uint64_t affected = 0;
  };
  explicit Transaction(const stile_tx& tx) : tx_(&tx) {}

  /// Runs one statement; throws Error (effect_failed) with the server's text.
  Rows query(std::string_view text, const std::vector<Parameter>& params = {});
  /// The store's own handle of that type, or null; its README says which types there are.
  void* native(std::string_view type);

 private:
  const stile_tx* tx_;
};

/// Work inside the store's own transaction: data, or a function run on the calling thread (E1-E8). A function may run
/// again after a serialisation failure; what stays is one run's work. What it throws undoes it: effect_failed.
struct Statement {
  std::string_view language;  ///< "sql", "lua"
  std::string_view text;
  std::vector<Parameter> params{};
  std::vector<std::string_view> keys{};  ///< what a script declares (E4)
};
struct Callback {
  std::string_view language;  ///< "sql", "host"
  std::function<Bytes(Transaction&)> run;
};

}  // namespace v1
}  // namespace stile
