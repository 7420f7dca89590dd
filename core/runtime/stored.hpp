// The keys of a workflow's checkpoint and the forms of what stands under them. Everything the runtime writes is here.
//
//   !start            j>KIND;by=ID …        the input, addressed to its kind
//   NAME#K            j=… j!… j@…           the K-th use of a name: a step's value or failure, a wait's timer
//   NAME#K/timeout    j~null                that wait ended without what it waited for
//   !failed/NAME#K/N  j!…                   attempt N failed and the next one waits for a later pass
//   !cancel           j~null                the pass saw the cancel request here
//   !signal/NAME      j=…                   supplied from outside
//   inbox:…           j>INBOX …             appended from outside, addressed to its inbox
//   !result           j=… j!…               the end
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "stile/codec.hpp"
#include "stile/types.hpp"

namespace stile::runtime {

using detail::Form;

inline constexpr std::string_view start_key = "!start";
inline constexpr std::string_view result_key = "!result";
inline constexpr std::string_view cancel_key = "!cancel";
inline constexpr std::string_view signal_prefix = "!signal/";
inline constexpr std::string_view failed_prefix = "!failed/";
inline constexpr std::string_view inbox_prefix = "inbox:";
inline constexpr std::string_view timeout_suffix = "/timeout";
inline constexpr std::string_view mark = "j~null";

/// What is wrong with a name of a step, wait or signal, or nothing: 1 to 400 bytes of UTF-8 without control characters;
/// "!" and "inbox:" at its beginning are the core's.
std::optional<std::string> wrong_name(std::string_view name);
/// The same for a kind or an inbox: 1 to 64 bytes besides, without blanks and ';'. A kind is a queue's name too.
std::optional<std::string> wrong_address(std::string_view name);

std::string use_key(std::string_view name, unsigned use);
std::string failed_key(std::string_view key, int attempt);
std::string signal_key(std::string_view name);

/// The second byte; nothing for what is shorter than two.
std::optional<Form> form_of(std::string_view stored);

/// A failure as it is recorded: of a step, or of a workflow.
struct StoredFailure {
  std::string error;
  int attempts = 1;         ///< how often the step was tried, this one included
  Duration again_after{0};  ///< a failed attempt: the pause before the next one
};
std::string write_failure(const StoredFailure& failure);
/// Throws ValueError for what is no failure.
StoredFailure read_failure(std::string_view stored);

/// When a wait ends: a time after the timer was recorded, or an instant.
struct Timer {
  std::optional<Duration> after;
  std::optional<StoreTime> until;

  StoreTime due(StoreTime written_at) const;
};
std::string write_timer(const Timer& timer);
/// Throws ValueError for what is no timer.
Timer read_timer(std::string_view stored);

/// An input to a kind, or a message to an inbox: a value with an address, and what else the address says.
struct Message {
  std::string to;
  std::map<std::string, std::string, std::less<>> says;
  std::string value;  ///< codec byte, '=', value: as decode_value reads it
};
/// value as encode_value wrote it; nothing that `says` holds may have a blank or ';' in it.
std::string write_message(const Message& message);
/// Throws ValueError for what is no message.
Message read_message(std::string_view stored);

}  // namespace stile::runtime
