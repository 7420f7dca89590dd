// The postgres plugin: what it says of itself, and what a config string means.
//
// SPDX-License-Identifier: Apache-2.0
#include <libpq-fe.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <string>

#include "session.hpp"
#include "stile/sdk/plugin.hpp"
#include "store.hpp"
#include "version.hpp"

namespace stile::postgres {
namespace {

// A plain name: it is written into SQL without quotes.
void check_schema(std::string_view name) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  if (name.empty() || name.size() > 63 || !std::all_of(name.begin(), name.end(), plain) || name[0] <= '9' ||
      name.substr(0, 3) == "pg_")
    throw sdk::Refusal(STILE_INVALID, "schema must be a name of a-z, 0-9 and _, at most 63, not pg_...: not '" +
                                          std::string(name) + "'");
}

void replace(ConnectionWords& words, const std::string& name, std::string_view value) {
  if (value.empty()) return;
  std::erase_if(words, [&](const auto& word) { return word.first == name; });
  words.emplace_back(name, value);
}

ConnectionWords words_of(const sdk::Config& config, std::string_view program) {
  const stile_config& raw = config.raw();
  ConnectionWords words;
  std::string hosts, ports;
  for (std::uint64_t i = 0; i < raw.n_hosts; ++i) {
    hosts += (i ? "," : "") + std::string(sdk::view(raw.hosts[i].key));
    ports += (i ? "," : "") + std::string(sdk::view(raw.hosts[i].value));
  }
  if (!hosts.empty()) words.emplace_back("host", hosts);
  if (ports.find_first_not_of(',') != std::string::npos) words.emplace_back("port", ports);
  if (raw.user.len != 0) words.emplace_back("user", sdk::view(raw.user));
  if (raw.secret.len != 0) words.emplace_back("password", sdk::view(raw.secret));
  if (raw.path.len != 0) words.emplace_back("dbname", config.path());
  if (raw.n_hosts > 1) words.emplace_back("target_session_attrs", "read-write");
  words.emplace_back("fallback_application_name", program.empty() ? "stile" : program);
  words.emplace_back("client_encoding", "UTF8");
  words.emplace_back("connect_timeout", "30");
  words.emplace_back("tcp_user_timeout", "30000");
  for (std::uint64_t i = 0; i < raw.n_passthrough; ++i) {
    replace(words, std::string(sdk::view(raw.passthrough[i].key)), sdk::view(raw.passthrough[i].value));
  }
  return words;
}

class Instance {
 public:
  explicit Instance(const stile_host& host) : program_(sdk::view(host.name)) {}

  std::unique_ptr<Store> open(const stile_call& call, const sdk::Config& config) {
    Options options;
    options.schema = config.text("schema", "stile");
    check_schema(options.schema);
    options.words = words_of(config, program_);
    options.hints = options.words;
    replace(options.hints, "host", config.text("hint_host"));
    replace(options.hints, "port", config.text("hint_port"));
    options.ns = config.ns();
    if (const auto clock = config.find("clock"); clock && !clock->empty())
      options.clock = *clock == "manual" ? ClockWish::manual : ClockWish::server;
    options.relaxed = config.text("synchronous_commit", "on") == "off";
    auto store = std::make_unique<Store>(std::move(options));
    store->open(config.text("prepare", "check") == "auto", call.deadline);
    return store;
  }

 private:
  std::string program_;
};

constexpr stile_option schema_option = {sizeof(stile_option),
                                        STILE_OPTION_TEXT,
                                        0,
                                        0,
                                        STILE_LIT("schema"),
                                        STILE_LIT("stile"),
                                        {nullptr, 0},
                                        STILE_LIT("the schema of the database that everything is kept in"),
                                        0,
                                        0};
constexpr stile_option clock_option = {
    sizeof(stile_option),
    STILE_OPTION_CHOICE,
    0,
    0,
    STILE_LIT("clock"),
    {nullptr, 0},
    STILE_LIT("server|manual"),
    STILE_LIT("whose time it is: the server's, or one kept there that stands still until `advance` (default: what the "
              "namespace has; the server's for a new one)"),
    0,
    0};
constexpr stile_option commit_option = {
    sizeof(stile_option),
    STILE_OPTION_CHOICE,
    0,
    0,
    STILE_LIT("synchronous_commit"),
    STILE_LIT("on"),
    STILE_LIT("on|off"),
    STILE_LIT("off: commits are not waited for, and a crash of the server loses the latest"),
    0,
    0};
constexpr stile_option hint_option(stile_text name, stile_text help) {
  return {sizeof(stile_option), STILE_OPTION_TEXT, 0, 0, name, {nullptr, 0}, {nullptr, 0}, help, 0, 0};
}
constexpr stile_option hint_host_option =
    hint_option(STILE_LIT("hint_host"), STILE_LIT("where to listen for hints, past a pooler (default: the host)"));
constexpr stile_option hint_port_option =
    hint_option(STILE_LIT("hint_port"), STILE_LIT("the port to listen for hints, past a pooler (default: the port)"));
constexpr const stile_option* options[] = {&schema_option, &clock_option, &commit_option, &hint_host_option,
                                           &hint_port_option};
constexpr stile_text schemes[] = {STILE_LIT("postgres"), STILE_LIT("postgresql")};

struct Postgres {
  using Instance = postgres::Instance;
  using Store = postgres::Store;
  using Session = postgres::Session;
  static const void* extension(std::string_view) noexcept { return nullptr; }
};

constexpr stile_plugin table = sdk::make_table<Postgres>({
    .name = "postgres",
    .version = STILE_POSTGRES_VERSION,
    .help = "in a schema of a PostgreSQL database, beside the application's own tables",
    .schemes = schemes,
    .options = options,
    .capabilities = all_capabilities,
    .flags = STILE_PLUGIN_NAMESPACE_REQUIRED | STILE_PLUGIN_PASSTHROUGH | STILE_PLUGIN_PREPARE_CHECK,
    .license = "Apache-2.0",
});

}  // namespace
}  // namespace stile::postgres

STILE_NOTE(1, 0, 1, 0, "postgres", STILE_POSTGRES_VERSION, "postgres postgresql");
STILE_SDK_PLUGIN(stile::postgres::table)
