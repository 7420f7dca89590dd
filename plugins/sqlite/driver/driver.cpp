// The driver of the sqlite store: the protocol is conformance/servers/README.md.
//
// The store is embedded: its server is every process that has the file open. So to kill the server is to kill those;
// a power cut kills them and takes back what they had not synced, out of the journal of the shim that they run under.
//
// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "disk.hpp"
#include "power_cut.hpp"

namespace stile::sqlite::driver {
namespace {

namespace json = boost::json;
namespace fs = std::filesystem;

std::string beside_this_program(std::string_view name) {
  return (fs::read_symlink("/proc/self/exe").parent_path() / name).native();
}

/// A path as a config string writes it.
std::string escaped(const std::string& path) {
  constexpr std::string_view digits = "0123456789ABCDEF", plain = "/._-";
  std::string text;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool as_it_is = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (as_it_is || plain.find(c) != std::string_view::npos)
      text += c;
    else
      text.append("%").append(1, digits[byte / 16]).append(1, digits[byte % 16]);
  }
  return text;
}

/// Ended, though somebody has yet to wait for it.
bool is_over(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;  // by getline: one that ends meanwhile cannot be read, which a bare buffer throws
  std::getline(file, text, '\0');
  const std::size_t name = text.rfind(") ");
  return name == std::string::npos || text[name + 2] == 'Z' || text[name + 2] == 'X';
}

class Driver {
 public:
  json::object answer(const json::object& line) {
    const std::string word(line.at("do").as_string());
    if (word == "hello") return hello(line);
    if (folder_.empty()) throw std::runtime_error("hello comes first");
    if (word == "start") return start(line);
    if (!disk_) throw std::runtime_error("start comes first");
    if (word == "stop") return ok();
    if (word == "kill") return signal_all(line, SIGKILL);
    if (word == "freeze") return signal_all(line, SIGSTOP);
    if (word == "thaw") return signal_all(line, SIGCONT);
    if (word == "cut_power") return cut_power(line);
    if (word == "fill") return disk_->fill(), ok();
    if (word == "unfill") return disk_->make_room(), ok();
    if (word == "read_only") return disk_->set_read_only(true), ok();
    if (word == "writable") return disk_->set_read_only(false), ok();
    if (word == "clock") return step_clock(line.at("by").to_number<std::int64_t>());
    if (word == "lag") return lag();
    if (word == "demote") return demote();
    throw std::runtime_error("it cannot");
  }

 private:
  static json::object ok() { return {{"ok", true}}; }

  json::object hello(const json::object& line) {
    folder_ = json::value_to<std::string>(line.at("folder"));
    json::array can{"stop", "kill", "freeze", "thaw", "cut_power", "undurable", "clock", "lag", "demote"};
    const bool mounts = can_mount(folder_ + "/disk");
    for (const char* word : {"fill", "unfill"})
      if (mounts) can.emplace_back(word);
    for (const char* word : {"read_only", "writable"})
      if (mounts || geteuid() != 0) can.emplace_back(word);
    return {{"ok", true}, {"driver", "sqlite's driver"}, {"embedded", true}, {"can", std::move(can)}};
  }

  json::object start(const json::object& line) {
    json::object environment;
    for (const json::value& fault : line.at("for").as_array()) {
      if (fault == "fill" && !disk_) disk_.emplace(folder_ + "/disk", true);
      if (fault == "cut_power")
        environment["STILE_SHIM_JOURNAL"] = journal(), environment["STILE_SHIM_SYNC_HELD_BY"] = held();
      if (fault == "clock") environment["STILE_SHIM_CLOCK"] = clock();
    }
    if (!environment.empty()) environment["LD_PRELOAD"] = beside_this_program("sqlite_shim.so");
    if (!disk_) disk_.emplace(folder_ + "/disk", false);
    std::string config = "sqlite:" + escaped(disk_->store());
    durable_ = line.at("durable").as_bool();
    if (!durable_) config += "?synchronous=normal";
    return {{"ok", true}, {"config", config}, {"environment", std::move(environment)}};
  }

  static std::vector<pid_t> callers(const json::object& line) {
    return json::value_to<std::vector<pid_t>>(line.at("callers"));
  }

  static json::object signal_all(const json::object& line, int number) {
    for (const pid_t caller : callers(line))
      if (::kill(caller, number) != 0) throw std::system_error(errno, std::generic_category(), "kill");
    return ok();
  }

  /// Every other cut is in the middle of a sync, so that there is something to take back however fast the disk is.
  json::object cut_power(const json::object& line) {
    if (durable_ && ++cuts_ % 2 == 1) hold_syncs();
    signal_all(line, SIGKILL);
    for (const pid_t caller : callers(line))
      while (!is_over(caller)) std::this_thread::yield();
    const std::uint64_t lost = take_back_unsynced(journal());
    fs::remove(journal());
    fs::remove(held());
    fs::remove(disk_->store() + "-shm");  // memory that is shared, not kept
    return {{"ok", true}, {"lost", lost}};
  }

  /// Until the shim writes no more: whoever writes has come to its sync.
  void hold_syncs() const {
    using namespace std::chrono;
    std::ofstream(held()).close();
    const auto end = steady_clock::now() + seconds{2};
    std::uintmax_t size = 0;
    for (auto still = steady_clock::now(); steady_clock::now() < std::min(end, still + milliseconds{50});) {
      if (const std::uintmax_t seen = fs::file_size(journal()); seen != size) size = seen, still = steady_clock::now();
      std::this_thread::sleep_for(milliseconds{1});
    }
  }

  json::object step_clock(std::int64_t by) {
    offset_ += by;
    std::fstream(clock(), std::ios::in | std::ios::out | std::ios::binary)
        .write(reinterpret_cast<const char*>(&offset_), sizeof offset_);
    using namespace std::chrono;
    return {{"ok", true},
            {"clock", duration_cast<microseconds>(system_clock::now().time_since_epoch()).count() + offset_}};
  }

  /// A backup is taken; nobody has the file open.
  json::object lag() {
    for (const char* part : {"", "-wal"}) {
      fs::remove(backup() + part);
      if (fs::exists(disk_->store() + part)) fs::copy_file(disk_->store() + part, backup() + part);
    }
    return ok();
  }

  /// The backup is put in the place of the file.
  json::object demote() {
    for (const char* part : {"-wal", "-shm", "-stile"}) fs::remove(disk_->store() + part);
    fs::rename(backup(), disk_->store());
    if (fs::exists(backup() + "-wal")) fs::rename(backup() + "-wal", disk_->store() + "-wal");
    return ok();
  }

  std::string journal() const { return folder_ + "/journal"; }
  std::string held() const { return folder_ + "/held"; }
  std::string backup() const { return folder_ + "/disk/backup"; }
  std::string clock() {
    const std::string path = folder_ + "/clock";
    if (!fs::exists(path)) std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(&offset_), 8);
    return path;
  }

  std::string folder_;
  std::optional<Disk> disk_;
  std::int64_t offset_ = 0;
  bool durable_ = true;
  int cuts_ = 0;
};

int serve() {
  Driver driver;
  for (std::string text; std::getline(std::cin, text);) {
    json::object said;
    try {
      said = driver.answer(json::parse(text).as_object());
    } catch (const std::exception& error) {
      said = {{"ok", false}, {"error", error.what()}};
    }
    std::cout << json::serialize(said) << "\n" << std::flush;
  }
  return 0;
}

}  // namespace
}  // namespace stile::sqlite::driver

int main() { return stile::sqlite::driver::serve(); }
