// The texts of the statements, embedded at build.
//
// SPDX-License-Identifier: Apache-2.0
#include "statements.hpp"

#include "stile_sqlite_sql.hpp"

namespace stile::sqlite {
namespace {

constexpr std::string_view texts[] = {
#define STILE_SQLITE_TEXT(name) stile_sqlite_sql::name,
    STILE_SQLITE_STATEMENTS(STILE_SQLITE_TEXT)
#undef STILE_SQLITE_TEXT
};

constexpr std::string_view names[] = {
#define STILE_SQLITE_NAME(name) #name,
    STILE_SQLITE_STATEMENTS(STILE_SQLITE_NAME)
#undef STILE_SQLITE_NAME
};

}  // namespace

std::string_view text_of(Sql which) { return texts[static_cast<std::size_t>(which)]; }
std::string_view name_of(Sql which) { return names[static_cast<std::size_t>(which)]; }

}  // namespace stile::sqlite
