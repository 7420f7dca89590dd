// The checked config of an open, by name and with types.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "stile/abi.h"

namespace stile::sdk {

/// Thrown by start, open and connect of a plugin's classes; the guard writes it into stile_error.
class Refusal : public std::exception {
 public:
  Refusal(std::int32_t status, std::string text) : status_(status), text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }
  std::int32_t status() const { return status_; }

 private:
  std::int32_t status_;
  std::string text_;
};

inline std::string_view view(const stile_text& text) { return {text.ptr, static_cast<std::size_t>(text.len)}; }
inline stile_text text(std::string_view from) { return {from.data(), from.size()}; }

/// What an open was given. Borrowed: lives until open returns.
class Config {
 public:
  explicit Config(const stile_config& config) : config_(config) {}

  std::string_view scheme() const { return view(config_.scheme); }
  std::string_view ns() const { return of(config_.ns); }
  std::string_view path() const { return of(config_.path); }
  /// The first host, empty where none was given.
  std::string_view host() const { return config_.n_hosts != 0 ? view(config_.hosts[0].key) : std::string_view{}; }
  const stile_config& raw() const { return config_; }

  /// The option's text, or nothing where it was not given and has no default.
  std::optional<std::string_view> find(std::string_view name) const {
    for (std::uint64_t i = 0; i < config_.n_options; ++i)
      if (view(config_.options[i].key) == name) return view(config_.options[i].value);
    return std::nullopt;
  }
  std::string_view text(std::string_view name, std::string_view otherwise = {}) const {
    return find(name).value_or(otherwise);
  }
  bool flag(std::string_view name, bool otherwise) const {
    const auto given = find(name);
    if (!given) return otherwise;
    if (*given == "true") return true;
    if (*given == "false") return false;
    throw Refusal(STILE_INVALID, std::string(name) + " must be true or false, not " + std::string(*given));
  }
  /// A number, a duration in microseconds, or a size in bytes: the host hands all three over as decimal digits.
  std::int64_t integer(std::string_view name, std::int64_t otherwise) const {
    const auto given = find(name);
    if (!given) return otherwise;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(given->data(), given->data() + given->size(), value);
    if (error != std::errc{} || end != given->data() + given->size())
      throw Refusal(STILE_INVALID, std::string(name) + " must be a whole number, not " + std::string(*given));
    return value;
  }

 private:
  static std::string_view of(const stile_bytes& bytes) {
    return {reinterpret_cast<const char*>(bytes.ptr), static_cast<std::size_t>(bytes.len)};
  }
  const stile_config& config_;
};

}  // namespace stile::sdk
