// One file as this process has it open: its connections, its clock, how a transaction begins, ends and becomes durable.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "connection.hpp"
#include "host.hpp"
#include "schema.hpp"
#include "side_file.hpp"
#include "stile/sdk/author.h"
#include "tables.hpp"

namespace stile::sqlite {

class Keeper;
class Watcher;

/// What the options of a config string say about a file.
struct FileOptions {
  std::string path;
  bool durable = true;     ///< synchronous=full: an accepted write survives a power cut before it is answered
  std::int64_t cache = 0;  ///< bytes

  friend bool operator<(const FileOptions& a, const FileOptions& b) {
    return std::tie(a.path, a.durable, a.cache) < std::tie(b.path, b.durable, b.cache);
  }
};

/// How long somebody waits for a lock, and whether they were called away.
struct Patience {
  std::int64_t until = INT64_MAX;  ///< CLOCK_MONOTONIC microseconds
  std::function<bool()> interrupted = nullptr;
};

/// A commit that is visible: its number, and whether it wrote anything.
struct Commit {
  std::uint64_t number = 0;
  bool wrote = false;
};

/// A connection with its tables.
struct Desk {
  explicit Desk(const std::string& path, const OpenAs& as, std::shared_ptr<Tally> tally, Estimates& estimates)
      : number(next_number.fetch_add(1)), connection(path, as, std::move(tally)), tables(connection, estimates) {}

  static inline std::atomic<std::uint64_t> next_number{1};
  const std::uint64_t number;  ///< no other desk of this process ever had it
  Connection connection;
  Tables tables;
};

class Database {
 public:
  Database(FileOptions options, Host host, std::shared_ptr<Tally> tally);
  ~Database();

  /// Refuses a path where a store cannot be: no such folder, a network filesystem (S5). Throws.
  void check_place() const;

  /// Is the schema there, in a version that this software works with? Looks again until it is.
  bool prepared();
  /// Creates or migrates, until the time is over; answers whether it changed something. Throws.
  bool prepare(bool check_only, std::int64_t until);

  /// The store's clock (A12): it never steps back while anybody has the file open.
  std::int64_t now();
  /// The same, as the SDK asks it.
  stile_clock clock() {
    return {[](void* of) { return static_cast<Database*>(of)->now(); }, this};
  }

  /// The connection that writes; whoever leads the group uses it, one at a time.
  Desk& writer();
  /// A connection out of a pool, back in it when it goes out of scope: one that reads, or one on which an effect runs
  /// the caller's code. The latter have their own, since a hanging effect keeps its connection while others go on.
  struct Pool {
    const std::size_t most;  ///< a thousand who begin to wait at once must not open a thousand connections
    std::vector<std::unique_ptr<Desk>> idle{};
    std::size_t out = 0;
  };
  class Borrowed {
   public:
    ~Borrowed();
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;
    Desk* operator->() { return desk_.get(); }
    Desk& operator*() { return *desk_; }

   protected:
    /// Throws when none came back by then.
    Borrowed(Database& database, Pool& pool, const OpenAs& as, std::int64_t until = INT64_MAX);

   private:
    Database& database_;
    Pool& pool_;
    std::unique_ptr<Desk> desk_;
  };
  struct Reader : Borrowed {
    explicit Reader(Database& database, std::int64_t until = INT64_MAX)
        : Borrowed(database, database.readers_, {}, until) {}
  };
  struct EffectDesk : Borrowed {
    explicit EffectDesk(Database& database)
        : Borrowed(database, database.effects_,
                   {.serialized = true, .guarded = true, .full_sync = database.syncs_itself()}) {}
  };

  /// The right to write: a fair turn between processes, and SQLite's write lock. Rolls back unless committed.
  class WriteLock {
   public:
    /// Null when it was not to be had in time.
    static std::optional<WriteLock> take(Database& database, Connection& connection, const Patience& patience);
    WriteLock(WriteLock&& other) noexcept;
    WriteLock& operator=(WriteLock&&) = delete;
    ~WriteLock();

    /// Ends it without a commit.
    void give_back();
    /// Gives the turn to others before the transaction ends: what comes now may take long.
    void give_up_turn();
    /// Commits; what was written is visible now, and durable after settle. Throws with the status that R2 demands.
    Commit commit();

   private:
    WriteLock(Database& database, Connection& connection, bool turn)
        : database_(&database), connection_(&connection), turn_(turn) {}

    Database* database_;
    Connection* connection_;
    bool turn_;
  };

  /// Returns when the commit, and all it was built on, is as durable as the options say. Throws UNKNOWN when the disk
  /// fails.
  void settle(const Commit& commit);
  /// The same for whatever can be read by now, so that nobody is told what a power cut would take back.
  void settle_read();

  /// Refuses to go on when the file was removed or replaced: what is written there nobody would find. Throws.
  void check_still_there() const;

  /// Tells those who wait what a commit brought.
  void announce(const Touched& touched);

  Watcher& watcher();
  Keeper& keeper() { return *keeper_; }
  SideFile* side() { return side_.get(); }
  const FileOptions& options() const { return options_; }
  const Host& host() const { return host_; }
  Estimates& estimates() { return estimates_; }
  std::uint32_t epoch() const { return facts_.epoch; }
  /// What info.epoch says: the identity of the data and the number of times it may have gone back (S2).
  std::string epoch_text() const;

 private:
  void get_ready();
  /// Must SQLite sync at each commit, since nobody else does?
  bool syncs_itself() const { return options_.durable && !own_sync_; }
  std::unique_ptr<Desk> open_desk(const OpenAs& as);
  void open_log();
  void sync_log(std::int32_t status_of_failure);

  FileOptions options_;
  Host host_;
  std::shared_ptr<Tally> tally_;

  std::mutex mutex_;
  std::atomic<bool> prepared_{false};
  Facts facts_;
  std::unique_ptr<SideFile> side_;
  bool own_sync_ = false;   ///< commits are synced here, after the turn was given back; else SQLite does it
  std::int64_t inode_ = 0;  ///< of the file that is open
  int log_ = -1;            ///< the write-ahead log, to sync it
  std::atomic<std::int64_t> clock_ahead_{INT64_MIN};
  Estimates estimates_;
  std::unique_ptr<Desk> writer_;
  static constexpr std::size_t most_readers = 16;
  std::condition_variable returned_;
  Pool readers_{most_readers}, effects_{SIZE_MAX};
  std::unique_ptr<Watcher> watcher_;
  std::unique_ptr<Keeper> keeper_;
};

}  // namespace stile::sqlite
