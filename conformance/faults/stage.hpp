// One playing of a script on a store: tokens put in, answers and all that the store holds made comparable.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "faults/scripts.hpp"
#include "target.hpp"

namespace stile::conformance::faults {

/// What a script has been told so far, and what was said.
class Stage {
 public:
  /// lease: how long $L is.
  Stage(const Target& target, std::string lease);

  /// The request of a line as it is to be sent now: tokens put in, an op_id where the operation takes one. The same
  /// lines of a script get the same op_ids in every playing.
  json::object request(const Line& line);
  /// Notes the tokens of an answer, and both for the transcript. `how` says who sent it, or what became of it.
  void note(const json::object& request, const json::object& answer, std::string_view how = {});
  void note(std::string_view what);

  /// The store's clock when the playing began: instants are compared by their distance from it.
  void begin(StoreTime now) { begun_ = now; }

  /// An answer, or a page, with everything replaced that may differ between two playings of one script: tokens by
  /// their order, positions by their distance, instants by their distance or, where the clock runs, by their presence.
  json::value comparable(const json::value& value);

  /// What was said and answered, line by line.
  const std::string& transcript() const { return transcript_; }

 private:
  json::value replaced(std::string_view member, const json::value& value);
  json::value numbered(const char* kind, const std::string& token);
  json::value position(std::int64_t number);
  void learn(const json::value& value);
  void told(std::string_view name, const std::string& token);
  json::value argument(std::string_view text) const;

  const Target& target_;
  const std::string lease_;
  StoreTime begun_{};
  std::uint64_t sent_ = 0;
  std::map<std::string, std::vector<std::string>> told_;
  std::map<std::string, std::map<std::string, std::size_t>> seen_;
  std::int64_t first_position_ = 0;
  std::string transcript_;
};

/// Sends one request and gives the answer.
using Say = std::function<json::object(const json::object&)>;

/// Everything that a store shows: every workflow with its records, every document, the figures.
json::object dump(const Say& say, const Target& target, Stage& stage);

}  // namespace stile::conformance::faults
