// Where everything of a picture stands.
//
// The axis keeps the order of all moments and shortens the gaps between them (by their logarithm), so that what took
// microseconds and what waited for a lease are both legible.
//
// SPDX-License-Identifier: Apache-2.0
#include "report/lanes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "report/html.hpp"
#include "report/moments.hpp"
#include "types/text.hpp"

namespace stile::conformance::report {
namespace {

constexpr double letter = 6.7;  // wide, of the font of the boxes
constexpr double margin = 12, top_of_lanes = 30;
constexpr std::size_t most_letters = 26;
constexpr int hues = 6;

std::string name_in_a_box(const std::string& text) {
  std::string shown = types::printable(text.substr(0, 4 * most_letters));
  if (shown.size() <= most_letters) return shown;
  shown.resize(most_letters);
  while (!shown.empty() && (static_cast<unsigned char>(shown.back()) & 0xC0) == 0x80) shown.pop_back();
  if (!shown.empty() && static_cast<unsigned char>(shown.back()) >= 0xC0) shown.pop_back();
  return shown + "…";
}

/// "record step", "acquire w": what was asked, as far as a box has room for it.
std::string headline(const Happened& one) {
  std::string text = one.text("op");
  for (const char* member : {"key", "workflow", "receipt", "prefix"}) {
    std::string value = one.text(member);
    if (value.empty()) continue;
    text += " " + value;
    break;
  }
  return name_in_a_box(text);
}

/// The status, and the one thing of an answer that tells most.
std::string tail(const Happened& one) {
  std::string status = one.status();
  if (status.empty()) return "no answer";
  if (status != "ok") return name_in_a_box(status);
  if (const json::value* list = one.answered.if_contains("deliveries"); list && list->is_array())
    return list->get_array().empty() ? "ok, none" : "ok, " + counted(list->get_array().size(), "delivery");
  if (const json::value* list = one.answered.if_contains("records"); list && list->is_array())
    return "ok, " + counted(list->get_array().size(), "record");
  for (const char* member : {"value", "version", "key", "state"})
    if (const json::value* value = one.answered.if_contains(member)) return name_in_a_box("ok " + said(*value));
  if (const json::value* removed = one.answered.if_contains("removed"); removed && removed->is_number())
    return name_in_a_box("ok, removed " + said(*removed));
  return "ok";
}

Tone tone_of(const Happened& one) {
  static const std::set<std::string> refusals{"fenced",   "stale",     "cancelled", "lapsed",       "held",
                                              "conflict", "not_found", "skipped",   "effect_failed"};
  if (one.in_doubt()) return Tone::doubt;
  std::string status = one.status();
  return status == "ok" ? Tone::ok : refusals.count(status) != 0 ? Tone::refused : Tone::error;
}

std::string title_of(const Happened& one) {
  std::string title = cut(json::serialize(one.asked), 500) + "\n";
  return title + (one.answered.empty() ? "no answer" : "-> " + cut(json::serialize(one.answered), 700));
}

/// The places of all moments on the axis.
class Axis {
 public:
  void add(std::int64_t moment) { places_[moment] = 0; }

  /// Two moments that are at least so far apart.
  void demand(std::int64_t from, std::int64_t to, double width) { demands_[to].push_back({from, width}); }

  void lay_out() {
    double at = margin;
    std::int64_t before = 0;
    bool first = true;
    for (auto& [moment, place] : places_) {
      if (!first) at += gap(moment - before);
      for (const auto& [from, width] : demands_[moment])
        if (from < moment) at = std::max(at, places_.at(from) + width);
      place = at;
      before = moment;
      first = false;
    }
    end_ = at;
  }

  double operator()(std::int64_t moment) const { return places_.at(moment); }
  double end() const { return end_; }
  const std::map<std::int64_t, double>& places() const { return places_; }

 private:
  static double gap(std::int64_t microseconds) { return 10 + 14 * std::log10(1 + static_cast<double>(microseconds)); }

  std::map<std::int64_t, double> places_;
  std::map<std::int64_t, std::vector<std::pair<std::int64_t, double>>> demands_;
  double end_ = 0;
};

class Layout {
 public:
  Layout(const json::object& finding, const json::object& verdict)
      : all_(happened(finding, out_.left_out)), held_(held(all_)), offset_(clock_offset(verdict)) {
    begin_ = beginning(verdict);
    if (begin_ == 0 && !all_.empty()) begin_ = all_.front().begin;
  }

  Lanes run() {
    if (all_.empty()) return std::move(out_);
    make_lanes();
    make_axis();
    place_boxes();
    place_bars();
    stack();
    place_ticks();
    return std::move(out_);
  }

 private:
  std::size_t lane_of(const std::string& client) const { return lanes_.at(client); }

  void make_lanes() {
    for (const Happened& one : all_) {
      if (!lanes_.emplace(one.client, out_.lanes.size()).second) continue;
      out_.lanes.push_back({one.client, 0, 0, 1, 0});
    }
  }

  static double width_of(const Box& box) {
    return 16 + letter * static_cast<double>(std::max<std::size_t>({box.asked.size(), box.answered.size(), 6}));
  }

  void make_axis() {
    std::int64_t last = all_.front().begin;
    for (const Happened& one : all_) last = std::max({last, one.begin, one.end.value_or(one.begin)});
    last_ = last;
    for (const Happened& one : all_) {
      Box box;
      box.asked = headline(one);
      box.answered = tail(one);
      axis_.add(one.begin);
      std::int64_t end = end_of(one);
      axis_.add(end);
      axis_.demand(one.begin, end, width_of(box));
      out_.boxes.push_back(std::move(box));
    }
    for (const Held& one : held_)
      if (auto lapse = lapse_of(one); lapse && *lapse <= last_) axis_.add(*lapse);
    axis_.lay_out();
    out_.width = axis_.end() + 90;
  }

  /// A moment of its own where it took no time that the clock could tell.
  std::int64_t end_of(const Happened& one) const {
    return std::max(one.end.value_or(std::max(last_, one.begin)), one.begin + 1);
  }

  std::optional<std::int64_t> lapse_of(const Held& one) const {
    if (!one.until || !offset_) return std::nullopt;
    return std::max(one.from, *one.until - *offset_);
  }

  int hue_of(const std::string& fence) {
    if (fence.empty()) return -1;
    auto found = hues_.find(fence);
    return found == hues_.end() ? -1 : found->second;
  }

  void place_boxes() {
    for (const Held& one : held_)
      if (!one.delivery) hues_.emplace(one.name, static_cast<int>(hues_.size()) % hues);
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const Happened& one = all_[i];
      Box& box = out_.boxes[i];
      box.lane = lane_of(one.client);
      box.left = axis_(one.begin);
      box.right = axis_(end_of(one));
      box.title = title_of(one);
      box.tone = tone_of(one);
      box.number = one.number;
      box.open = one.in_doubt();
      box.hue = hue_of(one.text("fence"));
    }
  }

  void place_bars() {
    for (const Held& one : held_) {
      auto lane = lanes_.find(one.client);
      if (lane == lanes_.end() || axis_.places().count(one.from) == 0) continue;
      Bar bar;
      bar.kind = one.delivery ? Bar::Kind::delivery : Bar::Kind::lease;
      bar.lane = lane->second;
      bar.left = axis_(one.from);
      bar.open = !one.over;
      bar.right = one.over && axis_.places().count(*one.over) != 0 ? axis_(*one.over) : out_.width - 10;
      auto lapse = lapse_of(one);
      bar.lapse = lapse && *lapse <= last_ ? std::min(bar.right, axis_(*lapse)) : bar.right;
      bar.label = one.delivery ? "delivery of " + one.workflow : "lease " + one.name.substr(0, one.name.find('.'));
      bar.label = name_in_a_box(bar.label);
      bar.title = (one.delivery ? "delivery " + std::to_string(one.count) + " of " : "lease of ") + one.workflow +
                  "\n" + cut(one.name, 300);
      if (lapse) bar.title += "\nits time ends at " + instant(*lapse - begin_) + " of the history";
      bar.hue = std::max(0, hue_of(one.name));
      out_.bars.push_back(std::move(bar));
    }
  }

  /// The first row that is free; rows are known by where their last one ends.
  static std::size_t row_in(std::vector<double>& ends, double left, double right) {
    std::size_t row = 0;
    while (row < ends.size() && ends[row] + 3 > left) ++row;
    if (row == ends.size()) ends.push_back(0);
    ends[row] = right;
    return row;
  }

  void stack() {
    std::vector<std::vector<double>> rows(out_.lanes.size()), tracks(out_.lanes.size());
    for (Box& box : out_.boxes) box.row = row_in(rows[box.lane], box.left, box.right);
    std::stable_sort(out_.bars.begin(), out_.bars.end(), [](const Bar& a, const Bar& b) { return a.left < b.left; });
    for (Bar& bar : out_.bars) {
      double shown = bar.left + 10 + letter * static_cast<double>(bar.label.size());
      bar.row = row_in(tracks[bar.lane], bar.left, std::max(bar.right, shown));
    }
    double top = top_of_lanes;
    for (std::size_t i = 0; i < out_.lanes.size(); ++i) {
      Lane& lane = out_.lanes[i];
      lane.rows = std::max<std::size_t>(1, rows[i].size());
      lane.tracks = tracks[i].size();
      lane.top = top;
      lane.height = 2 * lane_padding + static_cast<double>(lane.rows) * (box_height + box_gap) - box_gap +
                    static_cast<double>(lane.tracks) * (bar_height + bar_gap);
      top += lane.height;
    }
    out_.height = top + 6;
  }

  void place_ticks() {
    double next = 0;
    for (const auto& [moment, at] : axis_.places()) {
      if (at < next) continue;
      out_.ticks.push_back({at, instant(moment - begin_)});
      next = at + 100;
    }
  }

  Lanes out_;
  std::vector<Happened> all_;
  std::vector<Held> held_;
  std::optional<std::int64_t> offset_;
  std::int64_t begin_ = 0, last_ = std::numeric_limits<std::int64_t>::min();
  std::map<std::string, std::size_t> lanes_;
  std::map<std::string, int> hues_;
  Axis axis_;
};

}  // namespace

Lanes lay_out(const json::object& finding, const json::object& verdict) { return Layout(finding, verdict).run(); }

}  // namespace stile::conformance::report
