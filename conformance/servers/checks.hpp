// The checks of level 4, by what happens to the server.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "servers/scene.hpp"

namespace stile::conformance::servers {

void add_dying_checks();
void add_freezing_checks();
void add_room_checks();
void add_waiting_checks();
void add_clock_checks();
void add_past_checks();

void add_server_check(std::string name, std::vector<std::string> ids, std::string about, Play what);

/// Asks until it is answered so; the last answer otherwise.
json::object ask_until(CallerProcess& caller, const json::object& operation, std::string_view status,
                       Duration patience = std::chrono::seconds{20});
/// Throws Fault unless it was answered so.
const json::object& must(const json::object& answer, std::string_view status, std::string_view what,
                         std::vector<std::string> ids = {});
/// One operation that has to be answered ok.
json::object ok(CallerProcess& caller, const json::object& operation);
std::string status_of(const json::object& answer);

}  // namespace stile::conformance::servers
