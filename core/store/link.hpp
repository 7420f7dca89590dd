// The verb inside the core: something that executes batches. A plugin's session is one, a layer around one is another.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "stile/abi.h"
#include "stile/types.hpp"

namespace stile::store {

/// What execute says about its link: keep it, or drop it and connect another.
enum class Fate { keep, drop };

/// It is done only if the one before it in its call was ok.
inline bool chained(const stile_op& op) { return (op.must & STILE_MUST_AFTER_OK) != 0; }

/// A session, or a layer around one. One caller at a time, but interrupt may be called by anybody at any time. The
/// destructor disconnects.
class Link {
 public:
  virtual ~Link() = default;

  /// Runs a batch (R3) and sets the status of every operation; never throws. The operations, their arenas and requests
  /// stay the caller's and must live until it returns. call.serial must rise with every execute.
  virtual Fate execute(const stile_call& call, std::span<stile_op* const> ops) noexcept = 0;

  /// Makes every call up to serial, running or yet to come, return soon (W6). Any thread.
  virtual void interrupt(std::uint64_t serial) noexcept = 0;
};

/// What a plugin says of itself before any store is opened.
struct PluginIdentity {
  std::string name, version, license, help, path, build_id;
  std::uint32_t abi = 0;
  std::vector<std::string> schemes, capabilities;
};

/// An opened store, seen through its layers. Thread-safe. Outlives its links; the last owner closes it.
class Backend {
 public:
  virtual ~Backend() = default;

  /// Connects a new link; throws Error (unavailable, denied, store_lost, ...).
  virtual std::unique_ptr<Link> connect(Deadline deadline) = 0;

  virtual const PluginIdentity& plugin() const = 0;

  /// The config string it was opened with, secrets redacted.
  virtual const std::string& config() const = 0;
};

/// Composes what a store does not couple: supply and append with enqueue (W9), receive with acquire and load, watch.
/// Part of every backend that open_backend makes.
std::shared_ptr<Backend> with_composition(std::shared_ptr<Backend> inner);

}  // namespace stile::store
