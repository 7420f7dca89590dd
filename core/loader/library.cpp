// Boost.DLL as this project uses it: absolute path, bind now, local, resident, no decorated names, no search.
//
// SPDX-License-Identifier: Apache-2.0
#include "loader/library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <boost/dll/shared_library.hpp>
#include <deque>
#include <mutex>
#include <system_error>

#include "loader/table.hpp"
#include "stile/types.hpp"
#include "types/text.hpp"

namespace stile::loader {
namespace {

namespace dll = boost::dll;

// The word that stands before what in a message.
std::string_view before(std::string_view message, std::string_view what) {
  std::size_t at = message.find(what);
  return at == std::string_view::npos ? std::string_view{} : message.substr(0, at);
}

std::string_view after(std::string_view message, std::string_view what) {
  std::size_t at = message.find(what);
  return at == std::string_view::npos ? std::string_view{} : message.substr(at + what.size());
}

bool defined_in(const void* address, void* handle) {
  Dl_info info{};
  link_map* holder = nullptr;
  link_map* asked = nullptr;
  if (dladdr1(address, &info, reinterpret_cast<void**>(&holder), RTLD_DL_LINKMAP) == 0) return false;
  return dlinfo(handle, RTLD_DI_LINKMAP, &asked) == 0 && holder == asked;
}

// A library that nobody ever unloads, not even at exit.
dll::shared_library& resident() {
  static std::mutex mutex;
  static auto* all = new std::deque<dll::shared_library>;
  std::lock_guard lock(mutex);
  return all->emplace_back();
}

}  // namespace

std::string explain_load_error(std::string_view message, const std::string& path,
                               const std::vector<std::string>& needed) {
  std::string raw = " (" + types::printable(message) + ")";
  std::string_view missing = before(message, ": cannot open shared object file");
  if (!missing.empty() && missing != path) {
    bool direct = std::find(needed.begin(), needed.end(), missing) != needed.end();
    return "it needs the library " + types::printable(missing) + ", which is missing" +
           (direct ? "" : " (one of its own libraries asks for it)") + ": install it, `ldd` shows the rest" + raw;
  }
  std::string_view symbol = after(message, "undefined symbol: ");
  if (!symbol.empty()) {
    std::string_view file = before(message, ": undefined symbol");
    std::string where = file == path ? std::string("it") : "its library " + types::printable(file);
    return where + " uses the undefined symbol " + types::printable(symbol.substr(0, symbol.find_first_of(" ,"))) +
           ": link it with -z defs to see what is missing, or update the library it comes from" + raw;
  }
  if (message.find("static TLS") != std::string_view::npos) {
    return "there is no room for its static thread-local storage: build it and its libraries without "
           "-ftls-model=initial-exec" +
           raw;
  }
  if (message.find("executable stack") != std::string_view::npos) {
    return "it or one of its libraries asks for an executable stack: link with -z noexecstack" + raw;
  }
  if (message.find("version `GLIBC") != std::string_view::npos) {
    return "it was built for a newer C or C++ library than this system has: build it on this system or an older one" +
           raw;
  }
  return types::printable(message);
}

const stile_plugin& load_library(const std::string& path, const Inspected& inspected) {
  std::string who = "plugin " + inspected.note->name + " (" + types::printable(path) + ")";
  auto mode = static_cast<dll::load_mode::type>(static_cast<unsigned>(dll::load_mode::rtld_now) |
                                                static_cast<unsigned>(dll::load_mode::rtld_local) | RTLD_NODELETE);
  dll::fs::error_code failed;
  dll::shared_library& library = resident();
  library.load(dll::fs::path(path), mode, failed);
  if (failed) {
    // The error code says the same for every cause; the linker's text can be read once.
    const char* text = dlerror();
    std::string message = text != nullptr ? text : failed.message();
    throw Error(Status::invalid, who + " cannot be loaded: " + explain_load_error(message, path, inspected.needed));
  }
  // Somebody replaced the file between the look and the load: what was loaded was not looked at.
  if (!(file_id(path) == inspected.id)) {
    throw Error(Status::invalid, who + " was replaced while it was loaded: try again in a new process");
  }
  if (!library.has(STILE_ENTRY_NAME) ||
      !defined_in(reinterpret_cast<const void*>(
                      &library.get<const stile_plugin*(const stile_hello*, stile_error*)>(STILE_ENTRY_NAME)),
                  library.native())) {
    throw Error(Status::invalid, who + " does not export " STILE_ENTRY_NAME
                                       ": declare it with STILE_EXPORT, and link with stile_add_plugin()");
  }
  auto entry = &library.get<const stile_plugin*(const stile_hello*, stile_error*)>(STILE_ENTRY_NAME);
  return negotiate(entry, *inspected.note, path);
}

}  // namespace stile::loader
