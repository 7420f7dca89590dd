// The process's plugins. Never destroyed: code of plugins may run until the very end.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <deque>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>

#include "loader/library.hpp"
#include "loader/loader.hpp"
#include "loader/table.hpp"
#include "stile/log.hpp"
#include "stile/plugins.hpp"
#include "stile/types.hpp"
#include "types/abi.hpp"
#include "types/text.hpp"

namespace stile::loader {
namespace {

// What plugins see of this process; it must not move while one runs.
struct HostSide {
  std::string program;
  stile_host host{};
};

struct Entry {
  Plugin plugin;
  std::mutex starting;
  HostSide* host = nullptr;  // of the running instance; never freed, a plugin may log late
  stile_instance* instance = nullptr;
  std::size_t users = 0;
};

std::string_view view_or_nothing(const stile_text& text) {
  return text.ptr == nullptr ? std::string_view{} : types::view(text);
}

std::uint32_t host_log_level(void*) {
  for (auto level : {LogLevel::debug, LogLevel::info, LogLevel::warn}) {
    if (logs(level)) return static_cast<std::uint32_t>(level);
  }
  return STILE_LOG_ERROR;
}

void host_log(void*, std::uint32_t level, stile_text message, const stile_text* pairs, std::uint64_t n_pairs) noexcept {
  constexpr std::uint64_t most_pairs = 64;
  try {
    std::vector<LogField> fields;
    for (std::uint64_t i = 0; pairs != nullptr && i < std::min(n_pairs, most_pairs); ++i) {
      fields.push_back({view_or_nothing(pairs[2 * i]), view_or_nothing(pairs[2 * i + 1])});
    }
    log(static_cast<LogLevel>(std::min(level, STILE_LOG_DEBUG)), view_or_nothing(message), fields);
  } catch (...) {
    // Out of memory for a log line: the plugin's work goes on without it.
  }
}

const void* host_extension(void*, stile_text) { return nullptr; }

struct Registry {
  Registry* parents = nullptr;  // of the process that forked this one; its plugins stay mapped, so it stays known
  types::ProcessMark mark;
  std::mutex mutex;
  std::deque<Entry> entries;
  std::map<std::string, std::string> refused;  // by path and id: why, so that a refused library is never called again
  std::vector<std::string> directories;
  std::set<std::string> said;  // warnings of the search, so that each is logged once
};

// After a fork the child begins anew: the parent's instances are dead there, its locks may be held for ever.
Registry& registry() {
  static std::atomic<Registry*> current = nullptr;
  Registry* present = current.load();
  while (present == nullptr || !present->mark.here()) {
    auto* fresh = new Registry;
    fresh->parents = present;
    if (present != nullptr && present->mutex.try_lock()) {
      fresh->directories = present->directories;
      present->mutex.unlock();
    }
    if (current.compare_exchange_strong(present, fresh)) return *fresh;
    delete fresh;
  }
  return *present;
}

std::string key_of(const std::string& path, const FileId& id) {
  return std::to_string(id.device) + ":" + std::to_string(id.inode) + ":" + std::to_string(id.size) + ":" +
         std::to_string(id.changed) + ":" + path;
}

// One identity, one load: asked for again, by whatever path, the same plugin comes back.
const Plugin& load_once(const std::string& path, const Inspected& inspected) {
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  for (Entry& entry : all.entries) {
    if (entry.plugin.file.id.same_file(inspected.id)) return entry.plugin;
    if (entry.plugin.path == path) {
      log(LogLevel::warn, "a plugin's file was replaced; this process goes on with the old one until it is restarted",
          {{"plugin", entry.plugin.name()}, {"file", path}});
      return entry.plugin;
    }
  }
  std::string key = key_of(path, inspected.id);
  if (auto before = all.refused.find(key); before != all.refused.end()) throw Error(Status::invalid, before->second);
  try {
    const stile_plugin& table = load_library(path, inspected);
    Entry& entry = all.entries.emplace_back();
    entry.plugin = {path, inspected, &table};
    log(LogLevel::debug, "plugin loaded", {{"plugin", entry.plugin.name()}, {"file", path}});
    return entry.plugin;
  } catch (const Error& error) {
    all.refused.emplace(key, error.what());
    throw;
  }
}

bool says_first(const std::string& warning) {
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  return all.said.insert(warning).second;
}

Entry& entry_of(const Plugin& plugin) {
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  auto found = std::find_if(all.entries.begin(), all.entries.end(), [&](Entry& e) { return &e.plugin == &plugin; });
  if (found == all.entries.end()) {
    throw Error(Status::invalid, plugin.who() + " was loaded before a fork: open the store again in this process");
  }
  return *found;
}

class Use final : public Running {
 public:
  Use(Entry& entry, stile_instance* instance) : entry_(entry) {
    instance_ = instance;
    plugin_ = &entry.plugin;
  }
  ~Use() override {
    if (!mark_.here()) return;
    std::lock_guard lock(entry_.starting);
    --entry_.users;
  }

 private:
  types::ProcessMark mark_;
  Entry& entry_;
};

void start(Entry& entry, const std::string& program) {
  // The pages of a plugin's host stay for ever: law 9 lets nothing outlive stop, but a bug there must not crash here.
  static std::mutex kept_mutex;
  static auto* kept = new std::deque<HostSide>;
  {
    std::lock_guard lock(kept_mutex);
    entry.host = &kept->emplace_back();
  }
  static const std::string version = STILE_VERSION;
  entry.host->program = program;
  entry.host->host = {sizeof(stile_host),
                      entry.plugin.table->abi,
                      nullptr,
                      {entry.host->program.data(), entry.host->program.size()},
                      {version.data(), version.size()},
                      host_log_level,
                      host_log,
                      host_extension};
  ErrorBuffer error;
  stile_instance* instance = nullptr;
  std::int32_t status = entry.plugin.table->start(&entry.host->host, &instance, error.get());
  if (status != STILE_OK) throw Error(failure_of(status, error, entry.plugin.who(), "start"));
  if (instance == nullptr) {
    throw Error(Status::internal, entry.plugin.who() + " started without an instance, a bug of the plugin");
  }
  entry.instance = instance;
}

}  // namespace

std::string Plugin::who() const { return "plugin " + name() + " (" + types::printable(path) + ")"; }

Discovery discover() {
  SearchPlan plan = SearchPlan::of_process();
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  plan.api = all.directories;
  return discover(plan);
}

const Plugin& plugin_for(std::string_view scheme, std::string_view name) {
  Discovery discovery = discover();
  for (const std::string& warning : discovery.warnings) {
    if (says_first(warning)) log(LogLevel::warn, warning);
  }
  const Candidate& chosen = select(discovery, scheme, name);
  return load_once(chosen.path, chosen.inspected);
}

const Plugin& plugin_in(const std::string& file) {
  namespace fs = std::filesystem;
  std::error_code failed;
  fs::path path = fs::canonical(fs::absolute(file, failed), failed);
  if (failed) throw Error(Status::invalid, "plugin file " + types::printable(file) + ": " + failed.message());
  Inspected inspected = inspect(path.native());
  if (!inspected.good()) {
    throw Error(Status::invalid, "plugin file " + types::printable(path.native()) + ": " + inspected.reason);
  }
  std::string why = distrust_path(path.native(), Trust::of_process());
  if (!why.empty()) {
    log(LogLevel::warn, "others can replace this plugin file", {{"file", path.native()}, {"why", why}});
  }
  return load_once(path.native(), inspected);
}

void add_directory(const std::string& directory) {
  if (!directory.starts_with('/')) {
    throw Error(Status::invalid, "a plugin directory must be absolute, not " + types::printable(directory));
  }
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  all.directories.push_back(directory);
}

std::shared_ptr<const Running> run(const Plugin& plugin, const std::string& program) {
  Entry& entry = entry_of(plugin);
  std::lock_guard lock(entry.starting);
  if (entry.instance == nullptr) start(entry, program);
  auto use = std::make_shared<Use>(entry, entry.instance);
  ++entry.users;
  return use;
}

std::vector<std::string> shutdown() {
  Registry& all = registry();
  std::vector<Entry*> entries;
  {
    std::lock_guard lock(all.mutex);
    for (Entry& entry : all.entries) entries.push_back(&entry);
  }
  std::vector<std::string> busy;
  for (Entry* entry : entries) {
    std::lock_guard lock(entry->starting);
    if (entry->instance == nullptr) continue;
    if (entry->users > 0) {
      busy.push_back(entry->plugin.name());
      continue;
    }
    entry->plugin.table->stop(entry->instance);
    entry->instance = nullptr;
  }
  return busy;
}

}  // namespace stile::loader

namespace stile {
inline namespace v1 {

void add_plugin_directory(const std::string& directory) { loader::add_directory(directory); }
std::vector<std::string> shutdown_plugins() { return loader::shutdown(); }

}  // namespace v1
}  // namespace stile
