// Reading ELF headers that may say anything.
//
// SPDX-License-Identifier: Apache-2.0
#include "loader/elf_image.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace stile::loader {
namespace {

constexpr std::size_t most_dynamic = 4096;
constexpr std::uint64_t most_note_bytes = 1u << 20;

// a + b, or the largest number when it does not fit: a bound that no file reaches.
std::uint64_t sum(std::uint64_t a, std::uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

std::uint64_t aligned(std::uint64_t offset) { return (offset + 3) & ~std::uint64_t{3}; }

}  // namespace

bool ElfImage::read_ident() {
  return file_.read(header_.e_ident, EI_NIDENT, 0) && std::memcmp(header_.e_ident, ELFMAG, SELFMAG) == 0;
}

std::optional<std::uint64_t> ElfImage::read_segments() {
  std::uint64_t needed = sizeof header_;
  if (header_.e_phentsize != sizeof(Elf64_Phdr) || header_.e_phnum == 0 || header_.e_phnum == PN_XNUM) {
    return std::nullopt;
  }
  std::uint64_t table = std::uint64_t{header_.e_phnum} * sizeof(Elf64_Phdr);
  needed = std::max(needed, sum(header_.e_phoff, table));
  if (header_.e_shoff != 0) {
    needed = std::max(needed, sum(header_.e_shoff, std::uint64_t{header_.e_shnum} * header_.e_shentsize));
  }
  if (sum(header_.e_phoff, table) > file_.id().size) return needed;
  segments_.resize(header_.e_phnum);
  if (!file_.read(segments_.data(), table, header_.e_phoff)) return std::nullopt;
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_GNU_STACK) needed = std::max(needed, sum(segment.p_offset, segment.p_filesz));
  }
  return needed;
}

const Elf64_Phdr* ElfImage::segment(std::uint32_t type) const {
  auto found = std::find_if(segments_.begin(), segments_.end(), [&](const auto& s) { return s.p_type == type; });
  return found == segments_.end() ? nullptr : &*found;
}

std::vector<Elf64_Dyn> ElfImage::dynamic() const {
  const Elf64_Phdr* where = segment(PT_DYNAMIC);
  if (where == nullptr) return {};
  std::vector<Elf64_Dyn> entries(std::min<std::uint64_t>(where->p_filesz / sizeof(Elf64_Dyn), most_dynamic));
  if (!file_.read(entries.data(), entries.size() * sizeof(Elf64_Dyn), where->p_offset)) return {};
  auto end =
      std::find_if(entries.begin(), entries.end(), [](const Elf64_Dyn& entry) { return entry.d_tag == DT_NULL; });
  entries.erase(end, entries.end());
  return entries;
}

std::optional<std::uint64_t> ElfImage::file_offset(std::uint64_t address) const {
  for (const Elf64_Phdr& segment : segments_) {
    bool within =
        segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz;
    if (within) return sum(segment.p_offset, address - segment.p_vaddr);
  }
  return std::nullopt;
}

std::string ElfImage::text(const std::vector<Elf64_Dyn>& dynamic, std::uint64_t offset) const {
  auto table = std::find_if(dynamic.begin(), dynamic.end(), [](const Elf64_Dyn& e) { return e.d_tag == DT_STRTAB; });
  if (table == dynamic.end()) return {};
  auto start = file_offset(sum(table->d_un.d_ptr, offset));
  if (!start || *start >= file_.id().size) return {};
  std::array<char, 256> buffer{};
  std::uint64_t length = std::min<std::uint64_t>(buffer.size() - 1, file_.id().size - *start);
  if (!file_.read(buffer.data(), length, *start)) return {};
  return buffer.data();
}

bool ElfImage::notes(const std::function<void(std::string_view, std::uint32_t, std::string_view)>& visit) const {
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_NOTE) continue;
    // Notes of 8-byte alignment (GNU properties) are none of ours, and are padded in their own way.
    if (segment.p_align > 4) continue;
    if (segment.p_filesz > most_note_bytes) return false;
    std::string bytes(segment.p_filesz, '\0');
    if (!file_.read(bytes.data(), bytes.size(), segment.p_offset)) return false;
    std::string_view rest = bytes;
    while (rest.size() >= sizeof(Elf64_Nhdr)) {
      Elf64_Nhdr head;
      std::memcpy(&head, rest.data(), sizeof head);
      std::uint64_t name_end = sizeof head + std::uint64_t{head.n_namesz};
      std::uint64_t text_end = aligned(name_end) + head.n_descsz;
      if (name_end > rest.size() || text_end > rest.size()) return false;
      std::string_view owner = rest.substr(sizeof head, head.n_namesz);
      if (owner.ends_with('\0')) owner.remove_suffix(1);
      visit(owner, head.n_type, rest.substr(aligned(name_end), head.n_descsz));
      rest.remove_prefix(std::min<std::uint64_t>(aligned(text_end), rest.size()));
    }
  }
  return true;
}

}  // namespace stile::loader
