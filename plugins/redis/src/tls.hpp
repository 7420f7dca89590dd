// Encryption below a connection: who the server must prove to be, and who this client is.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>

struct ssl_ctx_st;
struct ssl_st;

namespace stile::redis {

/// What a config string says of it.
struct TlsSettings {
  std::string ca;    ///< a file of certificates that are trusted; empty = those of the system
  std::string cert;  ///< a file with the client's certificate; empty = none
  std::string key;   ///< a file with its key
  std::string name;  ///< whom the server's certificate must be for; empty = the host that is connected to
};

/// Made once a store; any thread.
class TlsContext {
 public:
  /// Throws sdk::Refusal naming the file that cannot be used.
  explicit TlsContext(TlsSettings settings);

  const TlsSettings& settings() const { return settings_; }
  ssl_ctx_st* get() const { return context_.get(); }

 private:
  const TlsSettings settings_;
  std::unique_ptr<ssl_ctx_st, void (*)(ssl_ctx_st*)> context_;
};

/// One connection's encryption, over a socket that does not block. What cannot go on at once says what it waits for.
class TlsStream {
 public:
  enum class Wait { none, to_read, to_write };
  struct Moved {
    std::size_t bytes = 0;
    Wait wait = Wait::none;
    bool closed = false;
    std::string problem;  ///< not empty: broken
  };

  TlsStream(const TlsContext& context, int socket, const std::string& host);

  /// To be called until it waits for nothing.
  Moved shake_hands();
  Moved send(const char* data, std::size_t size);
  Moved receive(char* to, std::size_t size);
  /// Is there anything that was sent without being asked for? Takes nothing.
  bool has_more();

 private:
  Moved moved(int code);

  std::unique_ptr<ssl_st, void (*)(ssl_st*)> stream_;
};

}  // namespace stile::redis
