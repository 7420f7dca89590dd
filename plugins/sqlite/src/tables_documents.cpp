// Documents, and the counts of the whole.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <utility>

#include "clock.hpp"
#include "tables.hpp"

namespace stile::sqlite {
namespace {

// Up to here stats counts exactly (S4).
constexpr std::int64_t exact_up_to = 10'000;

constexpr std::int64_t fresh_for = 50 * second_us;

static_assert(sizeof(engine::DocumentOp) == 32, "stile_document.ops holds them as they are");

}  // namespace

bool Tables::load_document(std::string_view key) {
  Query found(connection_, Sql::find_document, ns_, Blob(key));
  if (!found.next()) return false;
  document_.stored = true;
  document_.key = key;
  document_.version = static_cast<std::uint64_t>(found.integer(0));
  document_.expires_at = found.integer(1);
  document_.erased_at = found.integer(2);
  const std::string_view ops = found.bytes(3);
  document_.n_ops = static_cast<std::uint32_t>(std::min(ops.size() / sizeof(engine::DocumentOp), document_.memory));
  std::memcpy(document_.ops.data(), ops.data(), document_.n_ops * sizeof(engine::DocumentOp));
  document_.aside = found.integer(4);
  document_.value = found.bytes(5);
  document_.listed_at = document_.gone_at();
  return true;
}

engine::Document* Tables::find_document(std::string_view key) { return load_document(key) ? &document_ : nullptr; }

engine::Document& Tables::make_document(std::string_view key) {
  document_ = StoredDocument{};
  document_.key = key;
  return document_;
}

std::int64_t Tables::put_aside(std::int64_t place, std::string_view value) {
  if (place != 0) {
    connection_.run(Sql::save_value, place, Blob(value));
    return place;
  }
  connection_.run(Sql::save_value, Null{}, Blob(value));
  return sqlite3_last_insert_rowid(connection_.handle());
}

void Tables::save_document(engine::Document& document) {
  auto& stored = static_cast<StoredDocument&>(document);
  const Blob ops(stored.ops.data(), stored.n_ops * sizeof(engine::DocumentOp));
  const auto save = [&](std::string_view value, const auto& aside) {
    connection_.run(Sql::save_document, ns_, Blob(stored.key), stored.version, stored.expires_at, stored.erased_at, ops,
                    Blob(value), aside);
  };
  if (stored.value.size() > most_in_row) {
    stored.aside = put_aside(stored.aside, stored.value);
    save({}, stored.aside);
  } else {
    save(stored.value, Null{});
    if (const std::int64_t place = std::exchange(stored.aside, 0)) connection_.run(Sql::delete_value, place);
  }
  stored.stored = true;
  const std::int64_t gone_at = stored.gone_at();
  if (gone_at == stored.listed_at) return;
  if (stored.listed_at != 0) connection_.run(Sql::delete_gone_document, ns_, stored.listed_at, Blob(stored.key));
  if (gone_at != 0) connection_.run(Sql::insert_gone_document, ns_, gone_at, Blob(stored.key));
  stored.listed_at = gone_at;
}

void Tables::forget_document(engine::Document& document) {
  auto& stored = static_cast<StoredDocument&>(document);
  if (stored.listed_at != 0) connection_.run(Sql::delete_gone_document, ns_, stored.listed_at, Blob(stored.key));
  connection_.run(Sql::delete_document, ns_, Blob(stored.key));
  stored.listed_at = stored.aside = 0;
  stored.stored = false;
}

engine::Document* Tables::first_gone(std::int64_t until) {
  std::string key;
  {
    Query found(connection_, Sql::first_gone_document, ns_, until);
    if (!found.next()) return nullptr;
    key = found.bytes(0);
  }
  if (!load_document(key))
    throw StoreError(STILE_CORRUPT, connection_.path() + ": stile_gone_document names a document that is not there");
  return &document_;
}

void Tables::add_totals(std::string_view queue, std::int64_t now, engine::Totals& totals) {
  Query found(connection_, Sql::count_wakeups, now, ns_, Blob(queue));
  while (found.next()) {
    const auto lane = static_cast<Lane>(found.integer(0));
    const auto due = static_cast<std::uint64_t>(found.integer(1));
    const auto later = static_cast<std::uint64_t>(found.integer(2));
    if (lane == Lane::dead) {
      totals.dead += due + later;
      continue;
    }
    if (lane == Lane::waiting || lane == Lane::put_off) {
      totals.ready += due;
      totals.delayed += later;
      const std::int64_t oldest = found.integer(lane == Lane::put_off ? 4 : 3);
      if (due && (totals.oldest_ready == 0 || oldest < totals.oldest_ready)) totals.oldest_ready = oldest;
    } else {
      totals.in_flight += due + later;
    }
    const std::int64_t next = found.integer(5);
    if (later && (totals.next_due == 0 || next < totals.next_due)) totals.next_due = next;
  }
}

std::int64_t Tables::count_up_to(std::int64_t limit, Estimates::Counts& counts) {
  Query found(connection_, Sql::count_workflows, ns_, limit);
  if (!found.next()) return 0;
  counts.workflows = static_cast<std::uint64_t>(found.integer(1));
  counts.finished = static_cast<std::uint64_t>(found.integer(2));
  counts.records = static_cast<std::uint64_t>(found.integer(3));
  return found.integer(0);
}

void Tables::count_rows(engine::Totals& totals) {
  Estimates::Counts counts;
  if (count_up_to(exact_up_to + 1, counts) > exact_up_to) {
    totals.approximate |= STILE_APPROX_WORKFLOWS | STILE_APPROX_FINISHED | STILE_APPROX_RECORDS;
    if (const auto kept = estimates_.find(ns_, Estimates::Of::workflows, monotonic_now())) {
      counts = *kept;
    } else {
      count_up_to(INT64_MAX, counts);
      estimates_.keep(ns_, Estimates::Of::workflows, counts);
    }
  }
  totals.workflows = counts.workflows;
  totals.finished = counts.finished;
  totals.records = counts.records;
}

std::int64_t Tables::count_documents_up_to(std::int64_t limit, std::int64_t now, Estimates::Counts& counts) {
  Query found(connection_, Sql::count_documents, now, ns_, limit);
  if (!found.next()) return 0;
  counts.documents = static_cast<std::uint64_t>(found.integer(1));
  return found.integer(0);
}

void Tables::count_documents(std::int64_t now, engine::Totals& totals) {
  Estimates::Counts counts;
  if (count_documents_up_to(exact_up_to + 1, now, counts) > exact_up_to) {
    totals.approximate |= STILE_APPROX_DOCUMENTS;
    if (const auto kept = estimates_.find(ns_, Estimates::Of::documents, monotonic_now())) {
      counts = *kept;
    } else {
      count_documents_up_to(INT64_MAX, now, counts);
      estimates_.keep(ns_, Estimates::Of::documents, counts);
    }
  }
  totals.documents = counts.documents;
}

std::optional<Estimates::Counts> Estimates::find(std::int64_t ns, Of of, std::int64_t monotonic) {
  const std::lock_guard guard(mutex_);
  const auto found = counts_.find({ns, of});
  if (found == counts_.end() || monotonic - found->second.counted_at > fresh_for) return std::nullopt;
  return found->second;
}

void Estimates::keep(std::int64_t ns, Of of, const Counts& counts) {
  const std::lock_guard guard(mutex_);
  counts_[{ns, of}] = counts;
  counts_[{ns, of}].counted_at = monotonic_now();
}

engine::Totals Tables::totals(std::int64_t now, const std::string_view* queue) {
  engine::Totals totals;
  if (queue) {
    add_totals(*queue, now, totals);
  } else {
    for (const std::string& name : queues_with_wakeups()) add_totals(name, now, totals);
  }
  count_rows(totals);
  count_documents(now, totals);
  Query found(connection_, Sql::stored_bytes);
  if (found.next()) totals.stored_bytes = static_cast<std::uint64_t>(found.integer(0));
  return totals;
}

}  // namespace stile::sqlite
