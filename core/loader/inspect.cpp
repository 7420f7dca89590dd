// The pre-flight: from the bytes of a file to a verdict with its reason.
//
// SPDX-License-Identifier: Apache-2.0
#include "loader/inspect.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "config/text.hpp"
#include "loader/elf_image.hpp"
#include "stile/abi.h"
#include "types/text.hpp"

namespace stile::loader {
namespace {

#if defined(__x86_64__)
constexpr std::uint16_t own_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t own_machine = EM_AARCH64;
#else
#error "say here what e_machine a plugin for this architecture has"
#endif

std::string machine_text(std::uint16_t machine) {
  switch (machine) {
    case EM_X86_64: return "x86-64";
    case EM_AARCH64: return "arm64";
    case EM_386: return "32-bit x86";
    case EM_ARM: return "32-bit arm";
    case EM_RISCV: return "RISC-V";
    case EM_PPC64: return "64-bit PowerPC";
    case EM_S390: return "s390";
    default: return "machine number " + std::to_string(machine);
  }
}

// What a file that is no ELF file looks like to a person.
std::string first_look(const File& file) {
  std::array<char, 24> start{};
  std::uint64_t length = std::min<std::uint64_t>(start.size(), file.id().size);
  if (length == 0) return "it is empty";
  if (!file.read(start.data(), length, 0)) return "it cannot be read";
  return "it is no library: it begins with \"" + types::printable({start.data(), length}) + "\"";
}

struct Refusal {
  Verdict verdict;
  std::string reason;
};
using Judged = std::optional<Refusal>;

Judged judge_ident(const File& file, ElfImage& image) {
  if (!image.read_ident()) return Refusal{Verdict::not_elf, first_look(file)};
  const unsigned char* ident = image.header().e_ident;
  if (ident[EI_CLASS] != ELFCLASS64) {
    return Refusal{Verdict::wrong_machine, "it is a 32-bit library, this program is " + machine_text(own_machine)};
  }
  if (ident[EI_DATA] != ELFDATA2LSB) {
    return Refusal{Verdict::wrong_machine,
                   "it is for a big-endian machine, this program is " + machine_text(own_machine)};
  }
  if (!image.read_header()) {
    return Refusal{Verdict::truncated, "the file is truncated: it has " + std::to_string(file.id().size) +
                                           " bytes, not even its header; copy it again"};
  }
  if (image.header().e_machine != own_machine) {
    return Refusal{Verdict::wrong_machine, "it is for " + machine_text(image.header().e_machine) +
                                               ", this program is " + machine_text(own_machine)};
  }
  return std::nullopt;
}

Judged judge_segments(const File& file, ElfImage& image) {
  auto needed = image.read_segments();
  if (!needed) return Refusal{Verdict::malformed, "its program headers make no sense"};
  if (*needed > file.id().size) {
    return Refusal{Verdict::truncated, "the file is truncated: it needs " + std::to_string(*needed) +
                                           " bytes and has " + std::to_string(file.id().size) + "; copy it again"};
  }
  if (image.header().e_type == ET_EXEC || image.segment(PT_INTERP) != nullptr ||
      file.id().same_file(file_id("/proc/self/exe"))) {
    return Refusal{Verdict::program, "it is a program, not a library"};
  }
  if (image.header().e_type != ET_DYN) {
    return Refusal{Verdict::malformed, "it is an object or core file, not a library: link it with -shared"};
  }
  const Elf64_Phdr* stack = image.segment(PT_GNU_STACK);
  if (stack == nullptr || (stack->p_flags & PF_X) != 0) {
    return Refusal{Verdict::executable_stack,
                   "it asks for an executable stack, which newer systems refuse: link it with -z noexecstack, and end "
                   "every assembler source with .section .note.GNU-stack,\"\",@progbits"};
  }
  return std::nullopt;
}

Judged judge_dynamic(const ElfImage& image, Inspected& out) {
  std::vector<Elf64_Dyn> dynamic = image.dynamic();
  if (dynamic.empty()) return Refusal{Verdict::malformed, "it has no dynamic section: link it with -shared"};
  for (const Elf64_Dyn& entry : dynamic) {
    if (entry.d_tag == DT_NEEDED) out.needed.push_back(image.text(dynamic, entry.d_un.d_val));
    if (entry.d_tag == DT_FLAGS && (entry.d_un.d_val & DF_STATIC_TLS) != 0) out.static_tls = true;
    if (entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & DF_1_PIE) != 0) {
      return Refusal{Verdict::program, "it is a program (a position-independent one), not a library"};
    }
  }
  for (const std::string& library : out.needed) {
    if (library.starts_with("libstile.so") || library.starts_with("libstile_core")) {
      return Refusal{Verdict::links_core, "it is linked to " + library +
                                              ", so that a second core would run inside this one: a plugin links "
                                              "stile::sdk only"};
    }
  }
  return std::nullopt;
}

// "a\0b\0" as {"a", "b"}; nothing unless it holds exactly count texts, each ended.
std::optional<std::vector<std::string>> texts(std::string_view bytes, std::size_t count) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t end = bytes.find('\0');
    if (end == std::string_view::npos) return std::nullopt;
    out.emplace_back(bytes.substr(0, end));
    bytes.remove_prefix(end + 1);
  }
  if (!bytes.empty()) return std::nullopt;
  return out;
}

Judged judge_note(std::string_view bytes, Inspected& out) {
  Note note;
  constexpr std::size_t numbers = 2 * sizeof(std::uint32_t);
  constexpr std::string_view broken = "its identity note is broken: write it with STILE_NOTE of stile/abi/note.h";
  if (bytes.size() < numbers) return Refusal{Verdict::bad_note, std::string(broken)};
  std::memcpy(&note.abi_min, bytes.data(), sizeof note.abi_min);
  std::memcpy(&note.abi_max, bytes.data() + sizeof note.abi_min, sizeof note.abi_max);
  auto words = texts(bytes.substr(numbers), 3);
  if (!words) return Refusal{Verdict::bad_note, std::string(broken)};
  note.name = (*words)[0];
  note.version = (*words)[1];
  std::string_view schemes = (*words)[2];
  while (!schemes.empty()) {
    std::size_t end = std::min(schemes.find(' '), schemes.size());
    note.schemes.emplace_back(schemes.substr(0, end));
    schemes.remove_prefix(std::min(end + 1, schemes.size()));
  }
  bool names = config::is_name(note.name, true) && !note.schemes.empty() &&
               std::all_of(note.schemes.begin(), note.schemes.end(), [](const auto& s) { return config::is_name(s); });
  if (!names) {
    return Refusal{Verdict::bad_note, "the names in its note (\"" + types::printable(note.name) + "\", \"" +
                                          types::printable((*words)[2]) +
                                          "\") are not allowed: a name is a lower-case letter, then letters, digits, "
                                          "dots and hyphens"};
  }
  std::string refusal = abi_refusal(note.abi_min, note.abi_max);
  out.note = std::move(note);
  if (!refusal.empty()) return Refusal{Verdict::other_abi, refusal};
  return std::nullopt;
}

Judged judge_notes(const ElfImage& image, Inspected& out) {
  Judged judged;
  std::size_t ours = 0;
  bool whole = image.notes([&](std::string_view owner, std::uint32_t type, std::string_view bytes) {
    if (owner == STILE_NOTE_OWNER && type == STILE_NOTE_TYPE && ++ours == 1) judged = judge_note(bytes, out);
    if (owner == "GNU" && type == NT_GNU_BUILD_ID) {
      constexpr char digits[] = "0123456789abcdef";
      out.build_id.clear();
      for (char c : bytes) {
        out.build_id += digits[static_cast<unsigned char>(c) >> 4];
        out.build_id += digits[static_cast<unsigned char>(c) & 15];
      }
    }
  });
  if (judged) return judged;
  if (ours > 1) return Refusal{Verdict::bad_note, "it has more than one identity note: write STILE_NOTE in one source"};
  if (ours == 1) return std::nullopt;
  if (!whole) return Refusal{Verdict::malformed, "its notes are cut off"};
  return Refusal{Verdict::not_plugin, "it is a library but no Stile plugin: it has no identity note (STILE_NOTE)"};
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::good: return "good";
    case Verdict::unreadable: return "unreadable";
    case Verdict::not_elf: return "not a library";
    case Verdict::truncated: return "truncated";
    case Verdict::malformed: return "malformed";
    case Verdict::wrong_machine: return "wrong machine";
    case Verdict::program: return "a program";
    case Verdict::executable_stack: return "executable stack";
    case Verdict::links_core: return "linked to the core";
    case Verdict::not_plugin: return "not a plugin";
    case Verdict::bad_note: return "bad note";
    case Verdict::other_abi: return "other ABI";
    case Verdict::outside: return "leads outside";
    case Verdict::shadowed: return "shadowed";
    case Verdict::same_file: return "same file";
    case Verdict::load_failed: return "does not load";
  }
  return "unknown";
}

std::string abi_text(std::uint32_t abi) { return std::to_string(abi >> 16) + "." + std::to_string(abi & 0xffff); }

std::string abi_refusal(std::uint32_t least, std::uint32_t most) {
  if (least > most) return "its note is for ABI " + abi_text(least) + " to " + abi_text(most) + ", which is no range";
  if (least <= abi_most && most >= abi_least) return {};
  std::string theirs = least == most ? abi_text(least) : abi_text(least) + " to " + abi_text(most);
  std::string ours = abi_least == abi_most ? abi_text(abi_least) : abi_text(abi_least) + " to " + abi_text(abi_most);
  return "it was built for ABI " + theirs + ", this core speaks " + ours +
         (least > abi_most ? ": use a newer core, or a plugin built for this one"
                           : ": rebuild the plugin, or use an older core");
}

Inspected inspect(const File& file) {
  Inspected out;
  out.id = file.id();
  if (!file.failure().empty()) {
    out.verdict = Verdict::unreadable;
    out.reason = file.failure();
    return out;
  }
  ElfImage image(file);
  Judged judged = judge_ident(file, image);
  if (!judged) judged = judge_segments(file, image);
  if (!judged) judged = judge_dynamic(image, out);
  // The note is read also of a file that is refused for less, so that it can be told by its name.
  if (judged && judged->verdict == Verdict::wrong_machine && image.header().e_machine != 0) image.read_segments();
  Judged noted = image.segments().empty() ? std::nullopt : judge_notes(image, out);
  if (!judged) judged = noted;
  if (judged) {
    out.verdict = judged->verdict;
    out.reason = judged->reason;
  }
  return out;
}

Inspected inspect(const std::string& path) { return inspect(File(path)); }

}  // namespace stile::loader
