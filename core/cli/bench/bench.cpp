// `stile bench`: how fast a store is, on this machine, now.
//
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <utility>

#include "cli/bench/report.hpp"
#include "cli/bench/team.hpp"
#include "cli/command.hpp"
#include "types/text.hpp"

namespace stile::cli {
namespace {

using namespace bench;

struct Options {
  StoreChoice choice;
  std::string time = "500ms", concurrency = "1,8,64", batch = "1,64", processes = "1", payload = "100",
              records = "10000", only, ns, baseline_directory, worker;
  bool json = false, no_plot = false;
};

std::uint64_t number_option(std::string_view text, const char* option, std::uint64_t least, std::uint64_t most) {
  std::uint64_t number = 0;
  auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size() || number < least ||
      number > most)
    throw Usage(std::string(option) + " must be a whole number from " + std::to_string(least) + " to " +
                std::to_string(most) + ": " + std::string(text));
  return number;
}

std::vector<std::string> listed(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    words.emplace_back(text.substr(0, text.find(',')));
    text.remove_prefix(std::min(text.size(), words.back().size() + 1));
  }
  return words;
}

std::vector<unsigned> numbers_option(const std::string& text, const char* option, unsigned most) {
  std::vector<unsigned> numbers;
  for (const std::string& word : listed(text))
    numbers.push_back(static_cast<unsigned>(number_option(word, option, 1, most)));
  if (numbers.empty()) throw Usage(std::string(option) + " needs a number");
  return numbers;
}

std::vector<const Kind*> kinds_option(const std::string& only) {
  std::vector<const Kind*> chosen;
  std::vector<std::string> known;
  for (const Kind& kind : kinds()) {
    known.emplace_back(kind.name);
    if (only.empty() && kind.usual) chosen.push_back(&kind);
  }
  for (const std::string& name : listed(only)) {
    const Kind* kind = find_kind(name);
    if (!kind) {
      auto meant = types::nearest(name, known);
      throw Usage("--only: there is no " + name + (meant ? ": did you mean " + *meant + "?" : "") + " (" +
                  types::enumerate(known) + ")");
    }
    chosen.push_back(kind);
  }
  return chosen;
}

std::vector<Cell> cells_of(const Options& options) {
  std::vector<Cell> cells;
  auto callers = numbers_option(options.concurrency, "--concurrency", 10'000);
  auto batches = numbers_option(options.batch, "--batch", 10'000);
  for (const Kind* kind : kinds_option(options.only))
    for (unsigned batch : kind->batched ? batches : std::vector<unsigned>{1})
      for (unsigned count : callers) cells.push_back({std::string(kind->name), count, batch});
  return cells;
}

Run run_of(const Options& options, const std::vector<Cell>& cells) {
  Run run{options.choice, options.ns.empty() ? "bench-" + Id::random().text().substr(0, 12) : options.ns, {}, 0};
  run.settings.time = duration_option(options.time, "--time");
  run.settings.payload = number_option(options.payload, "--payload", 0, std::uint64_t{16} << 20);
  run.settings.records = number_option(options.records, "--records", 1, 100'000'000);
  run.settings.processes = static_cast<unsigned>(number_option(options.processes, "--processes", 1, 256));
  if (!options.worker.empty())
    run.settings.process = static_cast<unsigned>(number_option(options.worker, "--worker", 0, 255));
  for (const Cell& cell : cells) run.waiting = std::max(run.waiting, cell.callers);
  return run;
}

/// One line on standard error that says what is going on.
class Progress {
 public:
  void say(const std::string& text) {
    if (terminal_) {
      write_text("\r\033[K" + text);
    } else {
      write_text(text + "\n");
    }
  }
  void end() {
    if (terminal_) write_text("\r\033[K");
  }

 private:
  static void write_text(const std::string& text) { std::ignore = write(STDERR_FILENO, text.data(), text.size()); }
  bool terminal_ = isatty(STDERR_FILENO) == 1;
};

std::string cell_text(const Cell& cell) {
  return cell.workload + ", " + std::to_string(cell.callers) + (cell.callers == 1 ? " caller, " : " callers, ") +
         (cell.batch == 1 ? "one" : std::to_string(cell.batch)) + " a call";
}

/// The bare loop that a durable store is compared with, run between the measurements: a disk has moods.
class Baseline {
 public:
  Baseline(const Options& options, const Settings& settings)
      : directory_(options.baseline_directory),
        bytes_(std::max<std::size_t>(settings.payload, 1)),
        time_(settings.time / 2) {}
  std::optional<double> measure(std::stop_token stop) const {
    if (directory_.empty()) return std::nullopt;
    return append_rate(directory_, bytes_, time_, stop);
  }

 private:
  std::string directory_;
  std::size_t bytes_;
  Duration time_;
};

void measure_all(const std::vector<Cell>& cells, Team& team, const Baseline& baseline, Report& report,
                 Progress& progress, std::stop_token stop) {
  std::size_t done = 0;
  auto before = baseline.measure(stop);
  for (const Cell& cell : cells) {
    if (stop.stop_requested()) return;
    progress.say("bench " + std::to_string(++done) + "/" + std::to_string(cells.size()) + ": " + cell_text(cell));
    try {
      Report::Row row{cell, team.measure(cell, stop), baseline.measure(stop)};
      if (stop.stop_requested()) return;  // cut short: no figure
      if (row.append_rate) row.append_rate = (*row.append_rate + std::exchange(before, row.append_rate).value()) / 2;
      report.rows.push_back(std::move(row));
    } catch (const Error& error) {
      if (stop.stop_requested()) return;
      throw Error(error.status(), cell_text(cell) + ": " + error.what());
    }
  }
}

void print_report(const Report& report, const Options& options) {
  if (options.json) {
    print(boost::json::serialize(report.told()));
    return;
  }
  Paint paint;
  print(report.table(paint));
  if (!options.no_plot && !report.rows.empty()) print("\n" + report.plot(paint));
}

void check_baseline(const std::string& directory) {
  if (directory.empty()) return;
  std::error_code failed;
  const char* why = nullptr;
  if (!std::filesystem::is_directory(directory, failed))
    why = "there is no such folder";
  else if (access(directory.c_str(), W_OK | X_OK) != 0)
    why = std::strerror(errno);
  if (why) throw Usage("--baseline-dir: " + types::printable(directory) + ": " + why);
}

int bench_store(const Options& options, Context& context) {
  check_baseline(options.baseline_directory);
  std::vector<Cell> cells = cells_of(options);
  Run run = run_of(options, cells);
  std::stop_source stop;
  int stopping = context.stop.add([&] { stop.request_stop(); });
  if (!options.worker.empty()) {
    serve(run, stop.get_token());
    context.stop.forget(stopping);
    return exit_ok;
  }
  OpenStore open(run);
  Report report;
  report.config = open.store().config();
  report.info = open.store().opened_as();
  report.settings = run.settings;
  if (run.settings.processes > 1 && !report.info.has("cross_process"))
    throw Usage("--processes: this store is not shared by processes (it does not declare cross_process)");
  auto team = run.settings.processes > 1 ? team_of_processes(run) : team_here(open, run);
  Progress progress;
  measure_all(cells, *team, Baseline(options, run.settings), report, progress, stop.get_token());
  team.reset();
  if (report.info.has("cross_process") && !stop.stop_requested()) {
    progress.say("bench: removing what was written");
    clean(open.store(), stop.get_token());
  }
  progress.end();
  context.stop.forget(stopping);
  print_report(report, options);
  return exit_ok;
}

std::string kinds_help() {
  std::string text = "\nKinds of work (* = unless --only says others):\n";
  for (const Kind& kind : kinds())
    text += std::string("  ") + (kind.usual ? "* " : "  ") + std::string(kind.name) +
            std::string(20 - std::min<std::size_t>(19, kind.name.size()), ' ') + std::string(kind.help) + "\n";
  return text +
         "\ntrips = executes of sessions; syncs = fsync and fdatasync of this store's processes, the commits of a\n"
         "store that keeps files; a call of many has the latency of the whole call. It writes into a namespace of\n"
         "its own and removes what it wrote; small leftovers of removed things stay until a trim there.\n"
         "\nExamples:\n  stile bench memory:\n  stile bench - --only record,run-once --time 3s --baseline-dir .\n"
         "  stile bench - --processes 4 --concurrency 1 --json";
}

}  // namespace

void add_bench(CLI::App& program, Context& context) {
  auto options = std::make_shared<Options>();
  CLI::App* command = program.add_subcommand("bench", "Measure how fast a store is");
  command->footer(kinds_help());
  options->choice.add_to(*command);
  command->add_option("--only", options->only, "these kinds of work, separated by commas");
  command->add_option("--time", options->time, "of each measurement")->capture_default_str();
  command->add_option("--concurrency", options->concurrency, "callers at once, of each process")->capture_default_str();
  command->add_option("--batch", options->batch, "operations a call")->capture_default_str();
  command->add_option("--processes", options->processes, "so many processes at once")->capture_default_str();
  command->add_option("--payload", options->payload, "bytes of a value")->capture_default_str();
  command->add_option("--records", options->records, "of the checkpoint that is loaded")->capture_default_str();
  command->add_option("--baseline-dir", options->baseline_directory,
                      "compare with a bare append and fdatasync in this directory");
  command->add_option("--deadline", options->choice.deadline, "of opening")->capture_default_str();
  command->add_option("--namespace", options->ns, "use this one, not a fresh one; everything in it is removed");
  command->add_flag("--json", options->json, "print the figures as JSON");
  command->add_flag("--no-plot", options->no_plot, "print the table alone");
  command->add_option("--worker", options->worker)->group("");  // how it starts its own processes
  command->callback([options, &context] { context.status = bench_store(*options, context); });
}

}  // namespace stile::cli
