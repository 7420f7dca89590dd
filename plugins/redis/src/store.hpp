// One namespace on one server, as a config string opened it.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "hub.hpp"
#include "layout.hpp"
#include "limits.hpp"
#include "met.hpp"
#include "scripts.hpp"
#include "server.hpp"
#include "stile/sdk/entropy.hpp"
#include "stile/sdk/plugin.hpp"

namespace stile::redis {

struct Settings {
  Address address;
  std::string ns;
  std::uint32_t partitions = 1;
  std::int64_t replicas = 0;  ///< that must have received a write
  std::string clock;          ///< manual, system, or empty: what the namespace has
};

class Session;

class Store {
 public:
  Store(Settings settings, const Model& model, std::shared_ptr<Scripts> scripts);

  std::unique_ptr<Session> connect(const stile_call& call);

  const Model& model() const { return model_; }
  const stile_limits& limits() const { return limits_; }
  const Layout& layout() const { return layout_; }
  Server& server() { return server_; }
  Hub& hub() { return hub_; }
  /// Names this opening of the store: unguessable, printable.
  const std::string& word() const { return word_; }
  /// A call of what knows these rooms: the library, where the server has them, else a script.
  ScriptCall call(std::uint32_t rooms, std::uint32_t partition) {
    return {libraries_.load() ? &scripts_->library() : &scripts_->of(rooms), layout_.meta(partition), {}, {}, nullptr};
  }
  /// The same for what a full server does too, since it only reads or gives back.
  ScriptCall call_though_full(std::uint32_t rooms, std::uint32_t partition) {
    ScriptCall out = call(rooms, partition);
    out.when_full = &scripts_->of(rooms);
    return out;
  }

  /// Lays out the namespace, or looks whether it is. Answers whether anything was made. Throws Failure.
  bool prepare(Borrowed& at, bool check_only);
  /// Is it laid out? Looks, until it is. Throws Failure but for `unprepared`.
  bool prepared(Borrowed& at);
  bool was_prepared() const { return prepared_.load(std::memory_order_acquire); }
  /// Does its clock stand still until advance moves it (A14)? Known once it is prepared.
  bool manual_clock() const { return manual_.load(std::memory_order_acquire); }
  std::string epoch() const;
  Met met() const;
  /// Do the indexes say what the rows say? Tells what does not, and mends it where asked to. Throws Failure.
  void examine(const stile_call& call, bool mend, const std::function<void(std::string_view what, bool mended)>& said);
  /// The store's clock. Throws Failure.
  std::int64_t time(Borrowed& at);

 private:
  bool prepare_one(Borrowed& at, std::uint32_t partition, bool check_only);
  void ring(std::string_view queue) noexcept;
  void greet(Link& link, std::int64_t deadline);
  void probe(Link& link, std::int64_t deadline);
  OwnedReply greeting(Link& link, const ScriptCall& one, std::int64_t deadline);

  const Settings settings_;
  const Model model_;
  const std::shared_ptr<Scripts> scripts_;
  const Layout layout_;
  const stile_limits limits_;
  const std::string word_;
  Server server_;
  std::atomic<bool> prepared_{false}, manual_{false}, libraries_{false};
  mutable std::mutex mutex_;
  std::string identity_;
  std::int64_t epoch_ = 0;
  Met met_;
  Hub hub_;
};

}  // namespace stile::redis
