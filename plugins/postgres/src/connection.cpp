// libpq without blocking: connect, send, wait for the answer.
//
// SPDX-License-Identifier: Apache-2.0
#include "connection.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>

#include "clock.hpp"

namespace stile::postgres {
namespace {

// Waits for the socket; false when the deadline passed.
bool wait_for(int socket, short events, std::int64_t deadline) {
  for (;;) {
    const std::int64_t now = monotonic_now();
    const std::int64_t left = deadline == STILE_NEVER ? second_us * 3600 : deadline - now;
    if (left <= 0) return false;
    pollfd ready = {socket, events, 0};
    const std::int64_t rest = std::min<std::int64_t>((left + 999) / 1000, 3'600'000);
    const int found = poll(&ready, 1, static_cast<int>(rest));
    if (found > 0) return true;
    if (found < 0 && errno != EINTR) return true;  // libpq will say what is wrong
  }
}

std::string trimmed(const char* text) {
  std::string out = text ? text : "";
  while (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

std::string sqlstate_of(const PGresult* result) {
  const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  return state ? state : "";
}

// A refusal to connect has no SQLSTATE in libpq 15: it is read from the text.
std::int32_t status_of_refusal(const std::string& text) {
  const auto says = [&](const char* what) { return text.find(what) != std::string::npos; };
  if (says("password authentication failed") || says("no pg_hba.conf entry") || says("role \"") ||
      says("permission denied") || says("authentication failed") || says("no password supplied"))
    return STILE_DENIED;
  if (says("session is read-only") || says("session is not read-only") || says("server is in hot standby"))
    return STILE_READ_ONLY;
  if (says("database \"") && says("does not exist")) return STILE_NOT_FOUND;
  if (says("invalid connection option") || says("invalid port") || says("invalid integer value") ||
      says("invalid sslmode"))
    return STILE_INVALID;
  return STILE_UNAVAILABLE;
}

std::string with_advice(std::int32_t status, const std::string& text) {
  switch (status) {
    case STILE_DENIED: return text + ": check the role, its password and pg_hba.conf";
    case STILE_READ_ONLY: return text + ": name the primary, or several hosts and target_session_attrs=read-write";
    case STILE_NOT_FOUND: return text + ": create it (createdb), or name another in the config string";
    default: break;
  }
  const bool strange = text.find("invalid response") != std::string::npos ||
                       text.find("expected authentication request") != std::string::npos;
  return strange ? text + ": is it a PostgreSQL server that listens there?" : text;
}

}  // namespace

Connection::Connection(const ConnectionWords& words, std::int64_t deadline) {
  std::vector<const char*> keys, values;
  for (const auto& [key, value] : words) {
    keys.push_back(key.c_str());
    values.push_back(value.c_str());
  }
  keys.push_back(nullptr);
  values.push_back(nullptr);
  handle_.reset(PQconnectStartParams(keys.data(), values.data(), 0));
  if (!handle_) throw StoreError(STILE_FULL, "out of memory");
  const auto refuse = [&] {
    const std::string text = trimmed(PQerrorMessage(handle()));
    throw StoreError(status_of_refusal(text), with_advice(status_of_refusal(text), text));
  };
  if (PQstatus(handle()) == CONNECTION_BAD) refuse();
  for (PostgresPollingStatusType next = PGRES_POLLING_WRITING; next != PGRES_POLLING_OK;
       next = PQconnectPoll(handle())) {
    if (next == PGRES_POLLING_FAILED) refuse();
    if (!wait_for(PQsocket(handle()), next == PGRES_POLLING_READING ? POLLIN : POLLOUT, deadline))
      throw StoreError(STILE_UNAVAILABLE, "no connection by the deadline: is the server up, and the address right?");
  }
  PQsetnonblocking(handle(), 1);
  PQsetNoticeReceiver(handle(), heard_notice, this);
}

// A commit that was not waited for by a standby that it should have waited for is committed here and answered as done,
// with a warning (P05). The function that warns is named whatever language the server speaks.
void Connection::heard_notice(void* self, const PGresult* notice) {
  const char* function = PQresultErrorField(notice, PG_DIAG_SOURCE_FUNCTION);
  if (function && std::string_view(function) == "SyncRepWaitForLSN") static_cast<Connection*>(self)->unwaited_ = true;
}

void Connection::lose(const std::string& text) {
  broken_ = true;
  throw Lost(text);
}

void Connection::await(std::int64_t deadline, bool writing, bool reading) {
  const short events = static_cast<short>((writing ? POLLOUT : 0) | (reading ? POLLIN : 0));
  if (!wait_for(PQsocket(handle()), events, deadline))
    lose("the deadline passed before the server answered: it may have been done; send it again with the same op_id");
  if (PQconsumeInput(handle()) == 0) lose(trimmed(PQerrorMessage(handle())));
}

void Connection::flush(std::int64_t deadline) {
  for (;;) {
    const int left = PQflush(handle());
    if (left == 0) return;
    if (left < 0) lose(trimmed(PQerrorMessage(handle())));
    await(deadline, true, true);
  }
}

// All results up to the null that ends a command; the last one.
Result Connection::drain(std::int64_t deadline) {
  Result last;
  for (;;) {
    while (PQisBusy(handle()) != 0) await(deadline, false, true);
    Result next(PQgetResult(handle()));
    if (!next) return last;
    // An error ends what was sent together: it is what there is to say.
    if (!last || PQresultStatus(last.get()) != PGRES_FATAL_ERROR) last = std::move(next);
    if (PQstatus(handle()) == CONNECTION_BAD) break;
  }
  lose(trimmed(PQerrorMessage(handle())));
}

Result Connection::checked(Result result) {
  if (!result) lose("the server gave no answer");
  switch (PQresultStatus(result.get())) {
    case PGRES_TUPLES_OK:
    case PGRES_COMMAND_OK:
      if (unwaited_) lose("committed by the primary, and the wait for its standby was cancelled: send it again");
      return result;
    case PGRES_FATAL_ERROR: break;
    default: lose("the server answered in a way that was not asked for");
  }
  const std::string state = sqlstate_of(result.get());
  // A backend that ends may have committed just before (P01): nothing it says about its end settles that.
  const char* severity = PQresultErrorField(result.get(), PG_DIAG_SEVERITY_NONLOCALIZED);
  if (PQstatus(handle()) == CONNECTION_BAD || severity == nullptr || std::string_view(severity) != "ERROR")
    lose(trimmed(PQerrorMessage(handle())));
  // A server that takes no writes may be a standby, and the primary elsewhere (P06); or a database that is only read.
  const char* standby = PQparameterStatus(handle(), "in_hot_standby");
  const bool elsewhere = state == "25006" && standby && std::string_view(standby) == "on";
  if (elsewhere || ends_session(state)) broken_ = true;
  throw error_of(state, trimmed(PQresultErrorField(result.get(), PG_DIAG_MESSAGE_PRIMARY)));
}

void Connection::prepare(const Statement& statement, std::int64_t deadline) {
  if (!prepared_.insert(statement.name).second) return;
  try {
    if (PQsendPrepare(handle(), statement.name.c_str(), statement.text.c_str(), 0, nullptr) == 0)
      lose(trimmed(PQerrorMessage(handle())));
    flush(deadline);
    checked(drain(deadline));
  } catch (const Lost& lost) {
    prepared_.erase(statement.name);
    throw StoreError(STILE_UNAVAILABLE, lost.text());
  } catch (...) {
    prepared_.erase(statement.name);
    throw;
  }
}

Result Connection::run(const Statement& statement, const Params& params, std::int64_t deadline) {
  if (!prepares_) return run_text(statement.text, params, deadline);
  prepare(statement, deadline);
  if (PQsendQueryPrepared(handle(), statement.name.c_str(), params.size(), params.values(), params.lengths(),
                          params.formats(), 1) == 0)
    lose(trimmed(PQerrorMessage(handle())));
  flush(deadline);
  return checked(drain(deadline));
}

void Connection::send(const Asked& asked) {
  const Params& params = asked.params;
  if (PQsendQueryPrepared(handle(), asked.statement->name.c_str(), params.size(), params.values(), params.lengths(),
                          params.formats(), 1) == 0 ||
      PQpipelineSync(handle()) == 0)
    lose(trimmed(PQerrorMessage(handle())));
}

// What one statement of a pipeline gave, up to its synchronisation point, behind which the next is not touched by it.
Result Connection::drain_one(std::int64_t deadline) {
  Result last;
  for (;;) {
    while (PQisBusy(handle()) != 0) await(deadline, false, true);
    Result next(PQgetResult(handle()));
    if (PQstatus(handle()) == CONNECTION_BAD) lose(trimmed(PQerrorMessage(handle())));
    if (!next) continue;
    if (PQresultStatus(next.get()) == PGRES_PIPELINE_SYNC) return last;
    if (!last) last = std::move(next);
  }
}

void Connection::run_each(const std::vector<Asked>& asked, std::int64_t deadline,
                          const std::function<void(std::size_t, Result, const StoreError*)>& answered) {
  const auto one = [&](std::size_t i, auto&& give) {
    try {
      answered(i, give(), nullptr);
    } catch (const Lost&) {
      throw;
    } catch (const StoreError& error) {
      answered(i, nullptr, &error);
    } catch (...) {
      broken_ = true;  // what else was asked is not heard any more
      throw;
    }
  };
  if (!prepares_ || asked.size() == 1) {
    for (std::size_t i = 0; i < asked.size(); ++i)
      one(i, [&] { return run(*asked[i].statement, asked[i].params, deadline); });
    return;
  }
  for (const Asked& each : asked) prepare(*each.statement, deadline);
  if (PQenterPipelineMode(handle()) == 0) lose(trimmed(PQerrorMessage(handle())));
  for (const Asked& each : asked) send(each);
  flush(deadline);
  for (std::size_t i = 0; i < asked.size(); ++i) one(i, [&] { return checked(drain_one(deadline)); });
  if (PQexitPipelineMode(handle()) == 0) lose(trimmed(PQerrorMessage(handle())));
}

Result Connection::run_text(const std::string& text, const Params& params, std::int64_t deadline) {
  if (PQsendQueryParams(handle(), text.c_str(), params.size(), nullptr, params.values(), params.lengths(),
                        params.formats(), 1) == 0)
    lose(trimmed(PQerrorMessage(handle())));
  flush(deadline);
  return checked(drain(deadline));
}

Result Connection::run_effect(const std::string& text, const Params& params, std::int64_t deadline) {
  if (PQsendQueryParams(handle(), text.c_str(), params.size(), params.types(), params.values(), params.lengths(),
                        params.formats(), 0) == 0)
    lose(trimmed(PQerrorMessage(handle())));
  flush(deadline);
  return checked(drain(deadline));
}

Result Connection::script(const std::string& text, std::int64_t deadline) {
  if (PQsendQuery(handle(), text.c_str()) == 0) lose(trimmed(PQerrorMessage(handle())));
  flush(deadline);
  return checked(drain(deadline));
}

}  // namespace stile::postgres
