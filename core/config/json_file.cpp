// The JSON form of a config, for what does not fit a line.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <charconv>
#include <filesystem>

#include "config/text.hpp"
#include "stile/config.hpp"
#include "types/strict_json.hpp"
#include "types/text.hpp"

namespace stile {
namespace config {
namespace {

namespace json = boost::json;

// Reads the members of one file; every error names the file and the member.
class Reader {
 public:
  explicit Reader(std::string_view file) : file_(file) {}

  Config read(std::string_view text) {
    json::value value;
    try {
      value = types::parse_json(text);
    } catch (const types::BadJson& bad) {
      refuse(bad.place(text) + ": " + types::printable(hide_secrets(bad.text)));
    }
    if (!value.is_object()) refuse("a config file holds one JSON object");
    const json::object& members = value.get_object();
    Config config;
    if (const json::value* whole = members.if_contains("config")) config = base(text_of(*whole, "config"));
    for (const auto& member : members) apply(config, member.key(), member.value());
    if (config.scheme.empty()) refuse("one of the members \"config\" and \"scheme\" must be there");
    finish(config);
    return config;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(Status::invalid, "config file " + types::printable(hide_secrets(file_)) + ": " + what);
  }
  [[noreturn]] void refuse(const std::string& member, const std::string& what) const {
    refuse("member \"" + types::printable(hide_secrets(member)) + "\": " + what);
  }

  Config base(const std::string& text) const {
    if (text.starts_with('@') || text == "-") refuse("config", "is a config string, not a file or -");
    try {
      return Config::parse(text);
    } catch (const Error& error) {
      refuse("config", error.what());
    }
  }

  std::string text_of(const json::value& value, const std::string& member) const {
    if (!value.is_string()) refuse(member, "is a string");
    std::string text(value.get_string().c_str(), value.get_string().size());
    if (text.find('\0') != std::string::npos) refuse(member, "holds a zero byte, which only a namespace may");
    return text;
  }

  void apply(Config& config, std::string_view name, const json::value& value) {
    std::string member(name);
    if (member == "config") return;
    if (member == "scheme") {
      config.scheme = text_of(value, member);
      if (!is_name(config.scheme)) refuse(member, "is a lower-case letter, then letters, digits, dots and hyphens");
    } else if (member == "layers") {
      config.layers.clear();
      for (const json::value& layer : array_of(value, member)) {
        config.layers.push_back(text_of(layer, member));
        if (!is_layer_name(config.layers.back())) refuse(member, "holds the names of layers");
      }
    } else if (member == "user") {
      config.user = text_of(value, member);
    } else if (member == "secret" || member == "secret_file" || member == "secret_env") {
      secret(config, member, text_of(value, member));
    } else if (member == "hosts") {
      config.hosts.clear();
      for (const json::value& host : array_of(value, member)) config.hosts.push_back(host_of(host));
    } else if (member == "path") {
      config.path = text_of(value, member);
    } else if (member == "namespace") {
      config.ns = namespace_of(value);
    } else if (member == "prepare") {
      config.prepare = text_of(value, member);
      if (!is_prepare(config.prepare)) refuse(member, "is auto, check or never");
    } else if (member == "plugin") {
      config.plugin = text_of(value, member);
      if (!is_name(config.plugin, true)) refuse(member, "is the name of a plugin, never a file");
    } else if (member == "options") {
      options(config, value);
    } else {
      unknown(member);
    }
  }

  [[noreturn]] void unknown(const std::string& member) const {
    static const std::vector<std::string> known{"config",      "scheme",     "layers", "user", "secret",
                                                "secret_file", "secret_env", "hosts",  "path", "namespace",
                                                "prepare",     "plugin",     "options"};
    auto meant = types::nearest(member, known);
    refuse(member,
           "is unknown" + (meant ? ": did you mean \"" + *meant + "\"?" : " (known: " + types::enumerate(known) + ")"));
  }

  const json::array& array_of(const json::value& value, const std::string& member) const {
    if (!value.is_array()) refuse(member, "is an array");
    return value.get_array();
  }

  void secret(Config& config, const std::string& member, const std::string& text) {
    if (secret_given_) refuse(member, "only one of secret, secret_file and secret_env may be there");
    secret_given_ = true;
    if (member == "secret") {
      config.secret = text;
    } else if (member == "secret_env") {
      auto value = types::environment(text.c_str());
      // Not shown: who mistakes secret_env for secret writes the secret here.
      if (!value) refuse(member, "the environment variable that it names is not set");
      config.secret = *value;
    } else {
      std::filesystem::path path(text);
      if (path.is_relative()) path = std::filesystem::path(file_).parent_path() / path;
      try {
        config.secret = secret_from_file(path.string());
      } catch (const Error& error) {
        refuse(member, error.what());
      }
    }
  }

  Host host_of(const json::value& value) const {
    if (value.is_string()) return host_from_text(text_of(value, "hosts"));
    if (!value.is_object()) refuse("hosts", "holds strings such as \"name:port\", and objects with host and port");
    Host host;
    for (const auto& member : value.get_object()) {
      if (member.key() == "host") {
        host.name = text_of(member.value(), "hosts");
      } else if (member.key() == "port") {
        host.port = member.value().is_string() ? text_of(member.value(), "hosts") : json::serialize(member.value());
        if (!is_port(host.port)) refuse("hosts", "a port is a number from 1 to 65535");
      } else {
        refuse("hosts",
               "an object in it has host and port, not \"" + types::printable(hide_secrets(member.key())) + "\"");
      }
    }
    if (host.name.empty()) refuse("hosts", "a host is missing in it");
    return host;
  }

  // "name:port", "[::1]:port": the same rules as in a config string, but nothing is percent-encoded.
  Host host_from_text(const std::string& text) const {
    Host host;
    std::string port;
    if (text.starts_with('[')) {
      std::size_t close = text.find(']');
      if (close == std::string::npos) refuse("hosts", "the address in brackets has no closing ]");
      host.name = text.substr(1, close - 1);
      if (!is_ipv6(host.name)) refuse("hosts", "between [ and ] stands an IPv6 address");
      port = text.substr(close + 1);
    } else {
      std::size_t colon = text.find(':');
      host.name = text.substr(0, colon);
      if (colon != std::string::npos) port = text.substr(colon);
    }
    if (host.name.empty()) refuse("hosts", "a host is missing in it");
    if (!port.empty() && (port[0] != ':' || !is_port(port.substr(1)))) {
      refuse("hosts", "behind a host stands a colon and a port from 1 to 65535; an IPv6 address stands in brackets");
    }
    if (!port.empty()) host.port = port.substr(1);
    return host;
  }

  std::string namespace_of(const json::value& value) const {
    if (!value.is_string()) refuse("namespace", "is a string; bytes that are no text can be written in \"config\"");
    std::string ns(value.get_string().c_str(), value.get_string().size());
    if (ns.empty() || ns.size() > namespace_bytes) refuse("namespace", "has 1 to 128 bytes");
    return ns;
  }

  void options(Config& config, const json::value& value) {
    if (!value.is_object()) refuse("options", "is an object");
    for (const auto& member : value.get_object()) {
      std::string name(member.key());
      if (const json::object* of_layer = member.value().if_object()) {
        for (const auto& inner : *of_layer) option(config, name + "." + std::string(inner.key()), inner.value());
      } else {
        option(config, name, member.value());
      }
    }
  }

  void option(Config& config, const std::string& name, const json::value& value) {
    std::string member = "options." + name;
    if (!is_option_name(name)) refuse(member, "is no name of an option");
    if (name == "namespace" || name == "prepare" || name == "plugin")
      refuse(member, "stands beside options, not in it");
    std::string text;
    if (value.is_string()) {
      text = text_of(value, member);
    } else if (const double* number = value.if_double()) {
      std::array<char, 32> digits;
      text.assign(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), *number).ptr);
    } else if (value.is_bool() || value.is_number()) {
      text = json::serialize(value);
    } else {
      refuse(member, "is a string, a number, true or false");
    }
    std::erase_if(config.options, [&](const ConfigOption& option) { return option.name == name; });
    config.options.push_back({name, text});
  }

  // What can only be judged when every member is there.
  void finish(Config& config) const {
    if (config.secret && !config.user) config.user = "";
    if (!config.hosts.empty() || config.user) config.authority = true;
    bool behind_hosts = config.authority && !config.path.empty();
    if (behind_hosts && !config.path.starts_with('/')) config.path.insert(0, "/");
    for (const ConfigOption& option : config.options) {
      std::size_t dot = option.name.find('.');
      if (dot == std::string::npos) continue;
      std::string layer = option.name.substr(0, dot);
      if (std::find(config.layers.begin(), config.layers.end(), layer) == config.layers.end()) {
        refuse("options." + option.name, "is for a layer that is not in layers");
      }
    }
  }

  std::string file_;
  bool secret_given_ = false;
};

}  // namespace
}  // namespace config

inline namespace v1 {

Config Config::from_json(std::string_view text, std::string_view file) { return config::Reader(file).read(text); }

}  // namespace v1
}  // namespace stile
