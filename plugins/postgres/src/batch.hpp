// A batch of writes as the parameters of run_v1, and its answers.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "stile/abi.h"
#include "stile/sdk/engine/receipt.hpp"
#include "wire.hpp"

namespace stile::postgres {

/// Bits of an operation's flags, as the functions know them.
inline constexpr std::uint32_t after_ok = 1;
inline constexpr std::uint32_t extra = 2;  ///< acquire: force. enqueue: revive. discard: cancel. ack: finished
inline constexpr std::uint32_t has_fence = 4;
inline constexpr std::uint32_t release_too = 8;
inline constexpr std::uint32_t has_enqueue = 16;
inline constexpr std::uint32_t is_instant = 32;

/// Columns of answer_v1.
namespace column {
enum Column { n, status, why, flag, a, b, c, d, stamp, val };
}

/// One operation, as a row of parameters. Views: of the request, of the receipt that was read.
struct Fields {
  std::uint32_t kind = 0;
  std::uint32_t flags = 0;
  bool of_row = true;  ///< of a workflow, not of a document
  bool makes = false;  ///< may make the workflow
  stile_id op{};
  std::string subject;
  const stile_bytes* key = nullptr;
  const stile_bytes* value = nullptr;
  std::uint64_t value_limit = UINT64_MAX;  ///< it is cut there
  const stile_fence* fence = nullptr;
  bool has_n1 = false, has_n2 = false, has_n3 = false;
  std::int64_t n1 = 0, n2 = 0, n3 = 0;
  const stile_bytes* queue = nullptr;
  bool has_receipt = false;
  stile_id receive{};
  std::uint64_t delivery = 0;
};

/// Reads a write that run_v1 does.
void read_fields(const stile_op& op, Fields& fields);

/// A version as people see it, as a number; -1 where it is none (K2).
std::int64_t version_of(const stile_bytes& text);

class Batch {
 public:
  /// chained: the operation before it is the last one that was added, and it has after_ok.
  void add(stile_op& op, Fields fields, bool chained);
  bool empty() const { return ops_.empty(); }
  std::size_t size() const { return ops_.size(); }
  std::size_t bytes() const { return bytes_; }
  const std::vector<stile_op*>& ops() const { return ops_; }
  void clear();

  Params params(std::int32_t ns) const;
  /// The same for one of the operations alone.
  Params params_of(std::int32_t ns, std::size_t i) const;

 private:
  Params build(std::int32_t ns, std::size_t first, std::size_t last) const;

  std::vector<stile_op*> ops_;
  std::vector<Fields> fields_;
  std::size_t bytes_ = 0;
};

/// Writes a row of the answer into its operation. Throws engine::Failure when its memory is out.
void answer(stile_op& op, const Row& row);

}  // namespace stile::postgres
