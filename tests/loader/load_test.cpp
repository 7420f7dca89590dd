// Loading, negotiation and the checks of a plugin's table. Tests are named after the rows of the loader's list of
// scenarios.
//
// SPDX-License-Identifier: Apache-2.0
#include "loader/library.hpp"

#include <dlfcn.h>
#include <sys/resource.h>

#include <fstream>
#include <vector>

#include "loader/table.hpp"
#include "stile/log.hpp"
#include "support.hpp"

// The host's own copy of a name that a plugin has too (S40).
extern "C" int stile_fixture_value(void);
extern "C" int stile_fixture_value(void) { return -1; }
// The host's copy of what a library of a plugin exports (S39).
extern "C" int stile_fixture_library(void);
extern "C" int stile_fixture_library(void) { return 39; }

namespace {

using namespace fixtures;
using stile::loader::plugin_in;

std::string load_refusal(const std::string& fixture) {
  return refusal([&] { plugin_in(built(fixture)); });
}

TEST(Load, GoodPlugin) {
  const auto& plugin = plugin_in(built("fixture_plain"));
  EXPECT_EQ(plugin.name(), "plain");
  EXPECT_EQ(plugin.table->n_schemes, 1u);
  EXPECT_TRUE(says(plugin.who(), "fixture_plain.so"));
}

TEST(Load, S1_UndefinedSymbolIsNamedAtLoad) {
  std::string said = load_refusal("fixture_undefined_symbol");
  EXPECT_TRUE(says(said, "uses the undefined symbol stile_fixture_nobody_defines_this"));
  EXPECT_TRUE(says(said, built("fixture_undefined_symbol")));
}

TEST(Load, S4_LongTextSaysItsLength) {
  std::string said = load_refusal("fixture_entry_long_text");
  EXPECT_TRUE(says(said, "\u00fc\u00fc\u00fc"));
  EXPECT_TRUE(says(said, "(4096 of 10000 bytes)"));
}

TEST(Load, S6_TheLinkersReasonArrives) {
  // Boost says "Bad file descriptor" for every cause; none of these may.
  for (const char* fixture : {"fixture_undefined_symbol", "fixture_needs_gone", "fixture_static_tls"}) {
    EXPECT_EQ(load_refusal(fixture).find("Bad file descriptor"), std::string::npos) << fixture;
  }
}

TEST(Load, S7_MissingDependencyIsNotTheFileItself) {
  std::string said = load_refusal("fixture_needs_gone");
  EXPECT_TRUE(says(said, "it needs the library libstile_fixture_gone.so, which is missing: install it"));
  EXPECT_TRUE(says(said, built("fixture_needs_gone")));
  said = load_refusal("fixture_needs_middle");
  EXPECT_TRUE(says(said, "libstile_fixture_gone.so, which is missing (one of its own libraries asks for it)"));
  EXPECT_TRUE(says(load_refusal("no_such_file"), "No such file"));
}

TEST(Load, S13_VersionTextsAreNeverCompared) {
  // The note says 1.0, the table something else, the file is called by a third name.
  const auto& plugin = plugin_in(built("fixture_plain"));
  EXPECT_NE(std::string(plugin.table->version.ptr, plugin.table->version.len), plugin.file.note->version);
}

TEST(Load, S15_RefusalOfAPluginIsTold) {
  EXPECT_TRUE(says(load_refusal("fixture_entry_refuses"), "refuses this core: the fixture refuses"));
  EXPECT_TRUE(says(load_refusal("fixture_entry_silent"), "does not say why"));
}

TEST(Load, S17_ARefusedLibraryIsNeverCalledAgain) {
  EXPECT_TRUE(says(load_refusal("fixture_entry_refuses"), "time 1"));
  EXPECT_TRUE(says(load_refusal("fixture_entry_refuses"), "time 1"));
}

TEST(Load, S18_EverySlotIsRequired) {
  EXPECT_TRUE(says(load_refusal("fixture_table_slot"), "the slot execute of its table is empty"));
  EXPECT_TRUE(says(load_refusal("fixture_table_short"), "its table has "));
}

TEST(Load, S19_LargerTablesAreTaken) {
  const auto& plugin = plugin_in(built("fixture_table_long"));
  EXPECT_GT(plugin.table->struct_size, sizeof(stile_plugin));
}

TEST(Load, TableAndNoteMustAgree) {
  EXPECT_TRUE(says(load_refusal("fixture_table_abi"), "answers with a table of 2.0"));
  EXPECT_TRUE(says(load_refusal("fixture_table_name"), "its note says that it is plain, its table that it is other"));
  EXPECT_TRUE(says(load_refusal("fixture_table_scheme"), "disagree about its schemes"));
  EXPECT_TRUE(says(load_refusal("fixture_table_text"), "a length but no place"));
}

TEST(Load, OptionsOfTheTableAreChecked) {
  EXPECT_TRUE(says(load_refusal("fixture_option_type"), "(odd) of its table has the type 99"));
  EXPECT_TRUE(says(load_refusal("fixture_option_default"), "(odd) of its table has a default that it does not allow"));
  EXPECT_TRUE(says(load_refusal("fixture_option_name"), "(Odd Name) of its table is not named"));
  EXPECT_TRUE(says(load_refusal("fixture_option_reserved"), "(namespace) of its table is the core's own"));
  EXPECT_TRUE(says(load_refusal("fixture_option_twice"), "(verbose) of its table is described twice"));
}

TEST(Load, MissingEntry) {
  EXPECT_TRUE(says(load_refusal("fixture_entry_none"), "does not export stile_plugin_entry_v1"));
}

TEST(Load, S30_ExceptionsOutOfTheEntryStop) {
  EXPECT_TRUE(
      says(load_refusal("throws_entry"), "threw an exception out of its entry, a bug of the plugin: out of the entry"));
  EXPECT_TRUE(says(load_refusal("throws_int"), "threw something out of its entry"));
}

TEST(Load, S40_ThePluginKeepsItsOwnSymbols) {
  EXPECT_EQ(counts_of(plugin_in(built("fixture_plain"))).value, 42);
  EXPECT_EQ(stile_fixture_value(), -1);
}

TEST(Load, S39_NotLoadedWithDeepBinding) {
  // With it, a plugin would get a second allocator, stream state, ... beside the host's.
  EXPECT_EQ(counts_of(plugin_in(built("fixture_with_library"))).library, 39);
}

TEST(Load, S40b_NothingButTheEntryIsExported) {
  const auto& plugin = plugin_in(built("fixture_plain"));
  void* again = dlopen(plugin.path.c_str(), RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(again, nullptr) << "the plugin stays loaded";
  EXPECT_NE(dlsym(again, STILE_ENTRY_NAME), nullptr);
  void* other = dlsym(again, "stile_fixture_value");
  EXPECT_TRUE(other == nullptr || other == reinterpret_cast<void*>(&stile_fixture_value));
  dlclose(again);
}

TEST(Load, S40d_NoRoomForStaticThreadLocalStorage) {
  EXPECT_TRUE(says(load_refusal("fixture_static_tls"), "no room for its static thread-local storage"));
}

TEST(Load, S46_S47_S52_OneFileIsOnePluginByAnyPath) {
  Folder folder;
  std::string path = folder.copy("fixture_plain", "a.so");
  fs::create_hard_link(path, folder.path() / "b.so");
  fs::create_symlink(path, folder.path() / "c.so");
  const auto& first = plugin_in(path);
  EXPECT_EQ(&first, &plugin_in(path));
  EXPECT_EQ(&first, &plugin_in(folder.text() + "/b.so"));
  EXPECT_EQ(&first, &plugin_in(folder.text() + "/c.so"));
  EXPECT_EQ(counts_of(first).entry, 1);
}

TEST(Load, S35_AReplacedFileIsWarnedAbout) {
  Folder folder;
  std::string path = folder.copy("fixture_plain", "a.so");
  const auto& first = plugin_in(path);
  folder.copy("fixture_rival", "new.so");
  fs::rename(folder.path() / "new.so", path);
  std::vector<std::string> logged;
  stile::on_log([&](auto, std::string_view message, auto) { logged.emplace_back(message); });
  EXPECT_EQ(&first, &plugin_in(path));
  stile::on_log({});
  ASSERT_EQ(logged.size(), 1u);
  EXPECT_TRUE(says(logged[0], "was replaced"));
}

TEST(Load, S34_ThePluginIsResident) {
  Folder folder;
  const auto& plugin = plugin_in(folder.copy("fixture_plain", "a.so"));
  void* handle = dlopen(plugin.path.c_str(), RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(handle, nullptr);
  for (int i = 0; i < 10; ++i) dlclose(handle);  // even the references that were not ours
  EXPECT_EQ(counts_of(plugin).entry, 1) << "its code is still there";
}

TEST(Load, S61_ARelativePathIsResolvedOnce) {
  Folder folder, elsewhere;
  folder.copy("fixture_plain", "a.so");
  fs::path before = fs::current_path();
  fs::current_path(folder.path());
  const auto& plugin = plugin_in("a.so");
  fs::current_path(elsewhere.path());
  EXPECT_EQ(plugin.path, folder.text() + "/a.so");
  EXPECT_TRUE(says(refusal([] { plugin_in("a.so"); }), "No such file"));
  fs::current_path(before);
}

TEST(Load, S62_AFileChangedAfterTheLookIsRefused) {
  Folder folder;
  std::string path = folder.copy("fixture_plain", "a.so");
  stile::loader::Inspected seen = stile::loader::inspect(path);
  folder.copy("fixture_rival", "b.so");
  fs::rename(folder.path() / "b.so", path);
  EXPECT_TRUE(says(refusal([&] { stile::loader::load_library(path, seen); }), "was replaced while it was loaded"));
}

TEST(Load, S11_AnyBytesInThePath) {
  Folder folder;
  for (const std::string& name :
       {std::string("with space.so"), std::string("\u00fcml\u00e4ut.so"), std::string("\u65e5\u672c.so"),
        std::string("new\nline.so"), std::string("\xff\xfe.so")}) {
    EXPECT_EQ(plugin_in(folder.copy("fixture_plain", name)).path, folder.text() + "/" + name);
  }
  std::string said = refusal([&] { plugin_in(folder.write("bad\nna\u200bme.so", "text")); });
  EXPECT_TRUE(says(said, "bad\\nna\\u{200b}me.so"));
}

TEST(Explain, PutsTheLinkersWordsInOrder) {
  using stile::loader::explain_load_error;
  const std::vector<std::string> needed{"libssl.so.10"};
  EXPECT_TRUE(says(
      explain_load_error("libssl.so.10: cannot open shared object file: No such file or directory", "/p/a.so", needed),
      "needs the library libssl.so.10, which is missing: install"));
  EXPECT_TRUE(says(explain_load_error("/p/a.so: cannot open shared object file: Permission denied", "/p/a.so", needed),
                   "Permission denied"));
  EXPECT_TRUE(says(explain_load_error("/lib/libx.so: undefined symbol: f, version V", "/p/a.so", needed),
                   "its library /lib/libx.so uses the undefined symbol f:"));
  EXPECT_TRUE(says(
      explain_load_error("/lib/libc.so.6: version `GLIBC_2.99' not found (required by /p/a.so)", "/p/a.so", needed),
      "built for a newer C or C++ library"));
  EXPECT_TRUE(says(
      explain_load_error("/p/a.so: cannot enable executable stack as shared object requires: x", "/p/a.so", needed),
      "-z noexecstack"));
  EXPECT_EQ(explain_load_error("some\nthing new", "/p/a.so", needed), "some\\nthing new");
}

}  // namespace
