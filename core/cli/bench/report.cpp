// What a run found.
//
// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "types/text.hpp"

namespace stile::cli::bench {
namespace {

namespace json = boost::json;

std::string grouped(double number) {
  std::string digits = std::to_string(static_cast<std::uint64_t>(std::llround(std::max(0.0, number))));
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string fixed(double number, int places) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", places, number);
  return text;
}

std::string time_text(std::uint64_t nanoseconds) {
  auto number = static_cast<double>(nanoseconds);
  if (number < 1e3) return fixed(number, 0) + " ns";
  if (number < 1e6) return fixed(number / 1e3, 1) + " us";
  if (number < 1e9) return fixed(number / 1e6, 1) + " ms";
  return fixed(number / 1e9, 2) + " s";
}

double per_job(std::uint64_t cost, const Measured& measured) {
  return measured.jobs == 0 ? 0 : static_cast<double>(cost) / static_cast<double>(measured.jobs);
}

// Percent of one core.
double cpu_percent(const Measured& measured) {
  return measured.seconds > 0 ? static_cast<double>(measured.costs.cpu) / measured.seconds / 1e4 : 0;
}

std::string batch_text(const Cell& cell) { return cell.batch == 1 ? "one" : std::to_string(cell.batch); }

std::string of_append(const Report::Row& row) {
  if (!row.append_rate || *row.append_rate <= 0) return "-";
  return fixed(row.measured.rate() / *row.append_rate, 2) + " x";
}

Table::Cell number(std::string text) { return {std::move(text), Colour::none, true}; }

}  // namespace

std::string Report::durability_class() const {
  return info.has("replicated") ? "replicated" : info.has("durable") ? "durable" : "volatile";
}

std::optional<double> Report::append_rate() const {
  double sum = 0;
  for (const Row& row : rows) sum += row.append_rate.value_or(0);
  return sum > 0 ? std::optional(sum / static_cast<double>(rows.size())) : std::nullopt;
}

std::string Report::table(const Paint& paint) const {
  std::string text = paint(Colour::strong, types::printable(config)) + "  " + types::printable(info.plugin) + ", " +
                     types::printable(info.server) + "\n" + durability_class() + ": " +
                     types::printable(info.durability) + "\n";
  if (settings.processes > 1) text += std::to_string(settings.processes) + " processes, callers of each\n";
  auto bare = append_rate();
  if (bare) text += "bare append and fdatasync between the measurements: " + grouped(*bare) + "/s\n";
  Table table;
  std::vector<Table::Cell> head;
  for (const char* name : {"what", "callers", "a call", "rate/s", "median", "p99", "worst", "trips/job", "syncs/job",
                           "bytes/job", "cpu", "class"})
    head.push_back({name, Colour::faint, std::string_view(name) != "what" && std::string_view(name) != "class"});
  if (bare) head.insert(head.begin() + 4, {"of append", Colour::faint, true});
  if (settings.processes > 1) head.insert(head.begin() + 4, {"slowest", Colour::faint, true});
  table.add(head);
  for (const Row& row : rows) {
    const Measured& one = row.measured;
    std::vector<Table::Cell> cells{{row.cell.workload, Colour::strong},
                                   number(std::to_string(row.cell.callers)),
                                   number(batch_text(row.cell)),
                                   {grouped(one.rate()), Colour::good, true},
                                   number(time_text(one.took.quantile(0.5))),
                                   number(time_text(one.took.quantile(0.99))),
                                   number(time_text(one.took.largest())),
                                   number(fixed(per_job(one.costs.trips, one), 2)),
                                   number(fixed(per_job(one.costs.syncs, one), 2)),
                                   number(grouped(per_job(one.costs.bytes, one))),
                                   number(fixed(cpu_percent(one), 0) + "%"),
                                   {durability_class()}};
    if (bare) cells.insert(cells.begin() + 4, number(of_append(row)));
    if (settings.processes > 1) cells.insert(cells.begin() + 4, number(fixed(one.slowest_share(), 2)));
    table.add(std::move(cells));
  }
  return text + table.text(paint);
}

std::string Report::plot(const Paint& paint) const {
  constexpr double width = 50;
  Table table;
  std::string last;
  for (const Row& row : rows) {
    double most = 1;
    for (const Row& other : rows)
      if (other.cell.workload == row.cell.workload) most = std::max(most, other.measured.rate());
    auto length = static_cast<std::size_t>(std::lround(width * row.measured.rate() / most));
    table.add(
        {{row.cell.workload == last ? "" : row.cell.workload, Colour::strong},
         number(std::to_string(row.cell.callers) + " x " + batch_text(row.cell)),
         {std::string(std::max<std::size_t>(length, 1), '#') + " " + grouped(row.measured.rate()), Colour::none}});
    last = row.cell.workload;
  }
  return paint(Colour::faint, "rate a second, each kind by its own best") + "\n" + table.text(paint);
}

json::object Report::told() const {
  json::object told{{"store", config},
                    {"plugin", info.plugin},
                    {"server", info.server},
                    {"durability", info.durability},
                    {"class", durability_class()},
                    {"processes", settings.processes},
                    {"payload", settings.payload}};
  if (auto bare = append_rate()) told["append_rate"] = *bare;
  json::array& all = told["rows"].emplace_array();
  for (const Row& row : rows) {
    const Measured& one = row.measured;
    const Kind* kind = find_kind(row.cell.workload);
    auto microseconds = [](std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e3; };
    json::object told_row{{"workload", row.cell.workload},
                          {"unit", kind ? kind->unit : "jobs"},
                          {"callers", row.cell.callers},
                          {"batch", row.cell.batch},
                          {"jobs", one.jobs},
                          {"seconds", one.seconds},
                          {"rate", one.rate()},
                          {"median_us", microseconds(one.took.quantile(0.5))},
                          {"p99_us", microseconds(one.took.quantile(0.99))},
                          {"worst_us", microseconds(one.took.largest())},
                          {"trips_per_job", per_job(one.costs.trips, one)},
                          {"syncs_per_job", per_job(one.costs.syncs, one)},
                          {"bytes_per_job", per_job(one.costs.bytes, one)},
                          {"cpu_percent", cpu_percent(one)},
                          {"class", durability_class()}};
    if (settings.processes > 1) told_row["slowest_share"] = one.slowest_share();
    if (row.append_rate) told_row["append_rate"] = *row.append_rate;
    all.push_back(std::move(told_row));
  }
  return told;
}

}  // namespace stile::cli::bench
