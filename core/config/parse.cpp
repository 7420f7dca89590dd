// From the text of a config string to its parts.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "config/text.hpp"
#include "stile/config.hpp"
#include "types/text.hpp"

namespace stile {
namespace config {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// A part of the text that knows where it stands in it.
struct Part {
  std::string_view text;
  std::size_t offset = 0;

  bool empty() const { return text.empty(); }
  Part sub(std::size_t from, std::size_t length = std::string_view::npos) const {
    return {text.substr(from, length), offset + from};
  }
  // Cuts off everything up to a character of ends, which stays.
  Part take_until(std::string_view ends) {
    std::size_t length = std::min(text.find_first_of(ends), text.size());
    Part taken = sub(0, length);
    *this = sub(length);
    return taken;
  }
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Config parse() {
    Part rest{text_, 0};
    if (text_.empty()) fail(0, "the config string is empty: it begins with the scheme of a store, such as scheme:");
    for (std::size_t i = 0; i < text_.size(); ++i) {
      auto byte = static_cast<unsigned char>(text_[i]);
      if (byte < 0x20 || byte == 0x7f) fail(i, "a control character must be written " + encode(text_.substr(i, 1), ""));
    }
    scheme(rest);
    if (rest.text.starts_with("//")) {
      config_.authority = true;
      rest = rest.sub(2);
      authority(rest.take_until("/?"));
    }
    config_.path = decode(rest.take_until("?"));
    if (!rest.empty()) options(rest.sub(1));
    return std::move(config_);
  }

 private:
  [[noreturn]] void fail(std::size_t offset, const std::string& what) const {
    throw Error(Status::invalid, "config string, column " + std::to_string(offset + 1) + ": " + what + " (" +
                                     describe_unread(text_) + ")");
  }

  // An option's name for an error, with a space: none where it could be the rest of a secret that holds ? or &.
  std::string named(Part name) const {
    bool doubtful = text_.find('@', name.offset) != std::string_view::npos ||
                    std::any_of(seen_.begin(), seen_.end(), [](std::string_view seen) { return sounds_secret(seen); });
    return doubtful ? "" : " " + std::string(name.text);
  }

  // The bytes that a part stands for.
  std::string decode(Part part, bool zero_allowed = false) const {
    std::string out;
    out.reserve(part.text.size());
    for (std::size_t i = 0; i < part.text.size(); ++i) {
      if (part.text[i] != '%') {
        out += part.text[i];
        continue;
      }
      int high = i + 1 < part.text.size() ? hex_digit(part.text[i + 1]) : -1;
      int low = i + 2 < part.text.size() ? hex_digit(part.text[i + 2]) : -1;
      if (high < 0 || low < 0) {
        fail(part.offset + i, "a % must be followed by two hexadecimal digits; a % itself is written %25");
      }
      if (high == 0 && low == 0 && !zero_allowed) fail(part.offset + i, "only a namespace may hold a zero byte");
      out += static_cast<char>(high << 4 | low);
      i += 2;
    }
    return out;
  }

  void scheme(Part& rest) {
    std::size_t colon = text_.find_first_of(":/?");
    if (colon == std::string_view::npos || text_[colon] != ':') {
      fail(0, "no scheme: a config string begins with the scheme of a store and a colon; `stile plugins` lists them");
    }
    Part names = rest.sub(0, colon);
    rest = rest.sub(colon + 1);
    std::size_t from = 0;
    while (true) {
      std::size_t plus = names.text.find('+', from);
      Part name = names.sub(from, plus == std::string_view::npos ? plus : plus - from);
      if (!is_name(name.text)) bad_scheme(name);
      if (plus == std::string_view::npos) {
        config_.scheme = name.text;
        return;
      }
      if (!is_layer_name(name.text)) fail(name.offset, "the name of a layer has no dots");
      config_.layers.emplace_back(name.text);
      from = plus + 1;
    }
  }

  [[noreturn]] void bad_scheme(Part name) const {
    if (name.empty()) fail(name.offset, "a scheme is missing here");
    bool upper = std::any_of(name.text.begin(), name.text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    fail(name.offset, upper ? "schemes are written in lower case"
                            : "a scheme is a lower-case letter, then letters, digits, dots and hyphens, at most 64");
  }

  void authority(Part part) {
    std::size_t at = part.text.rfind('@');
    if (at != std::string_view::npos) {
      user(part.sub(0, at));
      part = part.sub(at + 1);
    }
    if (part.empty()) return;
    while (true) {
      Part one = part.take_until(",");
      host(one);
      if (part.empty()) return;
      part = part.sub(1);
      if (part.empty()) fail(part.offset, "a host is missing after the comma");
    }
  }

  void user(Part part) {
    Part name = part.take_until(":");
    config_.user = decode(name);
    if (!part.empty()) config_.secret = decode(part.sub(1));
  }

  void host(Part part) {
    Host host;
    if (part.text.starts_with('[')) {
      std::size_t close = part.text.find(']');
      if (close == std::string_view::npos) fail(part.offset, "the address in brackets has no closing ]");
      host.name = decode(part.sub(1, close - 1));
      if (!is_ipv6(host.name)) fail(part.offset + 1, "between [ and ] stands an IPv6 address, such as [::1]");
      part = part.sub(close + 1);
      if (!part.empty() && part.text[0] != ':') fail(part.offset, "after ] comes a colon and a port, or nothing");
    } else {
      Part name = part.take_until(":");
      if (name.empty()) fail(name.offset, "a host is missing here");
      host.name = decode(name);
    }
    if (!part.empty()) {
      port(part.sub(1));
      host.port = part.sub(1).text;
    }
    config_.hosts.push_back(std::move(host));
  }

  void port(Part part) const {
    if (is_port(part.text)) return;
    std::string what = "a port is a number from 1 to 65535";
    if (part.text.find(':') != std::string_view::npos) what += "; an IPv6 address stands in brackets";
    // The rest of a secret that holds a slash ends up here.
    if (text_.find('@', part.offset) != std::string_view::npos) what += "; in a user or secret, / is written %2F";
    fail(part.offset, what);
  }

  void options(Part part) {
    while (!part.empty()) {
      option(part.take_until("&"));
      if (part.empty()) return;
      part = part.sub(1);
      if (part.empty()) fail(part.offset, "an option is missing after the &");
    }
  }

  void option(Part part) {
    std::size_t equals = part.text.find('=');
    Part name = part.sub(0, equals);
    if (name.empty()) fail(part.offset, "an option is missing here: options are written name=value, with & between");
    if (!is_option_name(name.text)) {
      fail(name.offset, "the name of an option is a letter, then letters, digits and _ . - (at most 64)");
    }
    if (equals == std::string_view::npos) {
      std::string shown = named(name);
      fail(name.offset, "the option" + shown + " has no value: write" + (shown.empty() ? " name" : shown) + "=...");
    }
    keep(name, part.sub(equals + 1));
  }

  void keep(Part name, Part value) {
    if (std::find(seen_.begin(), seen_.end(), name.text) != seen_.end()) {
      fail(name.offset, "the option" + named(name) + " stands here for the second time");
    }
    seen_.push_back(name.text);
    if (name.text == "namespace") {
      config_.ns = decode(value, true);
      if (config_.ns.empty()) fail(value.offset, "the namespace is empty: it has 1 to 128 bytes");
      if (config_.ns.size() > namespace_bytes) {
        fail(value.offset,
             "the namespace has " + std::to_string(config_.ns.size()) + " bytes: at most 128 are allowed");
      }
    } else if (name.text == "prepare") {
      config_.prepare = decode(value);
      if (!is_prepare(config_.prepare)) fail(value.offset, "prepare is auto, check or never");
    } else if (name.text == "plugin") {
      config_.plugin = decode(value);
      if (!is_name(config_.plugin, true)) {
        fail(value.offset, "plugin= takes the name of a plugin, never a file: `stile plugins` lists them");
      }
    } else {
      config_.options.push_back({std::string(name.text), decode(value)});
      layer_of(name);
    }
  }

  // An option with a dot in its name belongs to a layer, which must be there.
  void layer_of(Part name) const {
    std::size_t dot = name.text.find('.');
    if (dot == std::string_view::npos) return;
    std::string layer(name.text.substr(0, dot));
    if (std::find(config_.layers.begin(), config_.layers.end(), layer) != config_.layers.end()) return;
    if (named(name).empty()) fail(name.offset, "the option is for a layer that is not there");
    std::string what = "the option" + named(name) + " is for a layer " + layer + ", which is not there";
    if (auto meant = types::nearest(layer, config_.layers)) {
      what += ": did you mean " + *meant + std::string(name.text.substr(dot)) + "?";
    } else {
      what += ": write " + layer + "+" + config_.scheme + ":...";
    }
    fail(name.offset, what);
  }

  std::string_view text_;
  std::vector<std::string_view> seen_;
  Config config_;
};

constexpr std::string_view in_user = ":/?@[],";
constexpr std::string_view in_host = ":/?@[],";
constexpr std::string_view in_path = "?";
constexpr std::string_view in_option = "&";

std::string host_text(const Host& host, const std::string& name) {
  std::string out;
  if (is_ipv6(host.name)) {
    out = "[" + encode(name, "[]/?@,") + "]";
  } else {
    out = encode(name, in_host);
  }
  return host.port.empty() ? out : out + ":" + host.port;
}

// True where the user and secret may reach further than they were read: a secret with a / or ? that is not escaped
// makes hosts, a path and options of itself, up to the @ behind it.
bool may_be_misread(const Config& config) {
  auto has_at = [](const std::string& text) { return text.find('@') != std::string::npos; };
  if (!config.authority || (config.hosts.empty() && !config.user)) return false;
  if (has_at(config.path)) return true;
  return !config.user &&
         std::any_of(config.hosts.begin(), config.hosts.end(), [](const Host& host) { return !host.port.empty(); }) &&
         std::any_of(config.options.begin(), config.options.end(),
                     [&](const ConfigOption& option) { return has_at(option.value); });
}

// The config string, with hidden telling which values are not to be seen; the secret's is asked for with no name.
template <class Hidden>
std::string print(const Config& config, const Hidden& hidden) {
  const bool redact = hidden("");
  auto shown = [&](const std::string& text) { return redact ? hide_secrets(text) : text; };
  const std::string path = redact ? hide_secrets(config.path, true) : config.path;
  std::string out;
  for (const std::string& layer : config.layers) out += layer + "+";
  out += config.scheme + ":";
  if (redact && may_be_misread(config)) return out + "//***";
  if (config.authority) {
    out += "//";
    if (config.user) {
      out += encode(shown(*config.user), in_user);
      if (config.secret) out += redact ? ":***" : ":" + encode(*config.secret, in_user);
      out += "@";
    }
    for (const Host& host : config.hosts) {
      if (&host != &config.hosts.front()) out += ",";
      out += host_text(host, shown(host.name));
    }
    out += encode(path, in_path);
  } else {
    bool ambiguous = path.starts_with("//");
    out += ambiguous ? "%2F" + encode(path.substr(1), in_path) : encode(path, in_path);
  }
  char before = '?';
  auto add = [&](std::string_view name, const std::string& value) {
    out += before;
    before = '&';
    out += std::string(name) + "=" + (hidden(name) ? "***" : encode(shown(value), in_option));
  };
  if (!config.ns.empty()) add("namespace", config.ns);
  if (!config.prepare.empty()) add("prepare", config.prepare);
  if (!config.plugin.empty()) add("plugin", config.plugin);
  for (const ConfigOption& option : config.options) add(option.name, option.value);
  return out;
}

}  // namespace
}  // namespace config

inline namespace v1 {

Config Config::parse(std::string_view text) { return config::Parser(text).parse(); }

Config Config::read(std::string_view source) {
  if (source == "-") {
    auto value = types::environment("STILE_STORE");
    if (!value) {
      throw Error(Status::invalid, types::raised_privileges()
                                       ? "\"-\" stands for $STILE_STORE, which a program with raised privileges ignores"
                                       : "\"-\" stands for $STILE_STORE, which is not set");
    }
    if (*value == "-") throw Error(Status::invalid, "$STILE_STORE is \"-\", which stands for itself");
    return read(*value);
  }
  if (source == "@") throw Error(Status::invalid, "@ must be followed by the name of a config file");
  if (source.starts_with('@')) {
    std::string file(source.substr(1));
    constexpr std::size_t limit = std::size_t{1} << 20;
    return from_json(config::read_file(file, limit, "the config file " + types::printable(config::hide_secrets(file))),
                     file);
  }
  return parse(source);
}

std::string Config::text() const {
  return config::print(*this, [](std::string_view) { return false; });
}

std::string Config::redacted(std::span<const std::string> secret_options) const {
  auto hidden = [&](std::string_view name) {
    return name.empty() || config::sounds_secret(name) ||
           std::find(secret_options.begin(), secret_options.end(), name) != secret_options.end();
  };
  return config::print(*this, hidden);
}

}  // namespace v1
}  // namespace stile
