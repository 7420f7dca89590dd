// One namespace of a file, as a config string opened it.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "database.hpp"
#include "group.hpp"

namespace stile::sqlite {

extern const stile_limits limits;

/// Which clock a config string asks for; `any` takes what the namespace has, and the system's for a new one.
enum class ClockWish { any, system, manual };

/// A file and those who write to it together, shared by all stores of it with the same options.
struct SharedFile {
  SharedFile(FileOptions options, Host host, std::shared_ptr<Tally> tally)
      : database(std::move(options), host, std::move(tally)), group(database) {}

  Database database;
  Group group;
};

class Session;

class Store {
 public:
  Store(std::shared_ptr<SharedFile> file, std::string ns, ClockWish wish)
      : file_(std::move(file)), ns_(std::move(ns)), wish_(wish) {}

  std::unique_ptr<Session> connect(const stile_call& call);

  Database& database() { return file_->database; }
  Group& group() { return file_->group; }
  const std::string& ns() const { return ns_; }

  /// The number of the namespace, looked up in the open transaction. Made where that may write; else 0 = not there.
  std::int64_t number(Connection& connection, bool may_write);
  /// The transaction that number was made in has committed.
  void keep_number(std::int64_t number) { number_.store(number, std::memory_order_release); }
  std::int64_t number() const { return number_.load(std::memory_order_acquire); }
  bool known() const { return number_.load(std::memory_order_acquire) != 0; }
  /// Does its clock stand still until advance moves it (A14)?
  bool manual_clock() const { return manual_.load(std::memory_order_acquire); }

 private:
  std::shared_ptr<SharedFile> file_;
  std::string ns_;
  ClockWish wish_;
  std::atomic<std::int64_t> number_{0};
  std::atomic<bool> manual_{false};
};

}  // namespace stile::sqlite
