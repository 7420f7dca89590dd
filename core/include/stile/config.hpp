// The config string that names a store: scheme://[user[:secret]@]host[:port][,host:port...]/path?option=value, or
// scheme:path?option=value.
//
// - Layers stand before the scheme: chaos+memory:?chaos.lose_reply=0.1. The first one is the outermost. An option whose
//   name begins with a layer's name and a dot is that layer's.
// - Every part but the names of options may hold %XX for any byte; %00 in the namespace only. `+` is a plus sign.
// - A host is a name, an address, [an IPv6 address], or a directory with a Unix socket, its slashes written %2F.
// - Three options are the core's own: namespace=, prepare=auto|check|never, plugin=NAME (picks one of two plugins that
//   share a scheme).
//
// What does not fit a line stands in a JSON file, @file.json. All members may be left out, but one of config and scheme
// must be there; an unknown one is refused:
//
//   { "config": "...",                a config string that the other members complete or replace
//     "scheme": "...", "layers": ["chaos"], "user": "u",
//     "secret": "s",                  or "secret_file": "/run/secrets/s" (its last newline is cut off; a relative path
//                                     starts at the JSON file) or "secret_env": "NAME"
//     "hosts": ["a:6379", "[::1]", {"host": "/run/socket", "port": 6379}],
//     "path": "db", "namespace": "orders", "prepare": "check", "plugin": "name",
//     "options": {"timeout": "2s", "limit": 5, "verbose": true, "chaos": {"lose_reply": 0.1}} }
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stile {
inline namespace v1 {

/// One server: a name or address, or a path that begins with a slash. An empty port is the store's own.
struct Host {
  std::string name, port;
  friend bool operator==(const Host&, const Host&) = default;
};

/// An option as people write it.
struct ConfigOption {
  std::string name, value;
  friend bool operator==(const ConfigOption&, const ConfigOption&) = default;
};

/// A config string, taken apart. Which options there are, only the plugin knows: they are checked when it is opened.
struct Config {
  std::vector<std::string> layers;  ///< the outermost first
  std::string scheme;
  bool authority = false;  ///< written with //
  std::optional<std::string> user, secret;
  std::vector<Host> hosts;
  std::string path;     ///< behind //, with the slash it begins with
  std::string ns;       ///< 1-128 bytes; empty = not given
  std::string prepare;  ///< auto, check, never; empty = the store's default
  std::string plugin;   ///< empty = whichever has the scheme
  std::vector<ConfigOption> options;

  /// Takes a config string apart. Throws Error (invalid) that says the column, what is wrong there, and never a secret.
  static Config parse(std::string_view text);
  /// From "-" ($STILE_STORE), "@file.json", or a config string.
  static Config read(std::string_view source);
  /// From the text of a JSON file; file names it in errors, and relative paths in it start at its directory.
  static Config from_json(std::string_view text, std::string_view file);

  /// As a config string; parse gives the same again.
  std::string text() const;
  /// For people: the secret, the values of options that are named or sound like one, and whatever else could hold one
  /// (what stands before an @, what follows password=) are replaced by ***.
  std::string redacted(std::span<const std::string> secret_options = {}) const;

  friend bool operator==(const Config&, const Config&) = default;
};

}  // namespace v1
}  // namespace stile
