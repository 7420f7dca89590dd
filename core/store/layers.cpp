// The layers by name, and what each can be told.
//
// SPDX-License-Identifier: Apache-2.0
#include "store/layers.hpp"

#include <array>
#include <string>
#include <vector>

#include "config/check.hpp"
#include "store/relay.hpp"
#include "types/text.hpp"

namespace stile::store {
namespace {

constexpr stile_option option(std::string_view name, std::uint32_t type, std::string_view fallback,
                              std::string_view help, std::uint32_t flags = 0) {
  stile_option out{};
  out.struct_size = sizeof(stile_option);
  out.type = type;
  out.flags = flags;
  out.name = {name.data(), name.size()};
  out.default_value = {fallback.data(), fallback.size()};
  out.help = {help.data(), help.size()};
  return out;
}

constexpr std::array chaos_table{
    option("seed", STILE_OPTION_INTEGER, "0", "Where chance begins; 0 draws a seed and logs it."),
    option("lose_request", STILE_OPTION_TEXT, "0", "How probably an operation never arrives, 0 to 1."),
    option("lose_reply", STILE_OPTION_TEXT, "0", "How probably an operation is done and its answer lost, 0 to 1."),
    option("duplicate", STILE_OPTION_TEXT, "0", "How probably a write arrives twice, 0 to 1."),
    option("delay", STILE_OPTION_TEXT, "0", "How probably a call is held back, 0 to 1."),
    option("delay_for", STILE_OPTION_DURATION, "20ms", "The longest that a call is held back."),
    option("cut", STILE_OPTION_TEXT, "0", "How probably a session breaks in the middle of a call, 0 to 1."),
    option("refuse", STILE_OPTION_TEXT, "0", "How probably connecting fails, 0 to 1."),
    option("at", STILE_OPTION_TEXT, "",
           "Faults that happen for certain, by the number of the operation: 3:lose_reply,7:cut."),
};
constexpr std::array history_table{
    option("file", STILE_OPTION_TEXT, "", "The file that calls and answers are appended to, as JSON lines.",
           STILE_OPTION_REQUIRED),
};

struct Layer {
  std::string_view name;
  std::vector<const stile_option*> options;
};

template <std::size_t N>
std::vector<const stile_option*> pointers(const std::array<stile_option, N>& table) {
  std::vector<const stile_option*> out;
  for (const stile_option& one : table) out.push_back(&one);
  return out;
}

const std::array<Layer, 3>& layers() {
  static const std::array<Layer, 3> all{
      {{"chaos", pointers(chaos_table)}, {"history", pointers(history_table)}, {"trace", {}}}};
  return all;
}

const Layer* find(std::string_view name) {
  for (const Layer& layer : layers())
    if (layer.name == name) return &layer;
  return nullptr;
}

std::string_view text(stile_text text) { return {text.ptr, static_cast<std::size_t>(text.len)}; }

[[noreturn]] void refuse_unknown(const Layer& layer, const std::string& name) {
  std::vector<std::string> known;
  for (const stile_option* one : layer.options) known.emplace_back(text(one->name));
  std::string said = "the layer " + std::string(layer.name) + " has no option \"" + name + "\"";
  if (auto meant = types::nearest(name, known)) said += ": did you mean \"" + *meant + "\"?";
  throw Error(Status::invalid, said + " (options: " + types::enumerate(known) + ")");
}

LayerOptions complete(const Layer& layer, const LayerOptions& given) {
  LayerOptions out;
  for (const stile_option* one : layer.options) {
    std::string name(text(one->name));
    auto said = given.find(name);
    std::string value = said != given.end() ? said->second : std::string(text(one->default_value));
    if (value.empty() && (one->flags & STILE_OPTION_REQUIRED))
      throw Error(Status::invalid, "the layer " + std::string(layer.name) + " needs " + std::string(layer.name) + "." +
                                       name + "=...: " + std::string(text(one->help)));
    out[name] = config::checked_value(*one, value);
  }
  for (const auto& [name, value] : given)
    if (!out.contains(name)) refuse_unknown(layer, name);
  return out;
}

}  // namespace

std::span<const std::string_view> layer_names() {
  static const std::array<std::string_view, 3> names{"chaos", "history", "trace"};
  return names;
}

std::span<const stile_option* const> layer_options(std::string_view name) {
  const Layer* layer = find(name);
  return layer ? std::span<const stile_option* const>(layer->options) : std::span<const stile_option* const>();
}

std::shared_ptr<Backend> apply_layer(std::string_view name, const LayerOptions& options,
                                     std::shared_ptr<Backend> inner) {
  const Layer* layer = find(name);
  if (!layer) throw Error(Status::invalid, "there is no layer \"" + std::string(name) + "\"");
  LayerOptions complete_options = complete(*layer, options);
  if (name == "chaos") return chaos_layer(complete_options, std::move(inner));
  if (name == "history") return history_layer(complete_options, std::move(inner));
  return trace_layer(std::move(inner));
}

}  // namespace stile::store
