// Lines of `stile call`: what is read means the same when it is told, read again, and copied.
//
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "codec/line.hpp"
#include "codec/op.hpp"

namespace {

namespace codec = stile::codec;
namespace json = boost::json;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_operation(const json::value& value) {
  const auto* object = value.if_object();
  if (!object) return;
  std::string told;
  try {
    auto op = codec::Op::decode(*object);
    told = json::serialize(codec::request_json(*op->get()));
    require(json::serialize(codec::request_json(*codec::Op::clone(*op->get())->get())) == told);
  } catch (const codec::BadRequest& bad) {
    require(!bad.text.empty() && bad.status != stile::Status::ok);
    return;
  }
  auto again = codec::Op::decode(codec::parse_line(told).as_object());  // what is told can be read
  require(json::serialize(codec::request_json(*again->get())) == told);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    json::value value = codec::parse_line(text);
    check_operation(value);
    if (const auto* list = value.if_array())
      for (const json::value& element : *list) check_operation(element);
  } catch (const codec::BadLine& bad) {
    require(bad.column >= 1 && bad.column <= size + 1);
  }
  return 0;
}
