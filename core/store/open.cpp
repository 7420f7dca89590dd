// The glue: config string, plugin, checked options, opened store, composition, layers.
//
// SPDX-License-Identifier: Apache-2.0
#include "store/open.hpp"

#include <algorithm>
#include <vector>

#include "config/check.hpp"
#include "config/text.hpp"
#include "loader/loader.hpp"
#include "stile/config.hpp"
#include "stile/log.hpp"
#include "store/layers.hpp"
#include "store/plugin_backend.hpp"
#include "types/text.hpp"

namespace stile::store {
namespace {

Config config_of(std::string_view source, const OpenOptions& options) {
  Config config = Config::read(source);
  if (options.ns) {
    config.ns = *options.ns;
    if (config.ns.empty() || config.ns.size() > config::namespace_bytes) {
      throw Error(Status::invalid,
                  "the namespace has " + std::to_string(config.ns.size()) + " bytes: 1 to 128 are allowed");
    }
  }
  if (config.prepare.empty()) config.prepare = options.prepare_unsaid;
  if (options.prepare) {
    config.prepare = *options.prepare;
    if (!config::is_prepare(config.prepare)) throw Error(Status::invalid, "prepare is auto, check or never");
  }
  return config;
}

// A wrong layer is said before anything is loaded or opened.
void check_layers(const Config& config) {
  std::vector<std::string> known(layer_names().begin(), layer_names().end());
  for (const std::string& layer : config.layers) {
    if (std::find(known.begin(), known.end(), layer) != known.end()) continue;
    std::string text = "there is no layer \"" + layer + "\"";
    if (auto meant = types::nearest(layer, known)) text += ": did you mean \"" + *meant + "\"?";
    throw Error(Status::invalid, text + " (layers: " + types::enumerate(known) + ")");
  }
}

const loader::Plugin& plugin_of(const Config& config, const OpenOptions& options) {
  if (options.plugin_file.empty()) return loader::plugin_for(config.scheme, config.plugin);
  const loader::Plugin& plugin = loader::plugin_in(options.plugin_file);
  if (!config.plugin.empty() && config.plugin != plugin.name()) {
    throw Error(Status::invalid, plugin.who() + " was given, but the config string says plugin=" + config.plugin);
  }
  const std::vector<std::string>& schemes = plugin.file.note->schemes;
  if (std::find(schemes.begin(), schemes.end(), config.scheme) != schemes.end()) return plugin;
  throw Error(Status::invalid, plugin.who() + " does not have the scheme \"" + config.scheme + "\": it has " +
                                   types::enumerate(schemes));
}

config::Rules rules_of(const loader::Plugin& plugin, const OpenOptions& options) {
  config::Rules rules;
  rules.plugin = plugin.name();
  rules.options = {plugin.table->options, static_cast<std::size_t>(plugin.table->n_options)};
  rules.namespace_required = (plugin.table->flags & STILE_PLUGIN_NAMESPACE_REQUIRED) != 0;
  rules.passthrough = (plugin.table->flags & STILE_PLUGIN_PASSTHROUGH) != 0;
  rules.prepare_check = (plugin.table->flags & STILE_PLUGIN_PREPARE_CHECK) != 0;
  rules.program = options.program;
  return rules;
}

LayerOptions options_of_layer(const Config& config, const std::string& layer) {
  LayerOptions options;
  std::string prefix = layer + ".";
  for (const ConfigOption& option : config.options) {
    if (option.name.starts_with(prefix)) options[option.name.substr(prefix.size())] = option.value;
  }
  return options;
}

}  // namespace

std::shared_ptr<Backend> open_backend(std::string_view source, const OpenOptions& options) {
  Config config = config_of(source, options);
  check_layers(config);
  const loader::Plugin& plugin = plugin_of(config, options);
  auto checked = config::Checked::check(config, rules_of(plugin, options));
  for (const std::string& warning : checked->warnings()) log(LogLevel::warn, warning);
  std::shared_ptr<Backend> backend = open_with_plugin(plugin, *checked, options.program, options.deadline);
  if (options.compose) backend = with_composition(std::move(backend));
  // The first layer of the config string is the outermost.
  for (auto layer = config.layers.rbegin(); layer != config.layers.rend(); ++layer) {
    backend = apply_layer(*layer, options_of_layer(config, *layer), std::move(backend));
  }
  return backend;
}

}  // namespace stile::store
