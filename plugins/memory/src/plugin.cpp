// The memory plugin: who shares which store, and the table.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "facts.hpp"
#include "session.hpp"
#include "stile/sdk/plugin.hpp"

namespace stile::memory {

namespace {

class Store {
 public:
  explicit Store(std::shared_ptr<Space> space) : space_(std::move(space)) {}
  std::unique_ptr<Session> connect(const stile_call&) { return std::make_unique<Session>(space_); }

 private:
  std::shared_ptr<Space> space_;
};

class Instance {
 public:
  explicit Instance(const stile_host&) {}

  std::unique_ptr<Store> open(const stile_call&, const sdk::Config& config) {
    const Settings settings = settings_of(config);
    const std::string prepare(config.text("prepare", "auto"));
    auto space = space_of(config, settings);
    if (prepare == "auto") space->house().prepare();
    return std::make_unique<Store>(std::move(space));
  }

 private:
  static Settings settings_of(const sdk::Config& config) {
    Settings out;
    const std::string_view clock = config.text("clock", "system");
    if (clock != "system" && clock != "manual")
      throw sdk::Refusal(STILE_INVALID, "clock must be system or manual, not " + std::string(clock));
    out.manual_clock = clock == "manual";
    // Many more than threads, so that two of them seldom meet in one.
    const unsigned threads = std::clamp(std::thread::hardware_concurrency(), 1u, 16u);
    const std::int64_t shards = config.integer("shards", std::bit_ceil(threads) * 16);
    if (shards < 1 || shards > 256) throw sdk::Refusal(STILE_INVALID, "shards must be between 1 and 256");
    out.shards = static_cast<std::uint32_t>(shards);
    return out;
  }

  /// `memory:` belongs to this open alone; `memory://name` to all who have that name and namespace open.
  std::shared_ptr<Space> space_of(const sdk::Config& config, const Settings& settings) {
    std::string name(config.host());
    if (!config.path().empty()) (name += '/') += config.path();
    if (name.empty()) return std::make_shared<Space>(settings);
    const std::lock_guard lock(mutex_);
    auto& known = shared_[{name, std::string(config.ns())}];
    if (auto space = known.lock()) {
      if (space->settings() == settings) return space;
      throw sdk::Refusal(STILE_INVALID, "memory://" + name + " is open with another clock or number of shards");
    }
    std::erase_if(shared_, [&](const auto& entry) { return entry.second.expired() && &entry.second != &known; });
    auto made = std::make_shared<Space>(settings);
    known = made;
    return made;
  }

  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::weak_ptr<Space>> shared_;
};

struct Memory {
  using Instance = memory::Instance;
  using Store = memory::Store;
  using Session = memory::Session;
  static const void* extension(std::string_view) noexcept { return nullptr; }
};

constexpr stile_plugin table = sdk::make_table<Memory>({
    .name = "memory",
    .version = STILE_MEMORY_VERSION,
    .help = "in this process's memory: for tests, examples, and as the reference of the contract",
    .schemes = facts::schemes,
    .options = facts::options,
    .capabilities = facts::capabilities,
    .license = "Apache-2.0",
});

}  // namespace

}  // namespace stile::memory

STILE_NOTE(1, 0, 1, 0, "memory", STILE_MEMORY_VERSION, "memory");
STILE_SDK_PLUGIN(stile::memory::table)
