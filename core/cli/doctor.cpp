// `stile doctor`: looks whether a store's indexes and counts agree with its data, and mends them.
//
// SPDX-License-Identifier: Apache-2.0
#include <boost/json.hpp>
#include <memory>

#include "cli/command.hpp"
#include "store/examine.hpp"
#include "types/text.hpp"

namespace stile::cli {
namespace {

namespace json = boost::json;

/// What fills no screen; the rest is counted.
constexpr std::size_t most_shown = 50;

struct DoctorOptions {
  StoreChoice choice;
  bool repair = false, json = false;
};

struct Findings {
  std::size_t all = 0, mended = 0;
  json::array told;
};

int verdict(const DoctorOptions& options, const Findings& found) {
  const int status = found.mended == found.all ? exit_ok : exit_of(Status::corrupt);
  if (options.json) {
    print(json::serialize(json::object{{"found", found.all}, {"mended", found.mended}, {"findings", found.told}}));
    return status;
  }
  if (found.all > most_shown) print("... and " + std::to_string(found.all - most_shown) + " more");
  if (found.all == 0)
    print("nothing is wrong");
  else if (options.repair)
    print(std::to_string(found.all) + " found, " + std::to_string(found.mended) + " mended");
  else
    print(std::to_string(found.all) + " found: with --repair what can be mended is");
  return status;
}

int doctor(const DoctorOptions& options, Context&) {
  auto backend = options.choice.open({.prepare_unsaid = "never"});
  Findings found;
  store::examine(*backend, options.repair, options.choice.until(), [&](std::string_view what, bool mended) {
    const std::string text = types::printable(what);
    if (mended) ++found.mended;
    if (++found.all > most_shown && !options.json) return;
    if (options.json)
      found.told.push_back(json::object{{"what", text}, {"mended", mended}});
    else
      print((mended ? "mended: " : "wrong:  ") + text);
  });
  return verdict(options, found);
}

}  // namespace

void add_doctor(CLI::App& program, Context& context) {
  auto options = std::make_shared<DoctorOptions>();
  CLI::App* command = program.add_subcommand("doctor", "Look whether a store's indexes agree with its data");
  command->footer(
      "\nLooks at everything, while others work. Exit status: 0 nothing is wrong or all of it was mended,\n"
      "32 (corrupt) something is, 20 (unsupported) this store has nothing to examine.\n\n"
      "Examples:\n  stile doctor -\n  stile doctor - --repair");
  options->choice.add_to(*command);
  options->choice.deadline = "10m";
  command->add_option("--deadline", options->choice.deadline, "give up then")->capture_default_str();
  command->add_flag("--repair", options->repair, "mend what the data allows to");
  command->add_flag("--json", options->json, "print what was found as JSON");
  command->callback([options, &context] { context.status = doctor(*options, context); });
}

}  // namespace stile::cli
