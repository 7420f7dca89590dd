// Layers: each wraps a backend in another that does something more with every execute.
//
// `chaos` makes the faults of R1 and R5 happen, `trace` tells the log and the Observer, `history` writes calls and
// answers as JSON lines. They stack, and stand before the scheme of a config string: chaos+memory:?chaos.seed=7.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stile/abi.h"
#include "store/link.hpp"

namespace stile::store {

/// Options of one layer by name, without "chaos." before it; text as people write it.
using LayerOptions = std::map<std::string, std::string, std::less<>>;

/// The names of the layers there are, sorted.
std::span<const std::string_view> layer_names();

/// What a layer can be told, described as a plugin's options are; empty for an unknown layer.
std::span<const stile_option* const> layer_options(std::string_view name);

/// Wraps inner. Throws Error (invalid) for an unknown layer, an unknown option or a value out of range, naming it.
std::shared_ptr<Backend> apply_layer(std::string_view name, const LayerOptions& options,
                                     std::shared_ptr<Backend> inner);

/// What the chaos layers of a backend have done so far: {"lost_replies", 17} ..., outermost first. Empty without one. A
/// run with faults proves by them that the faults bit.
using LayerCounts = std::vector<std::pair<std::string, std::uint64_t>>;
LayerCounts layer_counts(const Backend& backend);

}  // namespace stile::store
