// Our statements and the migration's script, in the schema that a store was opened with.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "connection.hpp"

namespace stile::postgres {

// clang-format off
#define STILE_POSTGRES_STATEMENTS(X) \
  X(advance) X(begin_epoch) X(enter) X(first) X(get) X(leave) X(list) X(load) X(meta) X(receive) X(render) X(ring) \
  X(run) X(scan) X(stats) X(time) X(transact_begin) X(transact_end) X(trim) X(wait) X(watch)
// clang-format on

enum class Sql : std::size_t {
#define STILE_POSTGRES_NAME(name) name,
  STILE_POSTGRES_STATEMENTS(STILE_POSTGRES_NAME)
#undef STILE_POSTGRES_NAME
      count
};

class Texts {
 public:
  /// schema must be a plain lower-case name.
  explicit Texts(const std::string& schema);

  const Statement& operator[](Sql which) const { return statements_[static_cast<std::size_t>(which)]; }
  /// Creates everything of the newest schema.
  std::string create() const;
  const std::string& schema() const { return schema_; }

 private:
  std::string in_schema(std::string_view text) const;

  std::string schema_;
  std::array<Statement, static_cast<std::size_t>(Sql::count)> statements_;
};

}  // namespace stile::postgres
