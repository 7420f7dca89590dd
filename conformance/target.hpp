// The store under judgement: how to open it, what it said of itself, and a session that speaks CALL.md's JSON to it.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "stile/types.hpp"
#include "store/link.hpp"

namespace stile::conformance {

namespace json = boost::json;

/// How much of the contract a store keeps: which operations it answers with anything but `unsupported`.
enum class Part { nothing, documents, documents_and_records, all };
std::string_view name_of(Part part);

/// What a first look at the store found, in a child process of its own, before any case ran.
struct Facts {
  store::PluginIdentity plugin;
  std::string config;                  ///< secrets redacted
  json::object info;                   ///< the answer to info
  std::set<std::string> capabilities;  ///< of this store, out of info (S3)
  std::set<std::string> operations;    ///< that did not answer unsupported
  Part part = Part::nothing;

  bool can(std::string_view capability) const { return capabilities.count(std::string(capability)) != 0; }
  bool does(std::string_view operation) const { return operations.count(std::string(operation)) != 0; }
  /// A program of its owner has some of its operations composed of others.
  bool is_composed() const { return !can("one_commit") || !can("coupled_receive") || !can("push_records"); }
  /// A member of info.limits; fallback where the store says nothing sensible.
  std::uint64_t limit(std::string_view name, std::uint64_t fallback) const;
};

/// One store, as the command line named it. Copied into children; nothing of the store is open in it.
struct Target {
  std::string config;
  std::string plugin_file;     ///< empty = search
  std::string driver;          ///< the command line of its server's driver (servers/README.md); empty = none
  bool of_driver = false;      ///< config is that of a server which the driver started for this run
  std::uint64_t seed = 1;      ///< of whatever is drawn at random and must be repeatable; namespaces are not
  std::uint64_t scale = 1;     ///< multiplies the amount of random work
  std::uint64_t sequence = 0;  ///< the one random sequence to play; 0 = all there is time for
  std::string run;             ///< drawn once a run: part of every namespace, so that runs never meet
  int level = 1;
  int patience = 1;    ///< multiplies the time a check may take (--timeout-multiplier)
  Duration time{0};    ///< for the work of one random check (Check.random); 0 = the amount it has by itself
  std::string folder;  ///< of the run, for recorded histories and the like; gone with it, unless something failed
  Facts facts;

  /// Opens the store in a namespace: prepared unless said otherwise (S1: auto, check or never), and as the plugin gives
  /// it, with nothing composed or sent again.
  /// Only ever called in a child process (see check.hpp). Throws Error.
  std::shared_ptr<store::Backend> open(std::string_view ns, std::string_view prepare = "auto") const;

  /// The same store as a program of its owner has it: what it does not couple is composed; for layers and a Store.
  std::shared_ptr<store::Backend> open_as_program(std::string_view ns) const;
  /// As a program has it, and recorded as the judge wants it.
  std::shared_ptr<store::Backend> open_recorded(std::string_view ns, const std::string& file) const;

  /// A namespace of this run that no other call of any process of it gives.
  std::string fresh_namespace() const;
};

/// A store as the plugin gives it, composed for a program. What is recorded is what the store itself was asked: of an
/// operation that is composed the parts, for only they are atomic, and only what they promise is the store's to keep.
std::shared_ptr<store::Backend> recorded(std::shared_ptr<store::Backend> plain, const std::string& file);

/// One session, in the JSON of CALL.md. Not thread-safe, but interrupt is. After the store drops the session the next
/// call connects another. A write without op_id gets a fresh one, as every host must give it.
class Client {
 public:
  explicit Client(std::shared_ptr<store::Backend> backend);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Does one operation. What the codec refuses is answered as `stile call` answers it: invalid, too_large,
  /// unsupported.
  json::object call(const json::object& request, Duration deadline = std::chrono::seconds{20});
  /// Does one batch (R3); a member the codec refuses is answered in its place and the others are sent.
  std::vector<json::object> batch(const std::vector<json::object>& requests,
                                  Duration deadline = std::chrono::seconds{20});
  /// Makes the call that runs, or else the next one, return soon (W6). Any thread.
  void interrupt();

  /// The store's clock, by info.
  StoreTime now();
  /// Lets the store's clock go on by at least this much: by advance where there is a manual clock, else by waiting.
  void pass(Duration length, const Facts& facts);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace stile::conformance
