// A line of `stile call` on its way: what was asked, and what is answered.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/op.hpp"
#include "stile/types.hpp"

namespace stile::cli {

/// One operation of a line.
struct Member {
  std::unique_ptr<codec::Op> op;         ///< none when it was refused
  std::optional<codec::BadRequest> bad;  ///< why it is not sent
  std::optional<boost::json::value> tag;

  /// Answers it here: it is not sent, or not any more.
  void refuse(Status status, std::string text);
  Status status() const;
  boost::json::object answer() const;
};

/// One line: an operation, or a batch.
struct Job {
  bool batch = false;
  std::vector<Member> members;
  std::size_t session = 0;
  std::optional<boost::json::value> said_session;  ///< handed back in an object's answer
  std::size_t bytes = 0;                           ///< of the line: what it weighs in a queue

  /// The answer as a line, without its end.
  std::string answer() const;
};

/// Reads a line; what is wrong with it is its answer. sessions = how many there are, 0 when `s` is no member.
Job read_job(std::string_view line, std::size_t sessions);
/// The job of one operation that was said as words. Throws codec::BadRequest for words that are none.
Job job_of(boost::json::object operation, std::size_t sessions);
/// A line that is not even looked at, and why.
Job unread_job(std::string why);

}  // namespace stile::cli
