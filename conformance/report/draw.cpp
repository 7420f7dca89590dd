// A laid-out picture as SVG within HTML.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "report/html.hpp"
#include "report/lanes.hpp"
#include "report/moments.hpp"

namespace stile::conformance::report {
namespace {

std::string_view name_of(Tone tone) {
  switch (tone) {
    case Tone::ok: return "ok";
    case Tone::refused: return "refused";
    case Tone::error: return "error";
    case Tone::doubt: return "doubt";
  }
  return "error";
}

/// Tenths of a pixel are enough.
std::string px(double value) {
  auto tenths = static_cast<long long>(value * 10 + 0.5);
  std::string text = std::to_string(tenths / 10);
  return tenths % 10 == 0 ? text : text + "." + std::to_string(tenths % 10);
}

std::string rectangle(std::string_view classes, double x, double y, double width, double height, double round) {
  return "<rect class=\"" + std::string(classes) + "\" x=\"" + px(x) + "\" y=\"" + px(y) + "\" width=\"" +
         px(std::max(1.0, width)) + "\" height=\"" + px(height) + "\" rx=\"" + px(round) + "\"/>";
}

std::string text_at(std::string_view classes, double x, double y, const std::string& text) {
  return "<text class=\"" + std::string(classes) + "\" x=\"" + px(x) + "\" y=\"" + px(y) + "\">" + html(text) +
         "</text>";
}

std::string line(std::string_view classes, double x1, double y1, double x2, double y2) {
  return "<line class=\"" + std::string(classes) + "\" x1=\"" + px(x1) + "\" y1=\"" + px(y1) + "\" x2=\"" + px(x2) +
         "\" y2=\"" + px(y2) + "\"/>";
}

double top_of(const Lanes& lanes, const Box& box) {
  return lanes.lanes[box.lane].top + lane_padding + static_cast<double>(box.row) * (box_height + box_gap);
}

double top_of(const Lanes& lanes, const Bar& bar) {
  const Lane& lane = lanes.lanes[bar.lane];
  return lane.top + lane_padding + static_cast<double>(lane.rows) * (box_height + box_gap) - box_gap + bar_gap +
         static_cast<double>(bar.row) * (bar_height + bar_gap);
}

std::string background(const Lanes& lanes) {
  std::string out;
  for (std::size_t i = 0; i < lanes.lanes.size(); ++i)
    out += rectangle(i % 2 == 0 ? "lane even" : "lane", 0, lanes.lanes[i].top, lanes.width, lanes.lanes[i].height, 0);
  for (const Tick& tick : lanes.ticks) {
    out += line("grid", tick.at, 22, tick.at, lanes.height);
    out += text_at("tick", tick.at + 3, 16, tick.label);
  }
  return out;
}

std::string draw_bar(const Lanes& lanes, const Bar& bar) {
  double top = top_of(lanes, bar);
  std::string kind = bar.kind == Bar::Kind::lease ? "lease hue" + std::to_string(bar.hue) : "delivery";
  std::string out = "<g class=\"bar " + kind + "\"><title>" + html(bar.title) + "</title>";
  out += rectangle("live", bar.left, top, bar.lapse - bar.left, bar_height, 3);
  if (bar.lapse < bar.right) out += rectangle("lapsed", bar.lapse, top + 5, bar.right - bar.lapse, bar_height - 10, 2);
  if (bar.lapse < bar.right || !bar.open) out += line("stop", bar.lapse, top - 1, bar.lapse, top + bar_height + 1);
  return out + text_at("name", bar.left + 5, top + 11, bar.label) + "</g>";
}

std::string draw_box(const Lanes& lanes, const Box& box, const std::string& id) {
  double top = top_of(lanes, box), width = box.right - box.left;
  std::string classes = "op " + std::string(name_of(box.tone)) + (box.number != 0 ? " marked" : " beside");
  std::string out = "<g class=\"" + classes + "\"";
  if (box.number != 0) out += " id=\"" + id + "-" + std::to_string(box.number) + "\"";
  out += "><title>" + html(box.title) + "</title>";
  // It may yet happen: to the right, for as long as there is a picture.
  if (box.open) out += line("maybe", box.right, top + box_height / 2, lanes.width - 10, top + box_height / 2);
  out += rectangle("box", box.left, top, width, box_height, 5);
  if (box.hue >= 0)
    out += rectangle("chip hue" + std::to_string(box.hue), box.left + 1.5, top + 1.5, 4, box_height - 3, 2);
  out +=
      text_at("asked", box.left + 9, top + 16, box.asked) + text_at("answered", box.left + 9, top + 31, box.answered);
  if (box.number == 0) return out + "</g>";
  out += "<circle class=\"number\" cx=\"" + px(box.left) + "\" cy=\"" + px(top) + "\" r=\"9\"/>";
  return out + text_at("digit", box.left, top + 3.8, std::to_string(box.number)) + "</g>";
}

/// Since the history began.
std::string since(std::int64_t moment, const json::object& verdict) { return instant(moment - beginning(verdict)); }

}  // namespace

std::string draw(const Lanes& lanes, const std::string& id) {
  if (lanes.boxes.empty()) return {};
  std::string out = "<div class=\"lanes\"><div class=\"names\">";
  for (const Lane& lane : lanes.lanes)
    out += "<div style=\"height:" + px(lane.height) + "px\" title=\"" + html(lane.client) + "\"><span>" +
           html(cut(lane.client, 60)) + "</span></div>";
  out += "</div><div class=\"time\" tabindex=\"0\" role=\"group\" aria-label=\"operations by time\"><svg width=\"" +
         px(lanes.width) + "\" height=\"" + px(lanes.height) + "\" viewBox=\"0 0 " + px(lanes.width) + " " +
         px(lanes.height) + "\" role=\"img\">";
  out += background(lanes);
  for (const Bar& bar : lanes.bars) out += draw_bar(lanes, bar);
  // What contradicts itself lies on top.
  for (bool marked : {false, true})
    for (const Box& box : lanes.boxes)
      if ((box.number != 0) == marked) out += draw_box(lanes, box, id);
  return out + "</svg></div></div>\n";
}

std::string legend() {
  static constexpr std::array<std::array<std::string_view, 2>, 4> tones{
      {{"ok", "ok"}, {"refused", "refused"}, {"error", "error"}, {"doubt", "outcome unknown: it may yet happen"}}};
  std::string out = "<p class=\"legend\">";
  for (const auto& [tone, text] : tones)
    out += "<span class=\"key " + std::string(tone) + "\"></span>" + std::string(text) + " ";
  return out +
         "<span class=\"key marked\"></span>contradict each other "
         "<span class=\"key lease\"></span>lease "
         "<span class=\"key delivery\"></span>delivery "
         "<span class=\"key lapsed\"></span>its time is over, nobody has taken it yet. "
         "Time goes to the right; long gaps are shortened. A stripe at the left of an operation is the lease whose "
         "fence it showed.</p>\n";
}

std::string told(const json::object& finding, const json::object& verdict, const std::string& id) {
  std::size_t left_out = 0;
  std::string out = "<ol class=\"told\">\n";
  bool gap = false;
  int before = 0;
  auto all = happened(finding, left_out);
  std::stable_sort(all.begin(), all.end(), [](const Happened& a, const Happened& b) { return a.number < b.number; });
  for (const Happened& one : all) {
    if (one.number == 0) continue;
    if (!gap && one.number > before + 1 && left_out != 0) {
      out += "<li class=\"gap\">" + counted(left_out, "operation") + " more are not shown</li>\n";
      gap = true;
    }
    before = one.number;
    std::string number = std::to_string(one.number);
    out += "<li value=\"" + number + "\"><a href=\"#" + id + "-" + number + "\">" + since(one.begin, verdict) + " – " +
           (one.end ? since(*one.end, verdict) : "never") + "</a> <b>" + html(cut(one.client, 60)) + "</b> <code>" +
           html(cut(json::serialize(one.asked), 600)) + "</code> <span class=\"arrow\">→</span> <code>" +
           (one.answered.empty() ? std::string("no answer") : html(cut(json::serialize(one.answered), 1200))) +
           "</code></li>\n";
  }
  return out + "</ol>\n";
}

}  // namespace stile::conformance::report
