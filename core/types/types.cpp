// Ids, fences and statuses as text, and where random ids come from.
//
// SPDX-License-Identifier: Apache-2.0
#include "stile/types.hpp"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "types/process_mark.hpp"

namespace stile {
inline namespace v1 {
namespace {

constexpr char digits[] = "0123456789abcdef";

int nibble(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

Id Id::random() {
  // One system call serves many ids: an id is drawn for every write.
  thread_local std::array<std::uint8_t, 1024> pool;
  thread_local std::size_t left = 0;
  thread_local std::optional<types::ProcessMark> owner;
  Id id;
  // A forked child has a copy of the pool: what it drew from there its parent would draw too.
  if (left < id.bytes.size() || !owner->here()) {
    owner.emplace();
    std::size_t got = 0;
    while (got < pool.size()) {
      ssize_t n = getrandom(pool.data() + got, pool.size() - got, 0);
      if (n > 0) got += static_cast<std::size_t>(n);
    }
    left = pool.size();
  }
  left -= id.bytes.size();
  std::memcpy(id.bytes.data(), pool.data() + left, id.bytes.size());
  return id;
}

std::optional<Id> Id::parse(std::string_view hex) {
  Id id;
  if (hex.size() != 2 * id.bytes.size()) return std::nullopt;
  for (std::size_t i = 0; i < id.bytes.size(); ++i) {
    int high = nibble(hex[2 * i]), low = nibble(hex[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    id.bytes[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return id;
}

std::string Id::text() const {
  std::string out;
  out.reserve(2 * bytes.size());
  for (std::uint8_t b : bytes) {
    out += digits[b >> 4];
    out += digits[b & 15];
  }
  return out;
}

bool Id::empty() const {
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t b) { return b == 0; });
}

std::optional<Fence> Fence::parse(std::string_view text) {
  auto dot = text.find('.');
  if (dot == std::string_view::npos || dot == 0 || dot > 20 || (text[0] == '0' && dot > 1)) return std::nullopt;
  Fence fence;
  auto [end, error] = std::from_chars(text.data(), text.data() + dot, fence.number);
  if (error != std::errc{} || end != text.data() + dot) return std::nullopt;
  for (char c : text.substr(dot + 1))
    if (c >= 'A' && c <= 'F') return std::nullopt;
  auto stamp = Id::parse(text.substr(dot + 1));
  if (!stamp) return std::nullopt;
  fence.stamp = *stamp;
  return fence;
}

std::string Fence::text() const { return std::to_string(number) + "." + stamp.text(); }

std::string name_of(Status status) {
  switch (status) {
#define STILE_STATUS_NAME(NAME, value, name, happened, again, text) \
  case Status::name: return #name;
    STILE_STATUS_TABLE(STILE_STATUS_NAME)
#undef STILE_STATUS_NAME
  }
  return "status " + std::to_string(static_cast<int>(status));
}

std::string_view meaning_of(Status status) {
  switch (status) {
#define STILE_STATUS_TEXT(NAME, value, name, happened, again, text) \
  case Status::name: return text;
    STILE_STATUS_TABLE(STILE_STATUS_TEXT)
#undef STILE_STATUS_TEXT
  }
  return "a status outside the contract";
}

}  // namespace v1
}  // namespace stile
