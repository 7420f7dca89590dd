// The fixed part of a workflow's row in one blob.
//
// A column costs at each read and at each write, and SQL asks for five of these fields only. They have columns of their
// own; the others ride together, since binding and reading some forty took more time than all else of a small commit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "stile/sdk/engine/row.hpp"

namespace stile::sqlite {

namespace engine = sdk::engine;

/// What stands in stile_workflow.core: one word that says which words of the RowCore are not zero, then those, all in
/// the machine's byte order. Fields that have a column are zero here, so that there are no two truths.
class Packed {
 public:
  static constexpr std::size_t words = sizeof(engine::RowCore) / sizeof(std::uint64_t);

  explicit Packed(const engine::RowCore& core);
  std::string_view bytes() const { return {reinterpret_cast<const char*>(words_.data()), used_ * sizeof words_[0]}; }

 private:
  std::array<std::uint64_t, 1 + words> words_{};
  std::size_t used_ = 1;
};

/// Gives the core that was packed, the fields with a column zero; false when these bytes are none that Packed makes.
[[nodiscard]] bool unpack(std::string_view bytes, engine::RowCore& core);

}  // namespace stile::sqlite
