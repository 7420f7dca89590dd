// A forked child, a pipe for its verdict, and a bound on its life.
//
// SPDX-License-Identifier: Apache-2.0
#include "loader/probe.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/json.hpp>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>

#include "loader/library.hpp"
#include "loader/sha256.hpp"
#include "loader/table.hpp"
#include "types/abi.hpp"
#include "types/pipe.hpp"
#include "types/text.hpp"

namespace stile::loader {
namespace {

namespace json = boost::json;

std::string shown(const stile_text& text) { return types::printable(types::view(text)); }

json::object option_json(const stile_option& option) {
  static constexpr const char* types[] = {"", "bool", "integer", "duration", "size", "text", "choice"};
  json::object told{{"name", shown(option.name)}, {"type", types[option.type]}};
  if (option.default_value.len != 0) told["default"] = shown(option.default_value);
  if (option.allowed.len != 0) told["allowed"] = shown(option.allowed);
  if (option.min != 0 || option.max != 0) {
    told["min"] = option.min;
    told["max"] = option.max;
  }
  if ((option.flags & STILE_OPTION_SECRET) != 0) told["secret"] = true;
  if ((option.flags & STILE_OPTION_REQUIRED) != 0) told["required"] = true;
  if ((option.flags & STILE_OPTION_DEPRECATED) != 0) told["deprecated"] = true;
  told["help"] = shown(option.help);
  return told;
}

json::object table_json(const stile_plugin& table) {
  json::object told{{"license", shown(table.license)}, {"help", shown(table.help)}};
  json::array& flags = told["flags"].emplace_array();
  if ((table.flags & STILE_PLUGIN_NAMESPACE_REQUIRED) != 0) flags.emplace_back("namespace_required");
  if ((table.flags & STILE_PLUGIN_PASSTHROUGH) != 0) flags.emplace_back("passthrough");
  if ((table.flags & STILE_PLUGIN_PREPARE_CHECK) != 0) flags.emplace_back("prepare_check");
  json::array& capabilities = told["capabilities"].emplace_array();
  for (std::uint64_t i = 0; i < table.n_capabilities; ++i) capabilities.emplace_back(shown(table.capabilities[i]));
  json::array& options = told["options"].emplace_array();
  for (std::uint64_t i = 0; i < table.n_options; ++i) options.push_back(option_json(*table.options[i]));
  return told;
}

// What the child says first when the file was loaded; the table follows as JSON.
constexpr char loaded = '+';

// The child's whole life. What it prints, and its core, are nobody's business. Whoever asked may be killed meanwhile:
// a constructor that hangs must not outlive it.
[[noreturn]] void try_in_child(int to, const std::string& path, const Inspected& inspected, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);
  int nowhere = open("/dev/null", O_RDWR);
  for (int standard : {0, 1, 2}) dup2(nowhere, standard);
  rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  try {
    const stile_plugin& table = load_library(path, inspected);
    types::write_all(to, loaded + json::serialize(table_json(table)));
  } catch (const std::exception& error) {
    types::write_all(to, error.what());
  } catch (...) {
    types::write_all(to, "something was thrown while it was loaded");
  }
  _exit(0);
}

struct Verdictless {
  std::string said;
  bool in_time = true;
};

Verdictless listen(int from, Duration limit) {
  Deadline deadline = std::chrono::steady_clock::now() + limit;
  Verdictless heard;
  while (true) {
    auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd watched{from, POLLIN, 0};
    int ready =
        left.count() > 0 ? poll(&watched, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 60'000))) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0 && std::chrono::steady_clock::now() < deadline) continue;
    if (ready <= 0) {
      heard.in_time = false;
      return heard;
    }
    std::array<char, 4096> buffer;
    ssize_t got = read(from, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return heard;
    heard.said.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

std::string how_it_died(int status, bool in_time) {
  if (!in_time) return "it was not loaded in time: a constructor of it hangs";
  if (WIFSIGNALED(status)) {
    return std::string("it kills the process that loads it: ") + strsignal(WTERMSIG(status)) +
           " in a constructor of it";
  }
  if (WIFEXITED(status)) {
    return "it ends the process that loads it: a constructor of it calls exit(" + std::to_string(WEXITSTATUS(status)) +
           ")";
  }
  return "the process that loads it is gone";
}

struct Tried {
  std::string reason;  // why the file cannot be used; empty = it can
  json::object table;
};

Tried try_loading(const std::string& path, const Inspected& inspected, Duration limit) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {std::string("it cannot be tried: ") + std::strerror(errno), {}};
  pid_t parent = getpid(), child = fork();
  if (child == 0) {
    close(ends[0]);
    try_in_child(ends[1], path, inspected, parent);
  }
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return {std::string("it cannot be tried: ") + std::strerror(errno), {}};
  }
  Verdictless heard = listen(ends[0], limit);
  close(ends[0]);
  if (!heard.in_time) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (heard.said.empty() || !heard.in_time) return {how_it_died(status, heard.in_time), {}};
  if (heard.said[0] != loaded) return {heard.said, {}};
  json::error_code failed;
  json::value told = json::parse(std::string_view(heard.said).substr(1), failed);
  if (failed || !told.is_object()) return {"the process that loaded it died while it told what it is", {}};
  return {{}, std::move(told.as_object())};
}

}  // namespace

Probed probe(const std::string& path, Duration limit) {
  static std::mutex mutex;
  static auto* known = new std::map<std::string, Tried>;
  File file(path);
  Probed probed{inspect(file), false, {}, sha256_of(file), {}};
  if (!probed.inspected.good()) {
    probed.reason = probed.inspected.reason;
    return probed;
  }
  std::lock_guard lock(mutex);
  const FileId& id = file.id();
  std::string key = std::to_string(id.device) + ":" + std::to_string(id.inode) + ":" + std::to_string(id.size) + ":" +
                    std::to_string(id.changed) + ":" + probed.sha256;
  auto before = known->find(key);
  if (before == known->end()) before = known->emplace(key, try_loading(path, probed.inspected, limit)).first;
  probed.reason = before->second.reason;
  probed.good = probed.reason.empty();
  probed.table = before->second.table;
  return probed;
}

}  // namespace stile::loader
