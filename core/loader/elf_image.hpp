// The headers of a 64-bit ELF file, read with every bound checked.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loader/file.hpp"

namespace stile::loader {

class ElfImage {
 public:
  explicit ElfImage(const File& file) : file_(file) {}

  const Elf64_Ehdr& header() const { return header_; }
  const std::vector<Elf64_Phdr>& segments() const { return segments_; }

  /// True when the file begins as an ELF file does.
  bool read_ident();
  bool read_header() { return file_.read(&header_, sizeof header_, 0); }
  /// How long the file must be by its header and segments; nothing when the headers cannot be read at all.
  std::optional<std::uint64_t> read_segments();

  /// The first segment of a type.
  const Elf64_Phdr* segment(std::uint32_t type) const;
  /// The dynamic section; empty when there is none.
  std::vector<Elf64_Dyn> dynamic() const;
  /// The text at an offset of the dynamic string table.
  std::string text(const std::vector<Elf64_Dyn>& dynamic, std::uint64_t offset) const;

  /// Calls visit(owner, type, descriptor) for every note; false when a note is cut off or contradicts itself.
  bool notes(const std::function<void(std::string_view, std::uint32_t, std::string_view)>& visit) const;

 private:
  std::optional<std::uint64_t> file_offset(std::uint64_t address) const;

  const File& file_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Phdr> segments_;
};

}  // namespace stile::loader
