// The one-line form of an operation: `record workflow=w key=step value=x acquire.ttl=10s` as the object it stands for.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "codec/op.hpp"

namespace stile::codec {

/// The object of an operation written as words: a dot leads into a nested object, a value that begins with [ or { is
/// JSON, any other is read as its member's form asks (a number, true or false, null for a fence, else text). "tag" and
/// "s" are left in it. Throws BadRequest: a word without =, a member twice, broken JSON. What else is wrong is for
/// Op::decode to say.
json::object object_from_words(std::string_view op, std::span<const std::string> words);

}  // namespace stile::codec
