// What the headers and the note of a file say, before any of its code runs. Tests are named after the rows of the
// loader's list of scenarios.
//
// SPDX-License-Identifier: Apache-2.0
#include "loader/inspect.hpp"

#include <elf.h>
#include <sys/stat.h>

#include <cstring>

#include "loader/sha256.hpp"
#include "support.hpp"

namespace {

using namespace fixtures;
using stile::loader::inspect;
using stile::loader::Inspected;
using stile::loader::Verdict;

void expect(const Inspected& seen, Verdict verdict, const std::string& reason) {
  EXPECT_EQ(name_of(seen.verdict), name_of(verdict)) << seen.reason;
  EXPECT_TRUE(says(seen.reason, reason));
}

Inspected of_bytes(const Folder& folder, const std::string& bytes) { return inspect(folder.write("x.so", bytes)); }

TEST(Inspect, GoodFileTellsWhoItIs) {
  Inspected seen = inspect(built("fixture_plain"));
  ASSERT_TRUE(seen.good()) << seen.reason;
  EXPECT_EQ(seen.note->name, "plain");
  EXPECT_EQ(seen.note->version, "1.0");
  EXPECT_EQ(seen.note->schemes, std::vector<std::string>{"plain"});
  EXPECT_EQ(seen.note->abi_min, STILE_ABI_1_0);
  EXPECT_EQ(inspect(built("fixture_rival")).note->schemes, (std::vector<std::string>{"plain", "other"}));
}

TEST(Inspect, S9_WrongArchitectureNamesBoth) {
  Folder folder;
  std::string bytes = bytes_of(built("fixture_plain"));
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.e_machine = header.e_machine == EM_X86_64 ? EM_AARCH64 : EM_X86_64;
  std::memcpy(bytes.data(), &header, sizeof header);
  Inspected seen = of_bytes(folder, bytes);
  expect(seen, Verdict::wrong_machine, "x86-64");
  EXPECT_TRUE(says(seen.reason, "arm64"));
  ASSERT_TRUE(seen.note) << "its note says whose it is, also on another machine";
  EXPECT_EQ(seen.note->name, "plain");
  bytes[EI_CLASS] = ELFCLASS32;
  expect(of_bytes(folder, bytes), Verdict::wrong_machine, "32-bit");
  bytes[EI_CLASS] = ELFCLASS64;
  bytes[EI_DATA] = ELFDATA2MSB;
  expect(of_bytes(folder, bytes), Verdict::wrong_machine, "big-endian");
}

TEST(Inspect, S10_TruncatedAnywhere) {
  Folder folder;
  std::string bytes = bytes_of(built("fixture_plain"));
  Inspected seen = of_bytes(folder, bytes.substr(0, bytes.size() - 1));
  expect(seen, Verdict::truncated,
         "needs " + std::to_string(bytes.size()) + " bytes and has " + std::to_string(bytes.size() - 1));
  for (std::size_t length = 0; length < bytes.size(); length += 61) {
    Inspected cut = of_bytes(folder, bytes.substr(0, length));
    EXPECT_FALSE(cut.good()) << "cut at " << length;
    EXPECT_FALSE(cut.reason.empty()) << "cut at " << length;
  }
}

TEST(Inspect, S10_DamagedHeadersAreNeverReadPastTheEnd) {
  Folder folder;
  const std::string bytes = bytes_of(built("fixture_plain"));
  for (std::size_t at = 0; at < 0x300; ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0xff);
    Inspected seen = of_bytes(folder, damaged);
    EXPECT_EQ(seen.good(), seen.reason.empty()) << "byte " << at;
  }
}

TEST(Inspect, NotALibrary) {
  Folder folder;
  expect(of_bytes(folder, ""), Verdict::not_elf, "empty");
  expect(of_bytes(folder, "GROUP ( libfoo.so )"), Verdict::not_elf, "begins with \"GROUP ( libfoo.so )\"");
  expect(of_bytes(folder, "#!/bin/sh\n\x1b[31m"), Verdict::not_elf, "#!/bin/sh\\n\\x1b[31m");
  expect(of_bytes(folder, ELFMAG), Verdict::not_elf, "no library");
  expect(of_bytes(folder, bytes_of(STILE_FIXTURE_OBJECT)), Verdict::malformed, "");
}

TEST(Inspect, NotAFile) {
  Folder folder;
  expect(inspect(folder.text()), Verdict::unreadable, "directory");
  expect(inspect(folder.text() + "/none.so"), Verdict::unreadable, "No such file");
  std::string fifo = folder.text() + "/fifo.so";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  expect(inspect(fifo), Verdict::unreadable, "no regular file");
  expect(inspect("/dev/null"), Verdict::unreadable, "no regular file");
}

TEST(Inspect, S12_ExecutableStack) {
  expect(inspect(built("fixture_execstack")), Verdict::executable_stack, "-z noexecstack");
}

TEST(Inspect, S14_OtherAbiSaysBothRanges) {
  expect(inspect(built("fixture_note_abi")), Verdict::other_abi,
         "built for ABI 2.0 to 2.3, this core speaks 1.0: use a newer core");
  expect(inspect(built("fixture_note_old")), Verdict::other_abi,
         "built for ABI 0.1 to 0.9, this core speaks 1.0: rebuild the plugin");
}

TEST(Inspect, S49_NamesInTheNoteAreChecked) {
  expect(inspect(built("fixture_note_name")), Verdict::bad_note, "\"Bad\\nName\"");
  expect(inspect(built("fixture_note_scheme")), Verdict::bad_note, "\"../evil\"");
}

TEST(Inspect, BrokenNotes) {
  expect(inspect(built("fixture_note_none")), Verdict::not_plugin, "no Stile plugin");
  expect(inspect(built("fixture_note_twice")), Verdict::bad_note, "more than one");
  expect(inspect(built("fixture_note_cut")), Verdict::bad_note, "identity note is broken");
}

TEST(Inspect, S54_LinkedToTheCore) {
  expect(inspect(built("fixture_links_core")), Verdict::links_core, "libstile.so.1");
}

TEST(Inspect, S58_Programs) {
  expect(inspect(STILE_FIXTURE_PROGRAM), Verdict::program, "a program");
  expect(inspect(STILE_FIXTURE_PROGRAM_FIXED), Verdict::program, "a program");
  expect(inspect("/proc/self/exe"), Verdict::program, "a program");
}

TEST(Inspect, S40d_StaticThreadLocalStorageIsSeen) {
  EXPECT_TRUE(inspect(built("fixture_static_tls")).static_tls);
  EXPECT_FALSE(inspect(built("fixture_plain")).static_tls);
}

TEST(Inspect, S57_AFileCanBeTold) {
  Folder folder;
  std::string path = folder.write("x.so", "abc");
  stile::loader::File file(path);
  EXPECT_EQ(sha256_of(file), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(file.id().size, 3u);
  EXPECT_GT(file.id().changed, 0);
  std::string million = folder.write("m", std::string(1'000'000, 'a'));
  EXPECT_EQ(sha256_of(stile::loader::File(million)),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_EQ(sha256_of(stile::loader::File(folder.write("e", ""))),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

}  // namespace
