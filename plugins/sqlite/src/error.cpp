// From SQLite's result codes to statuses and text.
//
// SPDX-License-Identifier: Apache-2.0
#include "error.hpp"

#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace stile::sqlite {
namespace {

bool out_of_room(int os_error) { return os_error == ENOSPC || os_error == EDQUOT || os_error == EFBIG; }

std::int32_t io_status(int os_error, Phase phase) {
  if (phase == Phase::commit) return STILE_UNKNOWN;
  if (out_of_room(os_error)) return STILE_FULL;
  if (os_error == EROFS) return STILE_READ_ONLY;
  if (os_error == EACCES || os_error == EPERM) return STILE_DENIED;
  return STILE_UNAVAILABLE;
}

const char* advice_of(std::int32_t status) {
  switch (status) {
    case STILE_UNAVAILABLE: return "nothing was written; send it again";
    case STILE_FULL: return "nothing was written; make room on its disk";
    case STILE_READ_ONLY: return "this file takes no writes here; check the permissions of the file and its folder";
    case STILE_DENIED: return "check the permissions of the file and its folder";
    case STILE_CORRUPT: return "check the file with 'PRAGMA integrity_check' or restore it from a backup";
    case STILE_UNKNOWN: return "it may have been written; send it again with the same op_id";
    default: return nullptr;
  }
}

}  // namespace

std::int32_t status_of(int code, int os_error, Phase phase) {
  switch (code & 0xff) {
    case SQLITE_OK: return STILE_OK;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
    case SQLITE_NOMEM:
    case SQLITE_INTERRUPT: return STILE_UNAVAILABLE;
    case SQLITE_FULL: return STILE_FULL;
    case SQLITE_READONLY: return STILE_READ_ONLY;
    case SQLITE_PERM:
    case SQLITE_AUTH: return STILE_DENIED;
    case SQLITE_CANTOPEN:
      if (os_error == EROFS) return STILE_READ_ONLY;
      return os_error == EACCES || os_error == EPERM ? STILE_DENIED : STILE_UNAVAILABLE;
    case SQLITE_IOERR: return io_status(os_error, phase);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT: return STILE_CORRUPT;
    case SQLITE_TOOBIG: return STILE_TOO_LARGE;
    default: return STILE_INTERNAL;
  }
}

std::string name_of_code(int code) {
  switch (code & 0xff) {
    case SQLITE_BUSY: return "SQLITE_BUSY";
    case SQLITE_LOCKED: return "SQLITE_LOCKED";
    case SQLITE_PROTOCOL: return "SQLITE_PROTOCOL";
    case SQLITE_NOMEM: return "SQLITE_NOMEM";
    case SQLITE_INTERRUPT: return "SQLITE_INTERRUPT";
    case SQLITE_FULL: return "SQLITE_FULL";
    case SQLITE_READONLY: return "SQLITE_READONLY";
    case SQLITE_PERM: return "SQLITE_PERM";
    case SQLITE_AUTH: return "SQLITE_AUTH";
    case SQLITE_CANTOPEN: return "SQLITE_CANTOPEN";
    case SQLITE_IOERR: return "SQLITE_IOERR";
    case SQLITE_CORRUPT: return "SQLITE_CORRUPT";
    case SQLITE_NOTADB: return "SQLITE_NOTADB";
    case SQLITE_FORMAT: return "SQLITE_FORMAT";
    case SQLITE_TOOBIG: return "SQLITE_TOOBIG";
    case SQLITE_CONSTRAINT: return "SQLITE_CONSTRAINT";
    default: return "SQLITE_" + std::to_string(code);
  }
}

StoreError error_of(sqlite3* db, int code, const std::string& path, Phase phase) {
  int os_error = 0;
  const int family = code & 0xff;
  if (db && (family == SQLITE_IOERR || family == SQLITE_CANTOPEN || family == SQLITE_FULL))
    os_error = sqlite3_system_errno(db);
  // On a mount that takes no writes SQLite misses the files it would have made.
  if (family == SQLITE_CANTOPEN && os_error == ENOENT && access(path.c_str(), W_OK) != 0 && errno == EROFS)
    os_error = EROFS;
  const std::int32_t status = status_of(code, os_error, phase);
  std::string text = path + ": " + (db ? sqlite3_errmsg(db) : sqlite3_errstr(code));
  if (os_error) text += " (" + std::generic_category().message(os_error) + ")";
  if (const char* advice = advice_of(status)) text += std::string(": ") + advice;
  return StoreError(status, text, name_of_code(code));
}

bool is_busy(int code) {
  const int family = code & 0xff;
  return family == SQLITE_BUSY || family == SQLITE_LOCKED || family == SQLITE_PROTOCOL;
}

bool is_busy(const StoreError& error) {
  return error.native() == "SQLITE_BUSY" || error.native() == "SQLITE_LOCKED" || error.native() == "SQLITE_PROTOCOL";
}

}  // namespace stile::sqlite
