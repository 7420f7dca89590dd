// OpenSSL.
//
// SPDX-License-Identifier: Apache-2.0
#include "tls.hpp"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>

#include "stile/sdk/options.hpp"

namespace stile::redis {
namespace {

std::string last_problem() {
  char text[256] = "unknown";
  if (const unsigned long code = ERR_peek_last_error(); code != 0) ERR_error_string_n(code, text, sizeof text);
  ERR_clear_error();
  return text;
}

[[noreturn]] void refuse(const std::string& what) { throw sdk::Refusal(STILE_INVALID, what + ": " + last_problem()); }

int socket_of(BIO* bio) { return static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio))); }

// A socket as OpenSSL's own, but that a closed one raises no signal in the program that uses this store.
int send_quietly(BIO* bio, const char* data, int size) {
  BIO_clear_retry_flags(bio);
  const auto sent = ::send(socket_of(bio), data, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  if (sent < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(bio);
  return static_cast<int>(sent);
}
int receive(BIO* bio, char* to, int size) {
  BIO_clear_retry_flags(bio);
  const auto got = ::recv(socket_of(bio), to, static_cast<std::size_t>(size), 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
  return static_cast<int>(got);
}
long control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

/// Both ways of a stream own it.
BIO* socket_end(int socket) {
  static const std::unique_ptr<BIO_METHOD, void (*)(BIO_METHOD*)> method = [] {
    std::unique_ptr<BIO_METHOD, void (*)(BIO_METHOD*)> made(
        BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "stile"), BIO_meth_free);
    if (made == nullptr) refuse("no TLS");
    BIO_meth_set_write(made.get(), send_quietly);
    BIO_meth_set_read(made.get(), receive);
    BIO_meth_set_ctrl(made.get(), control);
    return made;
  }();
  BIO* const out = BIO_new(method.get());
  if (out == nullptr) refuse("no TLS");
  BIO_set_data(out, reinterpret_cast<void*>(static_cast<std::intptr_t>(socket)));
  BIO_set_init(out, 1);
  return out;
}

bool is_address(const std::string& name) {
  unsigned char bytes[16];
  return ::inet_pton(AF_INET, name.c_str(), bytes) == 1 || ::inet_pton(AF_INET6, name.c_str(), bytes) == 1;
}

}  // namespace

TlsContext::TlsContext(TlsSettings settings)
    : settings_(std::move(settings)),
      context_(SSL_CTX_new(TLS_client_method()), [](ssl_ctx_st* context) { SSL_CTX_free(context); }) {
  if (context_ == nullptr) refuse("no TLS");
  SSL_CTX_set_min_proto_version(get(), TLS1_2_VERSION);
  SSL_CTX_set_mode(get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_verify(get(), SSL_VERIFY_PEER, nullptr);
  const bool trusted = settings_.ca.empty() ? SSL_CTX_set_default_verify_paths(get()) == 1
                                            : SSL_CTX_load_verify_locations(get(), settings_.ca.c_str(), nullptr) == 1;
  if (!trusted) refuse("tls_ca=" + settings_.ca + " cannot be used");
  if (settings_.cert.empty() != settings_.key.empty())
    throw sdk::Refusal(STILE_INVALID, "tls_cert and tls_key go together: a certificate, and its key");
  if (settings_.cert.empty()) return;
  if (SSL_CTX_use_certificate_chain_file(get(), settings_.cert.c_str()) != 1)
    refuse("tls_cert=" + settings_.cert + " cannot be used");
  if (SSL_CTX_use_PrivateKey_file(get(), settings_.key.c_str(), SSL_FILETYPE_PEM) != 1)
    refuse("tls_key=" + settings_.key + " cannot be used");
}

TlsStream::TlsStream(const TlsContext& context, int socket, const std::string& host)
    : stream_(SSL_new(context.get()), [](ssl_st* stream) { SSL_free(stream); }) {
  if (stream_ == nullptr) refuse("no TLS");
  const std::string& name = context.settings().name.empty() ? host : context.settings().name;
  BIO* const end = socket_end(socket);
  SSL_set_bio(stream_.get(), end, end);
  SSL_set_connect_state(stream_.get());
  if (is_address(name)) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(stream_.get()), name.c_str());
  } else {
    SSL_set_tlsext_host_name(stream_.get(), name.c_str());
    SSL_set1_host(stream_.get(), name.c_str());
  }
}

TlsStream::Moved TlsStream::moved(int code) {
  Moved out;
  if (code > 0) {
    out.bytes = static_cast<std::size_t>(code);
    return out;
  }
  switch (SSL_get_error(stream_.get(), code)) {
    case SSL_ERROR_WANT_READ: out.wait = Wait::to_read; break;
    case SSL_ERROR_WANT_WRITE: out.wait = Wait::to_write; break;
    case SSL_ERROR_ZERO_RETURN: out.closed = true; break;
    case SSL_ERROR_SYSCALL:
      out.closed = ERR_peek_error() == 0;
      if (!out.closed) out.problem = last_problem();
      break;
    default:
      out.problem = last_problem();
      if (const long verdict = SSL_get_verify_result(stream_.get()); verdict != X509_V_OK)
        out.problem = std::string("the server's certificate: ") + X509_verify_cert_error_string(verdict);
  }
  return out;
}

TlsStream::Moved TlsStream::shake_hands() {
  ERR_clear_error();
  return moved(SSL_do_handshake(stream_.get()));
}

TlsStream::Moved TlsStream::send(const char* data, std::size_t size) {
  ERR_clear_error();
  return moved(SSL_write(stream_.get(), data, static_cast<int>(std::min<std::size_t>(size, INT_MAX))));
}

TlsStream::Moved TlsStream::receive(char* to, std::size_t size) {
  ERR_clear_error();
  return moved(SSL_read(stream_.get(), to, static_cast<int>(std::min<std::size_t>(size, INT_MAX))));
}

bool TlsStream::has_more() {
  char byte;
  ERR_clear_error();
  return moved(SSL_peek(stream_.get(), &byte, 1)).wait != Wait::to_read;
}

}  // namespace stile::redis
