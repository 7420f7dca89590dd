// What a case file says, as data: cases, their lines, terms that make values, shapes that judge them.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "stile/types.hpp"
#include "types/text.hpp"

namespace stile::conformance {

namespace json = boost::json;

/// Where something stands: for errors and reports.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
  std::string text() const { return file + ":" + std::to_string(line) + ":" + std::to_string(column); }
};

/// A case file that does not follow the language of README.md. what() begins with file:line:column.
class SyntaxError : public std::runtime_error {
 public:
  SyntaxError(const Place& place, const std::string& what)
      : std::runtime_error(types::printable(place.text() + ": " + what)) {}
};

struct Summand;
struct Named;

/// Something that makes a value.
struct Term {
  enum class Kind { literal, text, variable, op_id, list, object, call };

  /// A part of quoted text: bytes, or a variable, padded with zeros to a width.
  struct Piece {
    std::string bytes;
    std::string variable;
    int width = 0;
  };

  Kind kind = Kind::literal;
  Place place;
  json::value literal;         ///< literal: a number, true, false, null
  std::vector<Piece> pieces;   ///< text
  std::uint64_t times = 1;     ///< text: said so often
  std::string name;            ///< variable, op_id, call
  std::vector<Summand> sums;   ///< variable: what is added or taken away
  std::vector<Term> items;     ///< list, call
  std::vector<Named> members;  ///< object
};

struct Summand {
  int sign;  ///< +1 or -1
  Term term;
};

/// A member of an object or of a request.
struct Named {
  std::string name;
  Term term;
};

struct Shape;
struct Tested;

/// One member of an answer and what must hold for it.
struct Expected {
  enum class Test { equal, not_equal, less, at_most, more, at_least, about };

  Place place;
  std::string member;
  bool absent = false;  ///< must be left out
  std::vector<Tested> tests;
};

/// What a value must look like.
struct Shape {
  enum class Kind { any, capture, term, list, object, rest };

  Kind kind = Kind::any;
  Place place;
  std::string name;               ///< capture: taken the first time, compared afterwards
  Term term;                      ///< term
  bool any_order = false;         ///< list
  std::vector<Shape> items;       ///< list; rest stands for any number of elements
  std::vector<Expected> members;  ///< object: those named, others may be there
};

/// One of the things that must hold for a member.
struct Tested {
  Expected::Test test;
  Shape shape;
};

/// What must come back.
struct Expectation {
  std::vector<Status> statuses;  ///< one of them
  std::vector<Expected> members;
};

/// One operation: `op word name=value ...`.
struct Request {
  Place place;
  std::string op;
  std::vector<Named> members;
  std::optional<Term> deadline;
  bool after_ok = false;
};

/// One thing a case does.
struct Line {
  enum class Kind { call, pages, start, finish, interrupt, batch, wait, let, check, repeat, cost, reopen };

  Kind kind = Kind::call;
  Place place;
  std::string source;                 ///< as it stands in the file
  std::string session;                ///< empty = the case's own
  std::optional<Request> request;     ///< call, pages, start
  std::optional<Expectation> expect;  ///< call, pages, finish, members of a batch
  std::string variable;               ///< let, repeat
  std::string until;                  ///< repeat: until the call started in this session has returned
  std::vector<Term> terms;  ///< wait: how long; let: what; check: both sides; repeat: from, to; cost: 3 numbers
  Expected::Test test = Expected::Test::equal;  ///< check
  std::vector<Line> lines;                      ///< batch, repeat; cost: those that build
  std::vector<Line> grow, fresh, probe;         ///< cost
};

/// A session or a store that a case opens besides its own.
struct Extra {
  enum class Kind { session, store, space };
  Kind kind = Kind::session;
  Place place;
  std::string name;
  std::string suffix;  ///< space: what its namespace has after the case's own
};

/// One case: one idea.
struct Case {
  Place place;
  std::string suite, name;
  std::vector<std::string> ids;    ///< contract ids
  std::vector<std::string> about;  ///< the comment above it
  std::set<std::string> needs;     ///< capabilities, said or seen in its lines
  std::set<std::string> operations;
  std::optional<Duration> limit;
  bool measures = false;  ///< looks at how long a call took
  bool alone = false;     ///< looks at what the whole store holds, which is more than its namespace
  int tries = 1;          ///< for times with margins that a stalled machine can break
  std::vector<Extra> extras;
  std::vector<Line> lines;
};

}  // namespace stile::conformance
