// The smallest host.
//
// SPDX-License-Identifier: Apache-2.0
#include "host.hpp"

#include <dlfcn.h>
#include <sys/random.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace stile::test {

stile_id fresh_id() {
  stile_id id{};
  if (::getrandom(id.bytes, sizeof id.bytes, 0) != sizeof id.bytes) throw std::runtime_error("no random bytes");
  return id;
}

bool same(const stile_id& a, const stile_id& b) { return std::memcmp(a.bytes, b.bytes, sizeof a.bytes) == 0; }
bool same(const stile_fence& a, const stile_fence& b) { return a.number == b.number && same(a.stamp, b.stamp); }

Arena::Arena() : arena_{sizeof(stile_arena), 0, this, &Arena::alloc} {}

void* Arena::alloc(void* ctx, std::uint64_t size) {
  auto& self = *static_cast<Arena*>(ctx);
  if (self.fail_after && (*self.fail_after)-- <= 0) return nullptr;
  self.blocks_.push_back(std::make_unique<std::uint8_t[]>(size + 1));
  // Uninitialised memory must not be taken for zeroes.
  std::memset(self.blocks_.back().get(), 0xa5, size + 1);
  return self.blocks_.back().get();
}

Plugin::Plugin(const std::string& file) {
  library_ = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) throw std::runtime_error(::dlerror());
  const auto entry = reinterpret_cast<stile_plugin_entry_fn>(::dlsym(library_, STILE_ENTRY_NAME));
  if (entry == nullptr) throw std::runtime_error(file + " has no " STILE_ENTRY_NAME);
  const stile_hello hello{sizeof(stile_hello), STILE_ABI_1_0, STILE_ABI_1_0, 0};
  table_ = entry(&hello, nullptr);
  host_.struct_size = sizeof host_;
  host_.abi = STILE_ABI_1_0;
  host_.log_level = [](void*) { return STILE_LOG_ERROR; };
  host_.log = [](void*, std::uint32_t, stile_text, const stile_text*, std::uint64_t) {};
  host_.extension = [](void*, stile_text) -> const void* { return nullptr; };
  if (table_->start(&host_, &instance_, nullptr) != STILE_OK) throw std::runtime_error("start refused");
}

Plugin::~Plugin() { table_->stop(instance_); }

Plugin& Plugin::named(const std::string& name) {
  static std::map<std::string, std::unique_ptr<Plugin>> loaded;
  auto& plugin = loaded[name];
  const char* directory = std::getenv("STILE_PLUGIN_PATH");
  if (plugin == nullptr)
    plugin = std::make_unique<Plugin>(std::string(directory ? directory : ".") + "/" + name + ".so");
  return *plugin;
}

Store::Store(Plugin& plugin, std::string host, std::string ns, const Options& options) : plugin_(plugin) {
  const auto text = [](const std::string& from) { return stile_text{from.data(), from.size()}; };
  std::vector<stile_pair> pairs;
  for (const auto& [key, value] : options) pairs.push_back({text(key), text(value)});
  const stile_pair hosts{text(host), {nullptr, 0}};
  stile_config config{};
  config.struct_size = sizeof config;
  config.scheme = plugin.table().schemes[0];
  config.hosts = &hosts;
  config.n_hosts = host.empty() ? 0 : 1;
  config.ns = bytes(ns);
  config.options = pairs.data();
  config.n_options = pairs.size();
  char buffer[512];
  stile_error error{sizeof(stile_error), sizeof buffer, buffer, 0};
  const stile_call call{sizeof(stile_call), 0, 0, STILE_NEVER};
  status_ = plugin.table().open(plugin.instance(), &call, &config, &store_, &error);
  if (status_ != STILE_OK) error_.assign(buffer, std::min<std::size_t>(error.text_len, sizeof buffer));
}

Store::~Store() {
  if (store_ != nullptr) plugin_.table().close(store_);
}

Session::Session(Store& store) : table_(store.table()) {
  const stile_call call{sizeof(stile_call), 0, 0, STILE_NEVER};
  if (store.get() == nullptr || table_.connect(store.get(), &call, &session_, nullptr) != STILE_OK)
    throw std::runtime_error("connect refused");
}

Session::~Session() { table_.disconnect(session_); }

std::uint32_t Session::run(const std::vector<stile_op*>& ops, std::int64_t deadline) {
  const stile_call call{sizeof(stile_call), 0, ++serial_, deadline};
  return table_.execute(session_, &call, ops.data(), ops.size());
}

}  // namespace stile::test
