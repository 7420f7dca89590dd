// Putting scripts together. A script knows only what it was asked for: each call of it makes all its functions anew.
// The library knows everything.
//
// SPDX-License-Identifier: Apache-2.0
#include "scripts.hpp"

#include <sha1.h>

#include "fields.hpp"
#include "stile/abi.h"
#include "stile_redis_lua.hpp"

namespace stile::redis {
namespace {

namespace lua = stile_redis_lua;

constexpr std::uint32_t prepare_script = 1u << 31, meet_script = 1u << 30, the_library = 1u << 29,
                        probe_script = 1u << 28;
constexpr std::uint32_t every_room = 2 * examine_room - 1;

Script script_of(std::string text) {
  char digits[SHA1_DIGEST_STRING_LENGTH];
  SHA1Data(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), digits);
  return {std::move(text), digits, {}};
}

}  // namespace

std::uint32_t room_of(std::uint32_t kind) {
  switch (kind) {
    case STILE_OP_ACQUIRE:
    case STILE_OP_RENEW:
    case STILE_OP_RELEASE: return lease_room;
    case STILE_OP_LOAD:
    case STILE_OP_RECORD:
    case STILE_OP_SUPPLY:
    case STILE_OP_APPEND:
    case STILE_OP_REBASE:
    case STILE_OP_DISCARD:
    case STILE_OP_REQUEST_CANCEL:
    case STILE_OP_WATCH: return checkpoint_room;
    case STILE_OP_TRANSACT: return transact_room;
    case STILE_OP_RECEIVE: return receive_room;
    case STILE_OP_GET:
    case STILE_OP_PUT:
    case STILE_OP_ERASE:
    case STILE_OP_SCAN: return documents_room;
    case STILE_OP_STATS:
    case STILE_OP_LIST: return overview_room;
    case STILE_OP_TRIM: return trim_room;
    case STILE_OP_ADVANCE: return admin_room;
    default: return wakeups_room;
  }
}

std::string Scripts::compose(std::uint32_t rooms) const {
  std::string out;
  const auto add = [&](bool wanted, std::string_view text) {
    if (!wanted) return;
    out.append(text);
    out += '\n';
  };
  // Nobody else knows what stands in these: a function has at most 200 local names.
  const auto add_room = [&](bool wanted, std::string_view text) {
    add(wanted, "do");
    add(wanted, text);
    add(wanted, "end");
  };
  const auto any = [rooms](std::uint32_t of) { return (rooms & of) != 0; };
  const bool rows = any(~(documents_room | admin_room));
  const bool documents = any(documents_room | trim_room | examine_room);
  add(true, lua::head);
  add(rows, lua::row);
  add(rows, lua::state);
  add(rows, lua::counts);
  add(rows, lua::bells);
  add(rows, lua::index);
  add(rows, lua::index_save);
  add(rows, model_.log);
  add(rows, lua::rows);
  add(!rows, lua::no_rows);
  add(any(checkpoint_room | receive_room | transact_room), lua::records);
  add(documents || any(overview_room), lua::pages);
  add_room(any(lease_room), lua::lease);
  add_room(any(checkpoint_room), lua::checkpoint);
  add_room(any(wakeups_room), lua::wakeups);
  add_room(any(receive_room), lua::receive);
  add_room(any(transact_room), lua::transact);
  add(documents, lua::documents);
  add_room(any(overview_room), lua::overview);
  add_room(any(trim_room), lua::trim);
  add_room(any(admin_room), lua::admin);
  add_room(any(examine_room), lua::examine);
  add(true, lua::main);
  return numbered(out);
}

const Script& Scripts::keep(std::uint32_t number, std::string text) {
  return made_.emplace(number, script_of(std::move(text))).first->second;
}

const Script& Scripts::of(std::uint32_t rooms) {
  const std::lock_guard guard(mutex_);
  const auto found = made_.find(rooms);
  if (found != made_.end()) return found->second;
  return keep(rooms,
              "if redis.replicate_commands then redis.replicate_commands() end\nlocal keys, args = KEYS, ARGV\n" +
                  compose(rooms) + "return main(keys, args)\n");
}

// Its name holds what it is made of, so that programs of several versions share a server.
const Script& Scripts::library() {
  const std::lock_guard guard(mutex_);
  const auto found = made_.find(the_library);
  if (found != made_.end()) return found->second;
  const std::string body = compose(every_room);
  std::string name = "stile_" + script_of(body).sha.substr(0, 16);
  std::string text = "#!lua name=" + name + "\n" + body + "redis.register_function('" + name + "', main)\n";
  return made_.emplace(the_library, Script{std::move(text), {}, std::move(name)}).first->second;
}

const Script& Scripts::prepare() {
  const std::lock_guard guard(mutex_);
  const auto found = made_.find(prepare_script);
  return found != made_.end() ? found->second : keep(prepare_script, std::string(lua::prepare));
}

const Script& Scripts::meet() {
  const std::lock_guard guard(mutex_);
  const auto found = made_.find(meet_script);
  if (found != made_.end()) return found->second;
  constexpr std::string_view place = "--INDEX--\n";
  std::string text(lua::meet);
  text.replace(text.find(place), place.size(), std::string(lua::counts) + std::string(lua::index_meet));
  return keep(meet_script, std::move(text));
}

const Script& Scripts::probe() {
  const std::lock_guard guard(mutex_);
  const auto found = made_.find(probe_script);
  if (found != made_.end()) return found->second;
  constexpr std::string_view place = "  --LOG--\n";
  std::string text(lua::probe);
  text.replace(text.find(place), place.size(), model_.probe_log);
  return keep(probe_script, std::move(text));
}

}  // namespace stile::redis
