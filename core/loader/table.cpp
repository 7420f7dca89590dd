// Negotiation, and the checks of a plugin's table.
//
// SPDX-License-Identifier: Apache-2.0
#include "loader/table.hpp"

#include <algorithm>
#include <vector>

#include "config/check.hpp"
#include "config/text.hpp"
#include "types/abi.hpp"
#include "types/text.hpp"

namespace stile::loader {
namespace {

constexpr std::uint64_t most_entries = 1000;
constexpr std::uint64_t longest_text = 64 * 1024;

bool readable(const stile_text& text) { return text.len <= longest_text && (text.len == 0 || text.ptr != nullptr); }

struct Slot {
  std::string_view name;
  bool there;
};

// The first slot that an older or broken table does not have.
std::string slot_fault(const stile_plugin& table) {
  if (!STILE_HAS(&table, stile_plugin, extension)) {
    return "its table has " + std::to_string(table.struct_size) + " bytes, a table of ABI 1.0 has at least " +
           std::to_string(STILE_END(stile_plugin, extension));
  }
  const Slot slots[] = {{"start", table.start != nullptr},
                        {"stop", table.stop != nullptr},
                        {"open", table.open != nullptr},
                        {"close", table.close != nullptr},
                        {"connect", table.connect != nullptr},
                        {"disconnect", table.disconnect != nullptr},
                        {"execute", table.execute != nullptr},
                        {"interrupt", table.interrupt != nullptr},
                        {"extension", table.extension != nullptr},
                        {"schemes", table.schemes != nullptr},
                        {"options", table.n_options == 0 || table.options != nullptr},
                        {"capabilities", table.n_capabilities == 0 || table.capabilities != nullptr}};
  for (const Slot& slot : slots) {
    if (!slot.there) return "the slot " + std::string(slot.name) + " of its table is empty; every one is required";
  }
  return {};
}

std::string identity_fault(const stile_plugin& table, const Note& note) {
  if (table.abi < abi_least || table.abi > abi_most) {
    return "it was offered ABI " + abi_text(abi_least) + " to " + abi_text(abi_most) + " and answers with a table of " +
           abi_text(table.abi);
  }
  for (const stile_text* text : {&table.name, &table.version, &table.license, &table.help}) {
    if (!readable(*text)) return "a text of its table has a length but no place";
  }
  if (types::view(table.name) != note.name) {
    return "its note says that it is " + note.name + ", its table that it is " +
           types::printable(types::view(table.name));
  }
  if (table.n_schemes != note.schemes.size()) return "its note and its table disagree about its schemes";
  for (std::uint64_t i = 0; i < table.n_schemes; ++i) {
    bool same = readable(table.schemes[i]) && types::view(table.schemes[i]) == note.schemes[i];
    if (!same) return "its note and its table disagree about its schemes";
  }
  return {};
}

std::string option_fault(const stile_option& option) {
  if (!STILE_HAS(&option, stile_option, max)) return "is described by a struct that is too small";
  for (const stile_text* text : {&option.name, &option.default_value, &option.allowed, &option.help}) {
    if (!readable(*text)) return "has a text with a length but no place";
  }
  std::string_view name = types::view(option.name);
  auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  if (name.empty() || name[0] < 'a' || name[0] > 'z' || !std::all_of(name.begin(), name.end(), plain)) {
    return "is not named [a-z][a-z0-9_]*";
  }
  if (name == "namespace" || name == "plugin") return "is the core's own";
  if (option.type < STILE_OPTION_BOOL || option.type > STILE_OPTION_CHOICE) {
    return "has the type " + std::to_string(option.type) + ", which this core does not know";
  }
  if (option.type == STILE_OPTION_CHOICE && option.allowed.len == 0) return "is a choice of nothing";
  if (option.min > option.max) return "has a least value above its greatest";
  if (option.default_value.len == 0) return {};
  try {
    config::checked_value(option, std::string(types::view(option.default_value)));
  } catch (const Error& error) {
    return std::string("has a default that it does not allow: ") + error.what();
  }
  return {};
}

std::string options_fault(const stile_plugin& table) {
  std::vector<std::string_view> names;
  for (std::uint64_t i = 0; i < table.n_options; ++i) {
    if (table.options[i] == nullptr) return "option " + std::to_string(i) + " of its table is null";
    const stile_option& option = *table.options[i];
    std::string fault = option_fault(option);
    bool twice = fault.empty() && std::find(names.begin(), names.end(), types::view(option.name)) != names.end();
    if (twice) fault = "is described twice";
    if (!fault.empty()) {
      std::string name = readable(option.name) ? types::printable(types::view(option.name).substr(0, 64)) : "";
      return "option " + std::to_string(i) + " (" + name + ") of its table " + fault;
    }
    names.push_back(types::view(option.name));
  }
  return {};
}

}  // namespace

std::string ErrorBuffer::text(std::string_view instead) const {
  if (error_.text_len == 0) return std::string(instead);
  std::uint64_t length = std::min<std::uint64_t>(error_.text_len, text_.size());
  std::string text(text_.data(), length);
  if (error_.text_len > length) {
    text += "... (" + std::to_string(length) + " of " + std::to_string(error_.text_len) + " bytes)";
  }
  return text;
}

std::string table_fault(const stile_plugin& table, const Note& note) {
  std::string fault = slot_fault(table);
  if (fault.empty() && (table.n_options > most_entries || table.n_capabilities > most_entries)) {
    fault = "a count in its table is beyond all reason";
  }
  if (fault.empty()) fault = identity_fault(table, note);
  if (fault.empty()) fault = options_fault(table);
  for (std::uint64_t i = 0; fault.empty() && i < table.n_capabilities; ++i) {
    if (!readable(table.capabilities[i])) fault = "a capability of its table has a length but no place";
  }
  return fault;
}

const stile_plugin& negotiate(stile_plugin_entry_fn entry, const Note& note, const std::string& file) {
  std::string who = "plugin " + note.name + " (" + types::printable(file) + ")";
  stile_hello hello{sizeof(stile_hello), abi_least, abi_most, 0};
  ErrorBuffer error;
  const stile_plugin* table = nullptr;
  try {
    table = entry(&hello, error.get());
  } catch (const std::exception& thrown) {
    throw Error(Status::internal, who + " threw an exception out of its entry, a bug of the plugin: " + thrown.what());
  } catch (...) {
    throw Error(Status::internal, who + " threw something out of its entry, a bug of the plugin");
  }
  if (table == nullptr) {
    throw Error(Status::invalid, who + " refuses this core: " + error.text("it does not say why, a bug of the plugin"));
  }
  std::string fault = table_fault(*table, note);
  if (!fault.empty()) throw Error(Status::internal, who + " cannot be used, a bug of the plugin: " + fault);
  return *table;
}

Failure failure_of(std::int32_t status, const ErrorBuffer& error, const std::string& who, std::string_view what) {
  std::string said = error.text("");
  if (status <= STILE_OK || status >= STILE_STATUS_COUNT) {
    std::string text =
        who + " answered " + std::string(what) + " with the status " + std::to_string(status) + ", a bug of the plugin";
    return {Status::internal, said.empty() ? text : text + ": " + said, {}, Duration{0}};
  }
  auto answered = static_cast<Status>(status);
  if (said.empty()) said = who + " could not " + std::string(what) + ": " + std::string(meaning_of(answered));
  return {answered, said, {}, Duration{0}};
}

}  // namespace stile::loader
