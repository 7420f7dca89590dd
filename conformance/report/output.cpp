// Files that are written at the end of a long work, tried before its beginning.
//
// SPDX-License-Identifier: Apache-2.0
#include "report/output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "types/text.hpp"

namespace stile::conformance::report {
namespace {

/// An output that was opened. What it made is gone with it.
class Tried {
 public:
  explicit Tried(const Output& of) : of_(of) {
    struct stat before {};
    const bool was_there = stat(of.path.c_str(), &before) == 0;
    // Without O_NONBLOCK a pipe that nobody reads would hold us up for ever.
    file_ = open(of.path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
    if (file_ < 0) refuse(why_not(errno, was_there && S_ISFIFO(before.st_mode)));
    if (fstat(file_, &is_) != 0) refuse(std::strerror(errno));
    if (!was_there) {  // by its real name: the one given may be a link to it
      std::unique_ptr<char, void (*)(void*)> real(realpath(of.path.c_str(), nullptr), std::free);
      if (real) made_ = real.get();
    }
    // /dev/full opens like any other.
    if (S_ISCHR(is_.st_mode) && write(file_, "", 0) < 0 && errno != EAGAIN) refuse(std::strerror(errno));
  }
  ~Tried() {
    if (!made_.empty()) unlink(made_.c_str());
    if (file_ >= 0 && !S_ISFIFO(is_.st_mode)) close(file_);
  }
  Tried(const Tried&) = delete;
  Tried& operator=(const Tried&) = delete;

  const Output& of() const { return of_; }
  bool is(const struct stat& other) const {
    return S_ISREG(is_.st_mode) && is_.st_dev == other.st_dev && is_.st_ino == other.st_ino;
  }
  bool is(const Tried& other) const { return is(other.is_); }

  [[noreturn]] static void refuse_for(const Output& of, const std::string& why) {
    throw BadOutput(of.option, types::printable(of.path) + ": cannot be written: " + why);
  }

 private:
  std::string why_not(int error, bool pipe) const {
    std::filesystem::path folder = std::filesystem::path(of_.path).parent_path();
    std::error_code failed;
    if (error == EISDIR) return "it is a folder";
    if (error == ENXIO && pipe) return "it is a pipe, and nobody reads it";
    if (error == ENOENT && !folder.empty() && !std::filesystem::is_directory(folder, failed))
      return "there is no folder " + types::printable(folder.native());
    return std::strerror(error);
  }
  /// A constructor that throws has no destructor behind it.
  [[noreturn]] void refuse(const std::string& why) {
    if (!made_.empty()) unlink(made_.c_str());
    if (file_ >= 0) close(file_);
    refuse_for(of_, why);
  }

  const Output& of_;
  int file_ = -1;
  struct stat is_ {};
  std::string made_;
};

/// A reader that goes in the middle is an error to tell, and no signal to die of.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    struct sigaction ignored {};
    ignored.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &ignored, &before_);
  }
  ~NoPipeSignal() { sigaction(SIGPIPE, &before_, nullptr); }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  struct sigaction before_ {};
};

}  // namespace

void try_outputs(const std::vector<Output>& outputs, const std::vector<std::string>& inputs) {
  std::vector<std::unique_ptr<Tried>> tried;  // all open until the last one was: what is gone gives its number away
  for (const Output& one : outputs) {
    if (one.path.empty()) throw BadOutput(one.option, "needs the name of a file");
    if (one.path == "-") Tried::refuse_for(one, "it is no file, and standard output has what people read");
    auto now = std::make_unique<Tried>(one);
    for (const auto& other : tried)
      if (now->is(*other))
        Tried::refuse_for(one, "it is the file of " + other->of().option + " " + types::printable(other->of().path));
    for (const std::string& input : inputs) {
      struct stat read {};
      if (stat(input.c_str(), &read) == 0 && now->is(read)) Tried::refuse_for(one, "it is read by this very command");
    }
    tried.push_back(std::move(now));
  }
}

std::string write_output_file(const std::string& path, const std::string& text) {
  NoPipeSignal while_writing;
  int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0666);
  if (file < 0) return std::strerror(errno);
  std::string why;
  if (int flags = fcntl(file, F_GETFL); flags < 0 || fcntl(file, F_SETFL, flags & ~O_NONBLOCK) != 0)
    why = std::strerror(errno);
  for (std::size_t done = 0; why.empty() && done < text.size();) {
    ssize_t n = write(file, text.data() + done, text.size() - done);
    if (n >= 0)
      done += static_cast<std::size_t>(n);
    else if (errno != EINTR)
      why = std::strerror(errno);
  }
  if (close(file) != 0 && why.empty()) why = std::strerror(errno);
  return why;
}

bool is_page(const std::string& path) {
  std::string name = path;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name.ends_with(".html") || name.ends_with(".htm");
}

}  // namespace stile::conformance::report
