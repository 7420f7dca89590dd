// libstile.so: the store handle behind the plugin's verb, for other languages.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "stile/abi.h"
#include "stile/abi/core.h"
#include "stile/log.hpp"
#include "stile/sdk/plugin.hpp"
#include "stile/store.hpp"
#include "store/open.hpp"
#include "store/operation.hpp"
#include "store/pooled.hpp"

namespace stile::entry {
namespace {

[[noreturn]] void refuse(const Error& error) {
  throw sdk::Refusal(static_cast<std::int32_t>(error.status()), error.what());
}

class Session {
 public:
  explicit Session(std::unique_ptr<store::Link> link) : link_(std::move(link)) {}

  bool execute(const stile_call& call, std::span<stile_op* const> ops) {
    for (stile_op* op : ops) op->status = STILE_UNSET;
    return link_->execute(call, ops) == store::Fate::keep;
  }
  void interrupt(std::uint64_t serial) noexcept { link_->interrupt(serial); }

 private:
  std::unique_ptr<store::Link> link_;
};

class OpenedStore {
 public:
  explicit OpenedStore(std::shared_ptr<store::Backend> backend) : backend_(std::move(backend)) {}

  std::unique_ptr<Session> connect(const stile_call& call) {
    try {
      return std::make_unique<Session>(backend_->connect(store::deadline_of(call.deadline)));
    } catch (const Error& error) {
      refuse(error);
    }
  }

 private:
  std::shared_ptr<store::Backend> backend_;
};

/// What is logged goes to every host that started this core.
class Hosts {
 public:
  void add(const stile_host* host) {
    std::lock_guard lock(mutex_);
    hosts_.push_back(host);
    listen();
  }
  void remove(const stile_host* host) {
    std::lock_guard lock(mutex_);
    std::erase(hosts_, host);
    listen();
  }

 private:
  void listen() {
    if (hosts_.empty()) return on_log({});
    std::uint32_t most = STILE_LOG_ERROR;
    for (const stile_host* host : hosts_) most = std::max(most, host->log_level(host->ctx));
    on_log([this](LogLevel level, std::string_view message,
                  std::span<const LogField> fields) { tell(level, message, fields); },
           static_cast<LogLevel>(std::min(most, STILE_LOG_DEBUG)));
  }

  void tell(LogLevel level, std::string_view message, std::span<const LogField> fields) {
    std::vector<stile_text> pairs;
    for (const LogField& field : fields) {
      pairs.push_back(sdk::text(field.key));
      pairs.push_back(sdk::text(field.value));
    }
    std::lock_guard lock(mutex_);
    for (const stile_host* host : hosts_)
      host->log(host->ctx, static_cast<std::uint32_t>(level), sdk::text(message), pairs.data(), fields.size());
  }

  std::mutex mutex_;
  std::vector<const stile_host*> hosts_;
};

Hosts& hosts() {
  static Hosts* const all = new Hosts;  // a message may come while the process ends
  return *all;
}

class Instance {
 public:
  explicit Instance(const stile_host& host) : host_(&host) { hosts().add(host_); }
  ~Instance() { hosts().remove(host_); }
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  std::unique_ptr<OpenedStore> open(const stile_call& call, const sdk::Config& config) {
    if (!config.scheme().empty() && config.scheme() != STILE_CORE_SCHEME)
      throw sdk::Refusal(STILE_INVALID, "the scheme must be \"stile\" or empty: the config string stands in path");
    try {
      store::OpenOptions options;
      options.plugin_file = config.text("plugin_file");
      options.program = config.text("program", sdk::view(host_->name));
      if (!config.ns().empty()) options.ns = config.ns();
      if (auto prepare = config.find("prepare")) options.prepare = *prepare;
      options.deadline = store::deadline_of(call.deadline);
      Store store(store::open_backend(config.path(), options), handle_options(config));
      return std::make_unique<OpenedStore>(store::pooled(store));
    } catch (const Error& error) {
      refuse(error);
    }
  }

 private:
  static OpenOptions handle_options(const sdk::Config& config) {
    OpenOptions options;
    options.lanes = bound(config, "lanes", options.lanes);
    options.waiting = bound(config, "waiting", options.waiting);
    options.timeout = std::chrono::years(100);  // the call's own deadline counts
    return options;
  }
  static unsigned bound(const sdk::Config& config, std::string_view name, unsigned otherwise) {
    std::int64_t number = config.integer(name, otherwise);
    if (number < 0 || number > 10'000) throw sdk::Refusal(STILE_INVALID, std::string(name) + " must be 0 to 10000");
    return static_cast<unsigned>(number);
  }

  const stile_host* host_;
};

struct CoreForOthers {
  using Instance = entry::Instance;
  using Store = entry::OpenedStore;
  using Session = entry::Session;
  static const void* extension(std::string_view) noexcept { return nullptr; }
};

constexpr stile_text schemes[] = {STILE_LIT(STILE_CORE_SCHEME)};

stile_option option(std::uint32_t type, std::string_view name, std::string_view help) {
  stile_option made{};
  made.struct_size = sizeof(stile_option);
  made.type = type;
  made.name = sdk::text(name);
  made.help = sdk::text(help);
  return made;
}

const stile_plugin& table() {
  static const stile_option options[] = {
      option(STILE_OPTION_TEXT, "plugin_file", "Load this plugin file first."),
      option(STILE_OPTION_TEXT, "program", "What servers are told this program is called."),
      option(STILE_OPTION_INTEGER, "lanes", "Sessions for ordinary calls; 0 = as the core sees fit."),
      option(STILE_OPTION_INTEGER, "waiting", "At most so many sessions for waiting calls."),
  };
  static const stile_option* const listed[] = {&options[0], &options[1], &options[2], &options[3]};
  static const stile_plugin made = sdk::make_table<CoreForOthers>(sdk::Facts{
      .name = "stile",
      .version = STILE_VERSION,
      .help = "Any store, with the core's pooling, batching and sending again.",
      .schemes = schemes,
      .options = listed,
      .capabilities = {},
  });
  return made;
}

}  // namespace
}  // namespace stile::entry

extern "C" STILE_EXPORT const stile_plugin* stile_core_entry_v1(const stile_hello* hello, stile_error* error) {
  return stile::sdk::enter(stile::entry::table(), hello, error);
}
