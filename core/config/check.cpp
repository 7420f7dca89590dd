// Options against their tables; defaults, the namespace, and the view that the ABI asks for.
//
// SPDX-License-Identifier: Apache-2.0
#include "config/check.hpp"

#include <algorithm>
#include <charconv>

#include "config/text.hpp"
#include "types/abi.hpp"
#include "types/text.hpp"
#include "types/units.hpp"

namespace stile::config {
namespace {

using types::bytes_of;
using types::text_of;

std::vector<std::string> split(std::string_view text, char between) {
  std::vector<std::string> words;
  while (true) {
    std::size_t end = text.find(between);
    words.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return words;
    text.remove_prefix(end + 1);
  }
}

const stile_option* find(OptionTable table, std::string_view name) {
  for (const stile_option* option : table) {
    if (types::view(option->name) == name) return option;
  }
  return nullptr;
}

[[noreturn]] void refuse(const std::string& text) { throw Error(Status::invalid, text); }

// The value as an error may show it.
std::string shown(const stile_option& option, const std::string& value) {
  if ((option.flags & STILE_OPTION_SECRET) != 0 || sounds_secret(types::view(option.name))) return "what is given";
  constexpr std::size_t most = 100;
  std::string safe = hide_secrets(value);
  return "\"" + types::printable(std::string_view(safe).substr(0, most)) + (safe.size() > most ? "...\"" : "\"");
}

[[noreturn]] void refuse_value(const stile_option& option, const std::string& value, const std::string& expected) {
  refuse("the option " + std::string(types::view(option.name)) + " takes " + expected + ", not " +
         shown(option, value));
}

std::string number_text(const stile_option& option, std::int64_t number) {
  if (option.type == STILE_OPTION_DURATION) return types::duration_text(number);
  if (option.type == STILE_OPTION_SIZE) return types::size_text(number);
  return std::to_string(number);
}

std::string checked_number(const stile_option& option, const std::string& value) {
  std::optional<std::int64_t> number;
  std::string expected;
  if (option.type == STILE_OPTION_DURATION) {
    number = types::parse_duration(value);
    expected = "a duration such as 200ms, 1.5s or 2h";
  } else if (option.type == STILE_OPTION_SIZE) {
    number = types::parse_size(value);
    expected = "a size such as 65536 or 16MiB";
  } else {
    std::int64_t parsed = 0;
    auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), parsed);
    if (error == std::errc() && end == value.data() + value.size()) number = parsed;
    expected = "a whole number";
  }
  bool bounded = option.min != 0 || option.max != 0;
  if (bounded) expected += " from " + number_text(option, option.min) + " to " + number_text(option, option.max);
  if (!number || (bounded && (*number < option.min || *number > option.max))) refuse_value(option, value, expected);
  return std::to_string(*number);
}

std::string checked_choice(const stile_option& option, const std::string& value) {
  std::vector<std::string> allowed = split(types::view(option.allowed), '|');
  if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return value;
  std::string expected = "one of " + types::enumerate(allowed);
  auto meant = types::nearest(value, allowed);
  refuse("the option " + std::string(types::view(option.name)) + " takes " + expected + ", not " +
         shown(option, value) + (meant ? ": did you mean " + *meant + "?" : ""));
}

std::vector<std::string> names_of(OptionTable table) {
  std::vector<std::string> names{"namespace", "prepare", "plugin"};
  for (const stile_option* option : table) {
    std::string name(types::view(option->name));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

[[noreturn]] void refuse_unknown(const std::string& name, const Rules& rules) {
  std::vector<std::string> known = names_of(rules.options);
  std::string text = rules.plugin + " has no option " + name;
  if (auto meant = types::nearest(name, known)) text += ": did you mean " + *meant + "?";
  refuse(text + " (its options: " + types::enumerate(known) + ")");
}

}  // namespace

std::string checked_value(const stile_option& option, const std::string& value) {
  switch (option.type) {
    case STILE_OPTION_BOOL:
      if (value != "true" && value != "false") refuse_value(option, value, "true or false");
      return value;
    case STILE_OPTION_INTEGER:
    case STILE_OPTION_DURATION:
    case STILE_OPTION_SIZE: return checked_number(option, value);
    case STILE_OPTION_CHOICE: return checked_choice(option, value);
    default: return value;
  }
}

std::vector<std::string> secret_names(OptionTable options) {
  std::vector<std::string> names;
  for (const stile_option* option : options) {
    if ((option->flags & STILE_OPTION_SECRET) != 0) names.emplace_back(types::view(option->name));
  }
  return names;
}

std::unique_ptr<const Checked> Checked::check(const Config& config, const Rules& rules) {
  std::unique_ptr<Checked> checked(new Checked(config));
  checked->fill(rules);
  checked->build();
  return checked;
}

void Checked::fill(const Rules& rules) {
  if (config_.ns.empty() && rules.namespace_required) {
    std::string program = is_option_name(rules.program) ? rules.program : "stile";
    refuse(rules.plugin + " needs a namespace, so that applications which share the server do not meet: add " +
           (config_.text().find('?') == std::string::npos ? "?" : "&") + "namespace=" + program +
           " to the config string");
  }
  for (const ConfigOption& given : config_.options) {
    if (given.name.find('.') != std::string::npos) continue;  // a layer's
    const stile_option* option = find(rules.options, given.name);
    if (option == nullptr) {
      if (!rules.passthrough) refuse_unknown(given.name, rules);
      passthrough_.push_back({given.name, given.value});
      continue;
    }
    if ((option->flags & STILE_OPTION_DEPRECATED) != 0) {
      warnings_.push_back("the option " + given.name + " is deprecated: " + std::string(types::view(option->help)));
    }
    options_.push_back({given.name, checked_value(*option, given.value)});
  }
  for (const stile_option* option : rules.options) {
    std::string name(types::view(option->name));
    bool given = std::any_of(options_.begin(), options_.end(), [&](const Pair& pair) { return pair.key == name; });
    if (given || name == "prepare") continue;
    if (option->default_value.len > 0) {
      options_.push_back({name, checked_value(*option, std::string(types::view(option->default_value)))});
    } else if ((option->flags & STILE_OPTION_REQUIRED) != 0) {
      refuse(rules.plugin + " needs the option " + name + ": " + std::string(types::view(option->help)));
    }
  }
  std::string prepare = config_.prepare;
  if (prepare.empty()) prepare = rules.prepare_check ? "check" : "auto";
  options_.push_back({"prepare", prepare});
  redacted_ = config_.redacted(secret_names(rules.options));
  // A server's path is a name, not a place: it stands without the slash that divides it from the hosts.
  bool server = !config_.hosts.empty() || config_.user || rules.namespace_required;
  if (config_.authority && server && config_.path.starts_with('/')) config_.path.erase(0, 1);
}

void Checked::build() {
  auto view_pairs = [](const std::vector<Pair>& pairs, std::vector<stile_pair>& out) {
    for (const Pair& pair : pairs) out.push_back({text_of(pair.key), text_of(pair.value)});
  };
  for (const Host& host : config_.hosts) hosts_view_.push_back({text_of(host.name), text_of(host.port)});
  view_pairs(options_, options_view_);
  view_pairs(passthrough_, passthrough_view_);
  view_.struct_size = sizeof(stile_config);
  view_.scheme = text_of(config_.scheme);
  if (config_.user) view_.user = text_of(*config_.user);
  if (config_.secret) view_.secret = text_of(*config_.secret);
  view_.hosts = hosts_view_.data();
  view_.n_hosts = hosts_view_.size();
  view_.path = bytes_of(config_.path);
  view_.ns = bytes_of(config_.ns);
  view_.options = options_view_.data();
  view_.n_options = options_view_.size();
  view_.passthrough = passthrough_view_.data();
  view_.n_passthrough = passthrough_view_.size();
}

}  // namespace stile::config
