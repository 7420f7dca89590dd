// A contradiction as a swim-lane picture: time to the right, one lane a client, leases and deliveries as bars.
//
// What is drawn comes from the judge's verdict as JSON (judge/verdict.hpp), so that a recorded run can be drawn later.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace stile::conformance::report {

namespace json = boost::json;

// Pixels that the layout and the drawing agree on.
inline constexpr double box_height = 38, box_gap = 6, bar_height = 15, bar_gap = 3, lane_padding = 8;

/// How an operation ended, as it is coloured.
enum class Tone { ok, refused, error, doubt };

/// One operation.
struct Box {
  std::size_t lane = 0, row = 0;
  double left = 0, right = 0;
  std::string asked, answered;  ///< the two lines in it
  std::string title;            ///< the whole request and answer
  Tone tone = Tone::ok;
  int number = 0;     ///< of those that contradict each other, from 1; 0 = it only happened beside them
  int hue = -1;       ///< of the lease whose fence it showed
  bool open = false;  ///< it may have happened later than it returned, or may yet
};

/// A lease or a delivery while its holder had it.
struct Bar {
  enum class Kind { lease, delivery } kind = Kind::lease;
  std::size_t lane = 0, row = 0;
  double left = 0, lapse = 0, right = 0;  ///< lapse: where its time ended by the store's clock; it was superseded later
  std::string label, title;
  int hue = 0;
  bool open = false;  ///< its end lies beyond the picture
};

struct Tick {
  double at = 0;
  std::string label;
};

struct Lane {
  std::string client;
  double top = 0, height = 0;
  std::size_t rows = 0, tracks = 0;  ///< of boxes, of bars
};

/// Laid out, in pixels.
struct Lanes {
  std::vector<Lane> lanes;
  std::vector<Box> boxes;
  std::vector<Bar> bars;
  std::vector<Tick> ticks;
  double width = 0, height = 0;
  std::size_t left_out = 0;  ///< contradicting operations that there was no room for
};

/// Of one finding; `verdict` is the whole, for its clock and its beginning. Nothing in it is trusted to be well formed.
Lanes lay_out(const json::object& finding, const json::object& verdict);

/// As HTML: the names at the left stay while the picture is scrolled. `id` makes the anchors of its operations unique.
std::string draw(const Lanes& lanes, const std::string& id);

/// What its marks mean; once a page.
std::string legend();

/// The contradicting operations as a list that leads to the picture.
std::string told(const json::object& finding, const json::object& verdict, const std::string& id);

}  // namespace stile::conformance::report
