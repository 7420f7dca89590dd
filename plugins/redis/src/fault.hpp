// What goes wrong with a server, as statuses of the contract.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

#include "stile/sdk/engine/tables.hpp"

namespace stile::redis {

using Failure = sdk::engine::Failure;

/// The connection is of no use any more. `sent`: the server may have done what it was asked (R2).
class Broken : public std::exception {
 public:
  Broken(bool sent, std::string text) : sent_(sent), text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }
  bool sent() const { return sent_; }
  const std::string& text() const { return text_; }

 private:
  bool sent_;
  std::string text_;
};

/// What answers does not speak the protocol: it is another program.
class NoServer : public Broken {
 public:
  explicit NoServer(std::string text) : Broken(true, std::move(text)) {}
};

/// What an error that the server answered means; `drop`: this connection is to be given up.
struct Fault {
  std::int32_t status;
  std::string text;
  std::string native;  ///< the error's first word
  bool drop = false;
};

Fault fault_of(std::string_view error);

/// Of a script that finds no meta of its partition (head.lua).
inline constexpr std::string_view store_lost =
    "the namespace was laid out and is gone: the server lost its data, or somebody emptied it";

/// Is it the answer to a script that the server does not know (any more)?
bool is_no_script(std::string_view error);

}  // namespace stile::redis
