// The checks of level 4: how they are made known, and what they ask with.
//
// SPDX-License-Identifier: Apache-2.0
#include "servers/checks.hpp"

#include "servers/servers.hpp"

namespace stile::conformance {

void add_server_checks() {
  servers::add_dying_checks();
  servers::add_freezing_checks();
  servers::add_room_checks();
  servers::add_waiting_checks();
  servers::add_clock_checks();
  servers::add_past_checks();
}

namespace servers {

void add_server_check(std::string name, std::vector<std::string> ids, std::string about, Play what) {
  Check check;
  check.suite = "Servers";
  check.name = std::move(name);
  check.ids = std::move(ids);
  check.about = std::move(about);
  check.level = 4;
  check.alone = true;
  check.random = what.rounds;
  check.limit = std::chrono::seconds{240};
  check.run = [what](const Target& target) { return play(target, what); };
  add_check(std::move(check));
}

std::string status_of(const json::object& answer) { return json::value_to<std::string>(answer.at("status")); }

json::object ask_until(CallerProcess& caller, const json::object& operation, std::string_view status,
                       Duration patience) {
  json::object answer;
  eventually(patience, [&] {
    answer = caller.ask(operation, std::chrono::milliseconds{500});
    return status_of(answer) == status;
  });
  return answer;
}

const json::object& must(const json::object& answer, std::string_view status, std::string_view what,
                         std::vector<std::string> ids) {
  if (status_of(answer) != status)
    throw Fault(std::string(what) + ": wanted " + std::string(status) + ", answered " + json::serialize(answer),
                std::move(ids));
  return answer;
}

json::object ok(CallerProcess& caller, const json::object& operation) {
  return must(caller.ask(operation), "ok", json::serialize(operation));
}

}  // namespace servers
}  // namespace stile::conformance
