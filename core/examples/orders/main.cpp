// stile-orders: a file of orders, fulfilled by worker processes that are killed while they work.
//
// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "conductor.hpp"
#include "config/text.hpp"
#include "herd.hpp"
#include "stile/worker.hpp"
#include "types/streams.hpp"

namespace {

constexpr const char* help =
    "usage: stile-orders [options] CONFIG FILE.csv\n"
    "\n"
    "Fulfils the orders of a file as durable workflows on the store CONFIG, with several worker processes of which "
    "some\n"
    "are killed at random, and proves from a ledger kept outside the store that every effect happened exactly once.\n"
    "\n"
    "  --dir DIR          where the ledger goes: a fresh folder (required)\n"
    "  --namespace NAME   the store's namespace (default: orders-demo)\n"
    "  --workers N        worker processes at a time, 1 to 64 (default 4)\n"
    "  --kills N          stop killing after so many (default 40)\n"
    "  --orders N         only the first N of the file\n"
    "  --seed N           of whom to kill and when\n"
    "  --plain            plain lines instead of one that rewrites itself\n"
    "  --clean            forget the workflows at the end\n"
    "  --help             this\n"
    "\n"
    "Exit status: 0 proven, 1 not proven or output that cannot be written, 2 bad input, 130 interrupted; where the\n"
    "store answers otherwise than it should, 10 + the number of its status.\n";

struct Usage {
  std::string text;
};

unsigned number(std::string_view option, const std::string& text, unsigned least, unsigned most) {
  unsigned value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < least || value > most)
    throw Usage{std::string(option) + ": \"" + text + "\" is no number from " + std::to_string(least) + " to " +
                std::to_string(most)};
  return value;
}

struct Arguments {
  orders::Conduct conduct;
  bool worker = false, help = false;
};

Arguments read(const std::vector<std::string>& given) {
  Arguments arguments;
  orders::Conduct& conduct = arguments.conduct;
  conduct.ns = "orders-demo";
  std::vector<std::string> places;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::string& name = given[i];
    auto value = [&]() -> const std::string& {
      if (i + 1 == given.size()) throw Usage{name + " wants a value"};
      return given[++i];
    };
    if (name == "--help" || name == "-h")
      arguments.help = true;
    else if (name == "--worker")
      arguments.worker = true;
    else if (name == "--plain")
      conduct.plain = true;
    else if (name == "--clean")
      conduct.clean = true;
    else if (name == "--dir")
      conduct.folder = value();
    else if (name == "--namespace")
      conduct.ns = value();
    else if (name == "--workers")
      conduct.workers = number(name, value(), 1, 64);
    else if (name == "--kills")
      conduct.most_kills = number(name, value(), 0, 10'000);
    else if (name == "--orders")
      conduct.most_orders = number(name, value(), 1, 1'000'000);
    else if (name == "--seed")
      conduct.seed = number(name, value(), 0, 4'000'000'000u);
    else if (name.starts_with("-") && name != "-")
      throw Usage{"unknown option " + name};
    else
      places.push_back(name);
  }
  if (arguments.help) return arguments;
  if (places.size() != (arguments.worker ? 1u : 2u)) throw Usage{"a store and a file of orders are wanted"};
  if (conduct.folder.empty()) throw Usage{"--dir is wanted"};
  if (std::error_code failed; !std::filesystem::is_directory(conduct.folder, failed))
    throw Usage{"--dir: " + conduct.folder + ": there is no such folder"};
  if (!arguments.worker && orders::used(conduct.folder))
    throw Usage{"--dir: " + conduct.folder + ": not empty, it holds the ledger of another run: give a fresh folder"};
  conduct.config = places[0];
  if (!arguments.worker) conduct.file = places[1];
  return arguments;
}

int run(int argc, char** argv) {
  const std::vector<std::string> given(argv + 1, argv + argc);
  try {
    Arguments arguments = read(given);
    const auto& conduct = arguments.conduct;
    if (arguments.help) return std::fputs(help, stdout) < 0;
    if (arguments.worker)
      return orders::work(conduct.config, conduct.ns, conduct.folder, orders::shared_board(conduct.folder));
    return orders::conduct(conduct, stile::stop_on_signals());
  } catch (const Usage& usage) {
    std::string error = stile::config::hide_arguments(usage.text, given);
    std::fprintf(stderr, "stile-orders: %s\nTry: stile-orders --help\n", error.c_str());
    return 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "stile-orders: %s\n", e.what());
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  stile::types::open_standard_streams();
  return stile::types::finish_output(run(argc, argv));
}
