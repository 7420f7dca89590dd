// The list of statements: one name for each file under sql/, and its text.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace stile::sqlite {

#define STILE_SQLITE_STATEMENTS(X) \
  X(begin_read)                    \
  X(begin_write)                   \
  X(commit)                        \
  X(count_documents)               \
  X(count_wakeups)                 \
  X(count_workflows)               \
  X(data_version)                  \
  X(delete_document)               \
  X(delete_due)                    \
  X(delete_gone)                   \
  X(delete_gone_document)          \
  X(delete_row)                    \
  X(delete_run)                    \
  X(delete_said)                   \
  X(delete_trim)                   \
  X(delete_value)                  \
  X(documents_after)               \
  X(documents_from)                \
  X(erase_gone_keys)               \
  X(erase_gone_messages)           \
  X(erase_gone_records)            \
  X(erase_keys)                    \
  X(find)                          \
  X(find_document)                 \
  X(find_message)                  \
  X(find_meta)                     \
  X(find_namespace)                \
  X(first_due)                     \
  X(first_gone)                    \
  X(first_gone_document)           \
  X(first_put_off)                 \
  X(first_said)                    \
  X(first_trim)                    \
  X(floors)                        \
  X(in_flight)                     \
  X(insert_due)                    \
  X(insert_gone)                   \
  X(insert_gone_document)          \
  X(insert_key)                    \
  X(insert_message)                \
  X(insert_namespace)              \
  X(insert_row)                    \
  X(insert_run)                    \
  X(insert_trim)                   \
  X(lane_ids)                      \
  X(next_queue)                    \
  X(raise_floors)                  \
  X(rows_after)                    \
  X(rows_from)                     \
  X(run_at)                        \
  X(run_of_key)                    \
  X(runs_after)                    \
  X(save_document)                 \
  X(save_meta)                     \
  X(save_run)                      \
  X(save_value)                    \
  X(say)                           \
  X(set_clock)                     \
  X(stored_bytes)                  \
  X(update_row)

enum class Sql : unsigned {
#define STILE_SQLITE_ENUM(name) name,
  STILE_SQLITE_STATEMENTS(STILE_SQLITE_ENUM)
#undef STILE_SQLITE_ENUM
};

inline constexpr std::size_t sql_count = 0
#define STILE_SQLITE_COUNT(name) +1
    STILE_SQLITE_STATEMENTS(STILE_SQLITE_COUNT)
#undef STILE_SQLITE_COUNT
    ;

/// The text of a statement, its header included.
std::string_view text_of(Sql which);
/// The name of its file, without the ending.
std::string_view name_of(Sql which);

}  // namespace stile::sqlite
