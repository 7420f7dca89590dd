// The embedded SQL files, with the name of the schema written in.
//
// SPDX-License-Identifier: Apache-2.0
#include "texts.hpp"

#include "stile_postgres_functions.hpp"
#include "stile_postgres_migrations.hpp"
#include "stile_postgres_statements.hpp"

namespace stile::postgres {
namespace {

// In an order in which each finds the types that it names.
constexpr std::string_view functions[] = {
    stile_postgres_functions::small,       stile_postgres_functions::types,   stile_postgres_functions::lease,
    stile_postgres_functions::wakeups,     stile_postgres_functions::records, stile_postgres_functions::documents,
    stile_postgres_functions::epoch,       stile_postgres_functions::hints,   stile_postgres_functions::flush,
    stile_postgres_functions::same,        stile_postgres_functions::run,     stile_postgres_functions::receive,
    stile_postgres_functions::read,        stile_postgres_functions::trim,    stile_postgres_functions::effects,
    stile_postgres_functions::application,
};

}  // namespace

Texts::Texts(const std::string& schema) : schema_(schema) {
#define STILE_POSTGRES_TEXT(name) \
  statements_[static_cast<std::size_t>(Sql::name)] = {"stile_" #name, in_schema(stile_postgres_statements::name)};
  STILE_POSTGRES_STATEMENTS(STILE_POSTGRES_TEXT)
#undef STILE_POSTGRES_TEXT
}

std::string Texts::in_schema(std::string_view text) const {
  constexpr std::string_view mark = "stile.";
  std::string out;
  for (;;) {
    const std::size_t at = text.find(mark);
    out += text.substr(0, at);
    if (at == std::string_view::npos) return out;
    out += schema_ + ".";
    text.remove_prefix(at + mark.size());
  }
}

std::string Texts::create() const {
  std::string out = in_schema(stile_postgres_migrations::schema_1);
  for (const std::string_view text : functions) out += in_schema(text);
  return out;
}

}  // namespace stile::postgres
