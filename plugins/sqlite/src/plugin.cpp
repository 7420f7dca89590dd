// The sqlite plugin: what it says of itself, and who shares which file.
//
// SPDX-License-Identifier: Apache-2.0
#include <sqlite3.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "clock.hpp"
#include "place.hpp"
#include "session.hpp"
#include "stile/sdk/plugin.hpp"
#include "store.hpp"
#include "version.hpp"

namespace stile::sqlite {
namespace {

constexpr int oldest_sqlite = 3'040'000;

class Instance {
 public:
  explicit Instance(const stile_host& host) : host_(&host), tally_(std::make_shared<Tally>()) {
    if (sqlite3_libversion_number() < oldest_sqlite)
      throw sdk::Refusal(STILE_UNSUPPORTED,
                         std::string("SQLite 3.40 or newer is needed, and this is ") + sqlite3_libversion());
    if (sqlite3_threadsafe() == 0) throw sdk::Refusal(STILE_UNSUPPORTED, "this SQLite was built without threads");
  }

  std::unique_ptr<Store> open(const stile_call& call, const sdk::Config& config) {
    if (!config.host().empty())
      throw sdk::Refusal(STILE_INVALID, "a file has no host: write sqlite:jobs.db, or sqlite:/var/lib/app/jobs.db");
    const std::string path(config.path());
    check_place(path);
    FileOptions options;
    options.path = full_path(path);
    options.durable = config.text("synchronous", "full") == "full";
    options.cache = config.integer("cache", 0);
    auto file = file_of(std::move(options));
    Database& database = file->database;
    if (config.text("prepare", "auto") == "auto")
      database.prepare(false, call.deadline);
    else
      database.prepared();  // finds out by now what cannot be opened at all
    return std::make_unique<Store>(std::move(file), std::string(config.ns()), wish_of(config));
  }

  const std::shared_ptr<Tally>& tally() const { return tally_; }

 private:
  static ClockWish wish_of(const sdk::Config& config) {
    const auto clock = config.find("clock");
    if (!clock || clock->empty()) return ClockWish::any;
    return *clock == "manual" ? ClockWish::manual : ClockWish::system;
  }

  std::shared_ptr<SharedFile> file_of(FileOptions options) {
    const std::lock_guard guard(mutex_);
    auto& known = files_[options];
    if (auto shared = known.lock()) return shared;
    std::erase_if(files_, [&](const auto& entry) { return entry.second.expired() && &entry.second != &known; });
    auto made = std::make_shared<SharedFile>(std::move(options), host_, tally_);
    known = made;
    return made;
  }

  Host host_;
  std::shared_ptr<Tally> tally_;
  std::mutex mutex_;
  std::map<FileOptions, std::weak_ptr<SharedFile>> files_;
};

constexpr stile_option clock_option = {
    sizeof(stile_option),
    STILE_OPTION_CHOICE,
    0,
    0,
    STILE_LIT("clock"),
    {nullptr, 0},
    STILE_LIT("system|manual"),
    STILE_LIT("whose time it is: the system's, or one kept in the file that stands still until `advance` (default: "
              "what the namespace has; system for a new one)"),
    0,
    0};
constexpr stile_option synchronous_option = {
    sizeof(stile_option),
    STILE_OPTION_CHOICE,
    0,
    0,
    STILE_LIT("synchronous"),
    STILE_LIT("full"),
    STILE_LIT("full|normal"),
    STILE_LIT(
        "full: an accepted write survives a power cut; normal: a power cut may take the last ones, and it is faster"),
    0,
    0};
constexpr stile_option cache_option = {sizeof(stile_option),
                                       STILE_OPTION_SIZE,
                                       0,
                                       0,
                                       STILE_LIT("cache"),
                                       STILE_LIT("16777216"),
                                       {nullptr, 0},
                                       STILE_LIT("memory for pages of the file, of the connection that writes"),
                                       65536,
                                       INT64_C(1) << 40};
constexpr const stile_option* options[] = {&clock_option, &synchronous_option, &cache_option};
constexpr stile_text schemes[] = {STILE_LIT("sqlite")};

struct Sqlite {
  using Instance = sqlite::Instance;
  using Store = sqlite::Store;
  using Session = sqlite::Session;
  static const void* extension(std::string_view) noexcept { return nullptr; }
};

constexpr stile_plugin table = sdk::make_table<Sqlite>({
    .name = "sqlite",
    .version = STILE_SQLITE_VERSION,
    .help = "in one local file, shared by many processes, synced before it answers: no server",
    .schemes = schemes,
    .options = options,
    .capabilities = all_capabilities,
    .license = "Apache-2.0",
});

}  // namespace
}  // namespace stile::sqlite

STILE_NOTE(1, 0, 1, 0, "sqlite", STILE_SQLITE_VERSION, "sqlite");
STILE_SDK_PLUGIN(stile::sqlite::table)
