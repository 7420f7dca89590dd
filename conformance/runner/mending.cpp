// What is broken in a store, in the order in which to mend it.
//
// SPDX-License-Identifier: Apache-2.0
#include "runner/mending.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

#include "runner/contract.hpp"
#include "runner/shorter.hpp"

namespace stile::conformance {
namespace {

constexpr std::size_t width = 150;

/// How basic a promise is: less is more basic.
std::pair<std::size_t, int> rank_of(const std::string& id) {
  constexpr std::string_view order = "KABWDCITSRE";
  int number = 0;
  if (!id.empty()) std::from_chars(id.data() + 1, id.data() + id.size(), number);
  // Whether it opens, and does what it says it does, comes before all else.
  if (id == "S1" || id == "S3" || id == "S5") return {0, number};
  std::size_t at = id.empty() ? std::string_view::npos : order.find(id[0]);
  return {at == std::string_view::npos ? order.size() + 1 : at + 1, number};
}

/// The promise that a check is told under.
std::string id_of(const Result& result) {
  constexpr std::size_t many = 6;
  const auto& named = result.outcome.ids;
  if (named.empty()) return result.check->ids.empty() || result.check->ids.size() > many ? "" : result.check->ids[0];
  return *std::min_element(named.begin(), named.end(),
                           [](const auto& one, const auto& other) { return rank_of(one) < rank_of(other); });
}

bool broken(const Result& result) {
  return result.outcome.verdict != Verdict::passed && result.outcome.verdict != Verdict::absent;
}

std::string padded(std::string text, std::size_t to) {
  if (text.size() < to) text.append(to - text.size(), ' ');
  return text;
}

/// Blanks and line ends as one blank.
std::string in_one_line(std::string_view text) {
  std::string out;
  for (char c : text) {
    bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  return out;
}

/// Whether a check was written for this promise. One that judges all there is names what it saw broken, which may be no
/// more than the trace of something else.
bool is_of_it(const Result& result) { return result.outcome.ids.empty(); }

std::string name_of_check(const Result& result) { return result.check->suite + "." + result.check->name; }

std::string line_of(const Result& result) {
  return cut_line("    " + padded(std::string(name_of(result.outcome.verdict)), 10) + name_of_check(result) + ": " +
                      reason_of(result),
                  width) +
         "\n";
}

std::string heading(const Broken& broken) {
  if (broken.id.empty()) return "  of many promises\n";
  const Promise* one = promise(broken.id);
  return cut_line("  " + padded(broken.id, 4) + (one ? one->text : std::string()), 110) + "\n";
}

}  // namespace

std::vector<Broken> to_be_mended(const Run& run) {
  std::map<std::string, Broken> by_id;
  for (const Result& result : run.results) {
    if (!broken(result)) continue;
    std::string id = id_of(result);
    Broken& one = by_id[id];
    one.id = id;
    one.results.push_back(&result);
  }
  std::vector<Broken> out;
  for (auto& [id, one] : by_id) {
    std::stable_sort(one.results.begin(), one.results.end(), [](const Result* a, const Result* b) {
      auto key = [](const Result& of) {
        return std::make_tuple(of.check->level, !is_of_it(of), of.check->place.empty());
      };
      return key(*a) < key(*b);
    });
    out.push_back(std::move(one));
  }
  std::stable_sort(out.begin(), out.end(), [](const Broken& a, const Broken& b) {
    auto key = [](const Broken& of) {
      return std::make_tuple(of.results[0]->check->level, !is_of_it(*of.results[0]), rank_of(of.id));
    };
    return key(a) < key(b);
  });
  return out;
}

std::string reason_of(const Result& result) {
  if (!result.outcome.reason.empty()) return in_one_line(result.outcome.reason);
  std::string_view text = result.outcome.text;
  std::string reason;
  // A second line may say where it was, or what the first one only announced.
  for (int i = 0; i < 2 && !text.empty(); ++i) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (i == 1 && !reason.ends_with(':') && !line.starts_with("it was")) break;
    reason += (i == 0 ? "" : reason.ends_with(':') ? " " : "; ") + std::string(line);
  }
  return in_one_line(reason);
}

std::string brief_text(const Result& result, std::size_t most) {
  std::string id = id_of(result);
  return for_terminal(cut_line(std::string(name_of(result.outcome.verdict)) + ": " + name_of_check(result) + "  " + id +
                                   (id.empty() ? "" : ": ") + reason_of(result),
                               most),
                      most);
}

std::string mending_text(const Run& run, bool all) {
  constexpr std::size_t most_checks = 24, most_of_one = 3;
  std::vector<Broken> list = to_be_mended(run);
  std::size_t left = run.counts().broken(), shown = 0;
  if (left == 0) return {};
  std::string text = "\nTo be mended, from the top: what stands below is often only a consequence.\n";
  for (const Broken& one : list) {
    if (!all && shown >= most_checks) break;
    text += heading(one);
    std::size_t of_this = all ? one.results.size() : std::min({one.results.size(), most_of_one, most_checks - shown});
    for (std::size_t i = 0; i < of_this; ++i) text += line_of(*one.results[i]);
    if (of_this < one.results.size())
      text += "    and " + std::to_string(one.results.size() - of_this) + " more: --only " +
              (one.id.empty() ? one.results.back()->check->suite + ".*" : one.id) + "\n";
    shown += of_this;
    left -= one.results.size();
  }
  if (left != 0)
    text += "  " + std::to_string(left) + (left == 1 ? " more check fails" : " more checks fail") +
            "; mend these first. (--verbose tells all, --report FILE.html keeps all)\n";
  text += "  one of them alone, whole: " + repeat_command(run, *list.front().results.front()) + "\n";
  return for_terminal(text, 1000) + "\n";
}

}  // namespace stile::conformance
