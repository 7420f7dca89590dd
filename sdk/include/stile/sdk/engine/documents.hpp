// get, put, erase, scan (contract K).
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "stile/sdk/engine/context.hpp"
#include "stile/sdk/engine/paging.hpp"

namespace stile::sdk::engine {

namespace documents_detail {

inline const DocumentOp* remembered(const Document& document, const stile_op& op) {
  if (none(op.op_id)) return nullptr;
  const auto end = document.ops.begin() + document.n_ops;
  const auto found =
      std::find_if(document.ops.begin(), end, [&](const DocumentOp& was) { return same(was.op, op.op_id); });
  return found == end ? nullptr : &*found;
}

inline void remember(Document& document, const stile_op& op, std::uint64_t version, bool removed) {
  if (document.n_ops == Document::memory) {
    std::move(document.ops.begin() + 1, document.ops.end(), document.ops.begin());
    --document.n_ops;
  }
  document.ops[document.n_ops++] = {op.op_id, version, op.kind, removed ? 1u : 0u};
}

inline stile_bytes copy_version(stile_op& op, std::uint64_t version) { return copy(op, VersionText(version).view()); }

/// Refuses with what is there; nothing, where nothing is (K1, K2).
template <class Result>
void conflict(stile_op& op, const Document* there) {
  if (there != nullptr) {
    auto& out = result_of<Result>(op);
    out.version = copy_version(op, there->version);
    out.value = copy(op, there->value);
  }
  refuse(op, STILE_CONFLICT,
         there != nullptr ? "the document's condition failed: the answer carries what is there"
                          : "the document's condition failed: there is no such document");
}

inline bool is_version(const Document& document, const stile_bytes& version) {
  return VersionText(document.version).view() == view(version);
}

}  // namespace documents_detail

template <DocumentTables T>
void get(T& tables, const Context& context, stile_op& op) {
  const auto& asked = request_of<stile_get_request>(op);
  const Document* document = tables.find_document(view(asked.key));
  if (document == nullptr || !document->live(context.now))
    return refuse(op, STILE_NOT_FOUND, "there is no document with this key");
  auto& out = result_of<stile_get_result>(op);
  out.value = copy(op, document->value);
  out.version = documents_detail::copy_version(op, document->version);
  out.expires_at = document->expires_at;
  accept(op);
}

template <DocumentTables T>
void put(T& tables, const Context& context, stile_op& op) {
  using namespace documents_detail;
  const auto& asked = request_of<stile_put_request>(op);
  auto& out = result_of<stile_put_result>(op);
  Document* found = tables.find_document(view(asked.key));
  if (const DocumentOp* was = found != nullptr ? remembered(*found, op) : nullptr) {  // K3
    if (was->kind != STILE_OP_PUT) return refuse_reused(op);
    out.version = copy_version(op, was->version);
    return accept(op);
  }
  const Document* there = found != nullptr && found->live(context.now) ? found : nullptr;
  if (asked.condition == STILE_IF_ABSENT && there != nullptr) return conflict<stile_put_result>(op, there);
  if (asked.condition == STILE_IF_VERSION && (there == nullptr || !is_version(*there, asked.version)))
    return conflict<stile_put_result>(op, there);
  Document& document = found != nullptr ? *found : tables.make_document(view(asked.key));
  const std::uint64_t version = (document.version != 0 ? document.version : tables.document_floor()) + 1;
  out.version = copy_version(op, version);
  if (asked.ttl != STILE_TTL_KEEP) {
    document.expires_at = asked.ttl == STILE_TTL_NONE ? 0 : later(context.now, asked.ttl);
  } else if (there == nullptr) {
    document.expires_at = 0;  // K5: there is no expiry to keep
  }
  document.version = version;
  document.value = view(asked.value);
  document.erased_at = 0;
  remember(document, op, version, false);
  tables.save_document(document);
  accept(op);
}

template <DocumentTables T>
void erase(T& tables, const Context& context, stile_op& op) {
  using namespace documents_detail;
  const auto& asked = request_of<stile_erase_request>(op);
  auto& out = result_of<stile_erase_result>(op);
  Document* found = tables.find_document(view(asked.key));
  if (const DocumentOp* was = found != nullptr ? remembered(*found, op) : nullptr) {
    if (was->kind != STILE_OP_ERASE) return refuse_reused(op);
    out.removed = was->removed;
    return accept(op);
  }
  const Document* there = found != nullptr && found->live(context.now) ? found : nullptr;
  if (asked.condition == STILE_IF_VERSION && (there == nullptr || !is_version(*there, asked.version)))
    return conflict<stile_erase_result>(op, there);
  out.removed = there != nullptr ? 1 : 0;
  // An erase that met nothing is remembered too: its late second send must not take away what was put since (K3).
  if (there == nullptr && none(op.op_id)) return accept(op);
  Document& document = found != nullptr ? *found : tables.make_document(view(asked.key));
  document.value.clear();
  document.expires_at = 0;
  document.erased_at = context.now;
  remember(document, op, 0, there != nullptr);
  tables.save_document(document);
  accept(op);
}

/// Needs only each_document of the tables, so that a store with partitions can show it all of them as one.
template <class T>
void scan(T& tables, const Context& context, stile_op& op) {
  const auto& asked = request_of<stile_scan_request>(op);
  Paging<stile_document, stile_scan_result> page(op, asked.limit, context, result_of<stile_scan_result>(op).documents);
  tables.each_document(view(asked.prefix), view(asked.after), [&](const Document& document) {
    if (!document.live(context.now)) return page.skip(document.key);
    if (page.full()) return false;
    const VersionText version(document.version);
    Carver carver(op, sizeof(stile_document) + document.key.size() + version.view().size());
    auto* made = carver.element<stile_document>();
    made->key = carver.copy(document.key);
    made->version = carver.copy(version.view());
    made->expires_at = document.expires_at;
    return page.give(made, made->key);
  });
  page.end();
}

}  // namespace stile::sdk::engine
