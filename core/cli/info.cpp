// `stile info`: who a store is and what it promises. `stile prepare`: its schema.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include "cli/ask.hpp"
#include "cli/paint.hpp"
#include "stile/config.hpp"
#include "store/operation.hpp"
#include "types/text.hpp"
#include "types/units.hpp"

namespace stile::cli {
namespace {

struct Options {
  StoreChoice choice;
  bool json = false, check = false;
};

std::string shown(stile_text text) { return types::printable(store::view(text)); }

// The capabilities as one line; the table of a terminal wraps it.
std::string capabilities_of(const stile_info_result& info) {
  std::string names;
  for (std::uint64_t i = 0; i < info.n_capabilities; ++i) names += (i ? ", " : "") + shown(info.capabilities[i]);
  return names.empty() ? "none" : names;
}

std::string limits_of(const stile_limits& limits) {
  auto count = [](std::uint64_t n) { return n == 0 || n == UINT64_MAX ? std::string("any") : std::to_string(n); };
  auto size = [](std::uint64_t n) {
    return n > INT64_MAX ? std::string("any") : types::size_text(static_cast<std::int64_t>(n));
  };
  return "id " + size(limits.id_bytes) + ", value " + size(limits.value_bytes) + ", reply " + size(limits.reply_bytes) +
         ", error " + size(limits.error_bytes) + ", receipt " + size(limits.receipt_bytes) + ", batch " +
         count(limits.batch) + ", page " + count(limits.page) + ", queues " + count(limits.queues) + ", partitions " +
         count(limits.partitions) + ", writers " + count(limits.writers);
}

/// As it was typed: that this command prepares nothing is no part of it.
std::string config_of(const store::Backend& backend, const std::string& typed) {
  if (!Config::read(typed).prepare.empty()) return backend.config();
  try {
    Config shown = Config::parse(backend.config());
    shown.prepare.clear();
    return shown.redacted();
  } catch (const Error&) {  // what hides a secret need be no config string
    return backend.config();
  }
}

void print_info(const std::string& config, const store::Backend& backend, const stile_info_result& info) {
  Paint paint;
  Table table;
  auto row = [&](const char* name, std::string text) { table.add({{name, Colour::faint}, {std::move(text)}}); };
  const store::PluginIdentity& plugin = backend.plugin();
  row("store", types::printable(config));
  row("plugin", shown(info.plugin));
  row("file", types::printable(plugin.path));
  row("server", shown(info.server));
  row("durability", shown(info.durability));
  row("store time", moment_text(info.store_time));
  row("epoch", types::printable(store::view(info.epoch)));
  row("capabilities", capabilities_of(info));
  if (info.limits) row("limits", limits_of(*info.limits));
  print(table.text(paint));
}

bool outlives_this_process(const store::Backend& backend) {
  const auto& can = backend.plugin().capabilities;
  return std::any_of(can.begin(), can.end(), [](auto& name) { return name == "cross_process" || name == "durable"; });
}

int info(const Options& options, Context& context) {
  // Who asks what is there makes nothing, above all no store where the config string is misspelt.
  auto backend = options.choice.open({.prepare_unsaid = "never"});
  if (!outlives_this_process(*backend)) backend = options.choice.open();
  codec::Op op(STILE_OP_INFO);
  ask(*backend, op, options.choice.until(), context.stop);
  if (options.json) {
    print(boost::json::serialize(codec::answer_json(*op.get())));
    return exit_of(op.status());
  }
  require_ok(op);
  print_info(config_of(*backend, options.choice.config), *backend, *op.result<stile_info_result>());
  return exit_ok;
}

int prepare(const Options& options, Context& context) {
  // Opened without preparing, so that the answer says what this call changed.
  auto backend = options.choice.open({.prepare = "never"});
  codec::Op op(STILE_OP_PREPARE);
  op.request<stile_prepare_request>()->check_only = options.check;
  ask(*backend, op, options.choice.until(), context.stop);
  if (options.json) {
    print(boost::json::serialize(codec::answer_json(*op.get())));
    return exit_of(op.status());
  }
  require_ok(op);
  bool migrated = op.result<stile_prepare_result>()->migrated != 0;
  print(migrated ? "prepared: the schema was created or brought up to date" : "nothing to do: it is prepared");
  return exit_ok;
}

}  // namespace

void add_info(CLI::App& program, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = program.add_subcommand("info", "Say who a store is and what it promises");
  command->footer(
      "\nMakes nothing: where no store is prepared it exits with 21 (unprepared), unless CONFIG says prepare=auto.\n\n"
      "Examples:\n  stile info memory:\n  stile info - --json");
  options->choice.add_to(*command);
  command->add_option("--deadline", options->choice.deadline, "give up then")->capture_default_str();
  command->add_flag("--json", options->json, "print the answer as JSON");
  command->callback([options, &context] { context.status = info(*options, context); });
}

void add_prepare(CLI::App& program, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = program.add_subcommand("prepare", "Create or migrate a store's schema");
  command->footer(
      "\nSafe from many processes at once. --check changes nothing and exits with 21 (unprepared) where there\n"
      "would be something to do.\n\nExamples:\n  stile prepare -\n  stile prepare - --check");
  options->choice.add_to(*command);
  command->add_option("--deadline", options->choice.deadline, "give up then")->capture_default_str();
  command->add_flag("--check", options->check, "change nothing, say whether it is prepared");
  command->add_flag("--json", options->json, "print the answer as JSON");
  command->callback([options, &context] { context.status = prepare(*options, context); });
}

}  // namespace stile::cli
