// Lines of a script, said shortly: `when` is "CLIENT INVOKE RETURN", the workflow is w, the store's clock is the
// recorder's and a million.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace stile::conformance::judge {

inline std::string quoted(const std::string& text) { return "\"" + text + "\""; }
inline std::string say(const std::string& when, const std::string& asked, const std::string& told) {
  return when + " {" + asked + "} -> {" + told + "}\n";
}
inline std::string lost(const std::string& client, const std::string& invoke, const std::string& asked) {
  return client + " " + invoke + " - {" + asked + "}\n";
}
inline std::string refused(const std::string& when, const std::string& asked, const std::string& status) {
  return say(when, asked, "\"status\":" + quoted(status) + ",\"error\":\"no\"");
}
/// Tells the clock.
inline std::string clock() { return say("Z 0 100", R"("op":"info")", R"("status":"ok","store_time":1000050)"); }

inline std::string op(const std::string& name, const std::string& more = "") {
  return "\"op\":" + quoted(name) + R"(,"workflow":"w")" + (more.empty() ? "" : "," + more);
}
inline std::string plain(const std::string& when, const std::string& asked, const std::string& more = "") {
  return say(when, asked, R"("status":"ok")" + (more.empty() ? "" : "," + more));
}
/// A lease granted at a time of the store's clock, its budget as long as its ttl.
inline std::string grant(const std::string& when, const std::string& fence, int at, int ttl,
                         const std::string& more = "") {
  std::string until = std::to_string(at + ttl), length = std::to_string(ttl);
  return plain(when, op("acquire", R"("ttl":)" + length + R"(,"budget":)" + length + more),
               R"("fence":)" + quoted(fence) + R"(,"live_until":)" + until + R"(,"budget_until":)" + until +
                   R"(,"cancel_requested":false)");
}
inline std::string recording(const std::string& fence, const std::string& key, const std::string& value,
                             const std::string& more = "") {
  return op("record",
            R"("fence":)" + quoted(fence) + R"(,"key":)" + quoted(key) + R"(,"value":)" + quoted(value) + more);
}
inline std::string recorded(const std::string& value, int position, int at, const std::string& first = "true") {
  return R"("status":"ok","value":)" + quoted(value) + R"(,"first":)" + first + R"(,"position":)" +
         std::to_string(position) + R"(,"written_at":)" + std::to_string(at);
}
inline std::string supplying(const std::string& key, const std::string& value, const std::string& more = "") {
  return op("supply", R"("key":)" + quoted(key) + R"(,"value":)" + quoted(value) + more);
}
inline std::string appended(const std::string& when, const std::string& value, int position,
                            const std::string& more = "", const std::string& duplicate = "false") {
  std::string digits = std::to_string(position);
  return plain(when, op("append", R"("value":)" + quoted(value) + more),
               R"("key":"inbox:)" + std::string(20 - digits.size(), '0') + digits + R"(","position":)" + digits +
                   R"(,"duplicate":)" + duplicate);
}
inline std::string row(const std::string& key, const std::string& value, int position, int at) {
  return R"({"key":)" + quoted(key) + R"(,"value":)" + quoted(value) + R"(,"position":)" + std::to_string(position) +
         R"(,"written_at":)" + std::to_string(at) + "}";
}
inline std::string loaded(const std::string& when, const std::string& rows, int fence_number = 0,
                          const std::string& more = "false") {
  return plain(when, op("load"),
               R"("records":[)" + rows + R"(],"fence_number":)" + std::to_string(fence_number) +
                   R"(,"cancel_requested":false,"finished":false,"more":)" + more);
}
inline std::string enqueued(const std::string& when, const std::string& state, int visible_at,
                            const std::string& more = "") {
  return plain(when, op("enqueue", more),
               R"("state":)" + quoted(state) + R"(,"visible_at":)" + std::to_string(visible_at));
}
/// A delivery handed out at a time of the store's clock; `op_id` is that of the receive.
inline std::string delivered(const std::string& when, const std::string& receipt, int at, int lease, int count = 1,
                             const std::string& more = "") {
  return plain(when, R"("op":"receive","lease":)" + std::to_string(lease) + more,
               R"("deliveries":[{"workflow":"w","queue":"","receipt":)" + quoted(receipt) + R"(,"delivery_count":)" +
                   std::to_string(count) + R"(,"visible_at":)" + std::to_string(at + lease) +
                   R"(,"cancel_requested":false}],"more":false,"store_time":)" + std::to_string(at));
}
inline std::string acking(const std::string& receipt, const std::string& more = "") {
  return R"("op":"ack","receipt":)" + quoted(receipt) + more;
}
inline std::string acked(const std::string& when, const std::string& receipt, const std::string& more = "",
                         const std::string& requeued = "false") {
  return plain(when, acking(receipt, more), R"("requeued":)" + requeued);
}
inline std::string cancelled(const std::string& when, const std::string& removed = "true",
                             const std::string& more = "") {
  return plain(when, op("cancel", more), R"("removed":)" + removed);
}
inline std::string put(const std::string& when, const std::string& version, const std::string& value,
                       const std::string& more = "") {
  return plain(when, R"("op":"put","key":"d","value":)" + quoted(value) + more, R"("version":)" + quoted(version));
}
inline std::string got(const std::string& when, const std::string& version, const std::string& value,
                       const std::string& more = "") {
  return plain(when, R"("op":"get","key":"d")",
               R"("value":)" + quoted(value) + R"(,"version":)" + quoted(version) + more);
}

}  // namespace stile::conformance::judge
