// Stores and sessions of a plugin, and the checks of what it answers.
//
// SPDX-License-Identifier: Apache-2.0
#include "store/plugin_backend.hpp"

#include <algorithm>
#include <cstring>
#include <functional>

#include "codec/fields.hpp"
#include "loader/table.hpp"
#include "stile/abi/examine.h"
#include "stile/types.hpp"
#include "store/examine.hpp"
#include "store/relay.hpp"
#include "types/abi.hpp"

namespace stile::store {
namespace {

using types::abi_of;
using types::view;

// Puts an error text where it lives as long as the operation's answer. Without memory for it the short form stands.
void refuse(stile_op& op, Status status, const std::string& text, std::string_view short_text) {
  op.status = static_cast<std::int32_t>(status);
  op.error = {short_text.data(), short_text.size()};
  void* memory = op.arena != nullptr ? op.arena->alloc(op.arena->ctx, text.size()) : nullptr;
  if (memory == nullptr) return;
  std::memcpy(memory, text.data(), text.size());
  op.error = {static_cast<const char*>(memory), text.size()};
}

// An open store. Sessions hold it, so that it is closed after the last of them.
class PluginStore {
 public:
  PluginStore(const loader::Plugin& plugin, std::shared_ptr<const loader::Running> running, stile_store* store)
      : plugin_(plugin), running_(std::move(running)), store_(store) {}
  ~PluginStore() {
    if (mark_.here()) plugin_.table->close(store_);
  }
  PluginStore(const PluginStore&) = delete;
  PluginStore& operator=(const PluginStore&) = delete;

  const loader::Plugin& plugin() const { return plugin_; }
  const stile_plugin& table() const { return *plugin_.table; }
  stile_store* get() const { return store_; }
  const types::ProcessMark& mark() const { return mark_; }

  std::string after_fork() const {
    return "this store was opened by process " + std::to_string(mark_.process()) +
           ", before a fork: its handles are dead here, open it again in this process";
  }

 private:
  types::ProcessMark mark_;
  const loader::Plugin& plugin_;
  std::shared_ptr<const loader::Running> running_;
  stile_store* store_;
};

class PluginLink final : public Link {
 public:
  PluginLink(std::shared_ptr<PluginStore> store, stile_session* session)
      : store_(std::move(store)), session_(session), execute_(store_->table().execute) {}
  ~PluginLink() override {
    if (store_->mark().here()) store_->table().disconnect(session_);
  }

  Fate execute(const stile_call& call, std::span<stile_op* const> ops) noexcept override {
    if (!store_->mark().here()) return refuse_all(ops, Status::invalid, store_->after_fork());
    for (stile_op* op : ops) op->status = STILE_UNSET;
    std::uint32_t fate = STILE_SESSION_DROP;
    try {
      fate = execute_(session_, &call, ops.data(), ops.size());
    } catch (...) {
      return refuse_unset(ops);
    }
    // Each is a status where all of them together have no bit that none has; else it is looked at closely.
    std::uint32_t bits = 0;
    for (const stile_op* op : ops) bits |= static_cast<std::uint32_t>(op->status);
    if (bits >= STILE_STATUS_COUNT) refuse_unanswered(ops);
    return fate == STILE_SESSION_KEEP ? Fate::keep : Fate::drop;
  }

  void interrupt(std::uint64_t serial) noexcept override {
    if (store_->mark().here()) store_->table().interrupt(session_, serial);
  }

 private:
  static Fate refuse_all(std::span<stile_op* const> ops, Status status, const std::string& text) {
    for (stile_op* op : ops) refuse(*op, status, text, "the store was opened before a fork");
    return Fate::drop;
  }

  // An exception came through the plugin's wall: what it had answered stands, the rest is in doubt.
  Fate refuse_unset(std::span<stile_op* const> ops) {
    std::string text = store_->plugin().who() + " let an exception out of execute, a bug of the plugin";
    for (stile_op* op : ops) {
      if (op->status == STILE_UNSET) refuse(*op, Status::internal, text, "the plugin let an exception out");
    }
    return Fate::drop;
  }

  void refuse_unanswered(std::span<stile_op* const> ops) {
    for (stile_op* op : ops) {
      if (op->status >= 0 && op->status < STILE_STATUS_COUNT) continue;
      std::string what = op->status == STILE_UNSET ? " left the operation " : " gave the status ";
      if (op->status != STILE_UNSET) what += std::to_string(op->status) + " to the operation ";
      std::string_view name = codec::op_name(op->kind);
      what += name.empty() ? std::to_string(op->kind) : std::string(name);
      if (op->status == STILE_UNSET) what += " without an answer";
      refuse(*op, Status::internal, store_->plugin().who() + what + ", a bug of the plugin",
             "the plugin left an operation without an answer");
    }
  }

  std::shared_ptr<PluginStore> store_;
  stile_session* session_;
  decltype(stile_plugin::execute) execute_;
};

using Said = std::function<void(std::string_view what, bool mended)>;

class PluginBackend final : public Backend {
 public:
  PluginBackend(std::shared_ptr<PluginStore> store, std::string config)
      : store_(std::move(store)), identity_(identity_of(store_->plugin())), config_(std::move(config)) {}

  std::unique_ptr<Link> connect(Deadline deadline) override {
    if (!store_->mark().here()) throw Error(Status::invalid, store_->after_fork());
    stile_call call{sizeof(stile_call), 0, 0, abi_of(deadline)};
    loader::ErrorBuffer error;
    stile_session* session = nullptr;
    std::int32_t status = store_->table().connect(store_->get(), &call, &session, error.get());
    if (status != STILE_OK) throw Error(loader::failure_of(status, error, store_->plugin().who(), "connect"));
    if (session == nullptr) {
      throw Error(Status::internal, store_->plugin().who() + " connected without a session, a bug of the plugin");
    }
    return std::make_unique<PluginLink>(store_, session);
  }

  const PluginIdentity& plugin() const override { return identity_; }
  const std::string& config() const override { return config_; }

  void examine(bool mend, Deadline deadline, const Said& said) {
    if (!store_->mark().here()) throw Error(Status::invalid, store_->after_fork());
    const auto* table =
        static_cast<const stile_examine*>(store_->table().extension(STILE_LIT(STILE_EXTENSION_EXAMINE)));
    if (table == nullptr)
      throw Error(Status::unsupported, store_->plugin().who() + " keeps nothing that could be examined");
    stile_call call{sizeof(stile_call), 0, 0, abi_of(deadline)};
    loader::ErrorBuffer error;
    const std::int32_t status =
        table->examine(store_->get(), &call, mend ? 1 : 0, &tell, &const_cast<Said&>(said), error.get());
    if (status != STILE_OK) throw Error(loader::failure_of(status, error, store_->plugin().who(), "examine"));
  }

 private:
  static void tell(void* said, stile_text what, std::uint32_t mended) {
    (*static_cast<const Said*>(said))(view(what), mended != 0);
  }

  std::shared_ptr<PluginStore> store_;
  PluginIdentity identity_;
  std::string config_;
};

}  // namespace

void examine(Backend& backend, bool mend, Deadline deadline, const Said& said) {
  Backend* at = &backend;
  while (auto* relay = dynamic_cast<Relay*>(at)) at = &relay->inner();
  auto* plugin = dynamic_cast<PluginBackend*>(at);
  if (plugin == nullptr) throw Error(Status::unsupported, "this store is behind something that cannot be examined");
  plugin->examine(mend, deadline, said);
}

PluginIdentity identity_of(const loader::Plugin& plugin) {
  const stile_plugin& table = *plugin.table;
  PluginIdentity identity;
  identity.name = view(table.name);
  identity.version = view(table.version);
  identity.license = view(table.license);
  identity.help = view(table.help);
  identity.path = plugin.path;
  identity.build_id = plugin.file.build_id;
  identity.abi = table.abi;
  for (std::uint64_t i = 0; i < table.n_schemes; ++i) identity.schemes.emplace_back(view(table.schemes[i]));
  for (std::uint64_t i = 0; i < table.n_capabilities; ++i) {
    identity.capabilities.emplace_back(view(table.capabilities[i]));
  }
  return identity;
}

std::shared_ptr<Backend> open_with_plugin(const loader::Plugin& plugin, const config::Checked& config,
                                          const std::string& program, Deadline deadline) {
  std::shared_ptr<const loader::Running> running = loader::run(plugin, program);
  stile_call call{sizeof(stile_call), 0, 0, abi_of(deadline)};
  loader::ErrorBuffer error;
  stile_store* store = nullptr;
  std::int32_t status = plugin.table->open(running->instance(), &call, &config.view(), &store, error.get());
  if (status != STILE_OK) throw Error(loader::failure_of(status, error, plugin.who(), "open"));
  if (store == nullptr) {
    throw Error(Status::internal, plugin.who() + " opened without a store, a bug of the plugin");
  }
  auto opened = std::make_shared<PluginStore>(plugin, std::move(running), store);
  return std::make_shared<PluginBackend>(std::move(opened), config.redacted());
}

}  // namespace stile::store
