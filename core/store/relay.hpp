// What layers share: a backend around a backend, and calls inside a call.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "store/layers.hpp"
#include "store/link.hpp"

namespace stile::store {

/// Everything but connect is the inner backend's.
class Relay : public Backend {
 public:
  explicit Relay(std::shared_ptr<Backend> inner) : inner_(std::move(inner)) {}
  const PluginIdentity& plugin() const override { return inner_->plugin(); }
  const std::string& config() const override { return inner_->config(); }
  Backend& inner() const { return *inner_; }

 private:
  std::shared_ptr<Backend> inner_;
};

/// Serials for a link that makes several inner calls of one: an interrupt of the outer call reaches each of them, those
/// to come included.
class InnerCalls {
 public:
  explicit InnerCalls(std::unique_ptr<Link> inner) : inner_(std::move(inner)) {}

  Link& link() { return *inner_; }

  /// The call of an inner execute that is part of outer.
  stile_call begin(const stile_call& outer) {
    std::lock_guard lock(mutex_);
    outer_ = outer.serial;
    stile_call call = outer;
    call.serial = ++serial_;
    if (outer_ <= interrupted_) inner_->interrupt(serial_);
    return call;
  }
  void interrupt(std::uint64_t outer) {
    std::lock_guard lock(mutex_);
    interrupted_ = std::max(interrupted_, outer);
    if (outer_ <= outer && serial_ > 0) inner_->interrupt(serial_);
  }
  bool interrupted(const stile_call& outer) {
    std::lock_guard lock(mutex_);
    return outer.serial <= interrupted_;
  }

 private:
  std::unique_ptr<Link> inner_;
  std::mutex mutex_;
  std::uint64_t outer_ = 0, serial_ = 0, interrupted_ = 0;
};

// The layers there are; each checks what its options say, which have their defaults filled in.
std::shared_ptr<Backend> chaos_layer(const LayerOptions& options, std::shared_ptr<Backend> inner);
std::shared_ptr<Backend> trace_layer(std::shared_ptr<Backend> inner);
std::shared_ptr<Backend> history_layer(const LayerOptions& options, std::shared_ptr<Backend> inner);

}  // namespace stile::store
