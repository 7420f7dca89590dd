// Where plugins are looked for and which one is meant. Tests are named after the rows of the loader's list of
// scenarios.
//
// SPDX-License-Identifier: Apache-2.0
#include "loader/search.hpp"

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "support.hpp"

namespace {

using namespace fixtures;
using stile::loader::Candidate;
using stile::loader::discover;
using stile::loader::Discovery;
using stile::loader::distrust;
using stile::loader::name_of;
using stile::loader::SearchPlan;
using stile::loader::select;
using stile::loader::Source;
using stile::loader::Trust;
using stile::loader::Verdict;

std::vector<std::string> names(const Discovery& found) {
  std::vector<std::string> out;
  for (const Candidate& candidate : found.candidates) {
    out.push_back(fs::path(candidate.path).filename().native() + ": " +
                  std::string(name_of(candidate.inspected.verdict)));
  }
  return out;
}

std::string select_refusal(const Discovery& found, const std::string& scheme, const std::string& plugin = "") {
  return refusal([&] { select(found, scheme, plugin); });
}

// A fixture for another machine.
std::string foreign() {
  std::string bytes = bytes_of(built("fixture_plain"));
  Elf64_Half machine = EM_RISCV;
  std::memcpy(bytes.data() + offsetof(Elf64_Ehdr, e_machine), &machine, sizeof machine);
  return bytes;
}

TEST(Search, FindsByScheme) {
  Folder folder;
  folder.copy("fixture_plain", "p.so");
  folder.copy("fixture_server", "s.so");
  folder.write("notes.txt", "not looked at");
  folder.write(".hidden.so", "not looked at");
  Discovery found = discover(only(folder.text()));
  EXPECT_EQ(names(found), (std::vector<std::string>{"p.so: good", "s.so: good"}));
  EXPECT_EQ(select(found, "server", "").path, folder.text() + "/s.so");
  EXPECT_EQ(found.schemes(), (std::vector<std::string>{"plain", "server"}));
}

TEST(Search, S2_ABrokenFileThatWasFoundIsTheAnswer) {
  Folder first, second;
  first.write("plain.so", bytes_of(built("fixture_plain")).substr(0, 5000));
  second.copy("fixture_plain", "plain.so");
  std::string said = select_refusal(discover(only(first.text() + ":" + second.text())), "plain");
  EXPECT_TRUE(says(said, first.text() + "/plain.so: the file is truncated"));
  // The other way round the good one comes first, and is taken.
  EXPECT_EQ(select(discover(only(second.text() + ":" + first.text())), "plain", "").path, second.text() + "/plain.so");
  // A file that says by its note that it is meant counts as found, whatever its name.
  Folder third;
  third.copy("fixture_execstack", "whatever.so");
  said = select_refusal(discover(only(third.text() + ":" + second.text())), "plain");
  EXPECT_TRUE(says(said, "whatever.so: it asks for an executable stack"));
}

TEST(Search, S3_EveryPlaceIsNamedWithWhatCameOfIt) {
  Folder good, bad, writable;
  good.copy("fixture_plain", "p.so");
  bad.write("other.so", "a text");
  ASSERT_EQ(chmod(writable.text().c_str(), 0777), 0);
  SearchPlan plan = only(good.text() + ":" + bad.text());
  plan.api = {writable.text()};
  plan.user = bad.text() + "/none";
  plan.built_in = {good.text(), good.text() + "/p.so"};
  std::string said = select_refusal(discover(plan), "plian");
  EXPECT_TRUE(says(said, "no plugin has the scheme \"plian\": did you mean \"plain\"? (known schemes: plain)"));
  EXPECT_TRUE(says(said, "Looked in:"));
  EXPECT_TRUE(says(said, writable.text() + " (given by the program): refused: everybody may write to it"));
  EXPECT_TRUE(says(said, good.text() + " (STILE_PLUGIN_PATH): 1 plugin"));
  EXPECT_TRUE(says(said, bad.text() + " (STILE_PLUGIN_PATH): 0 plugins, 1 set aside"));
  EXPECT_TRUE(says(said, "other.so: it is no library: it begins with \"a text\""));
  EXPECT_TRUE(says(said, "/none (the user's directory): absent"));
  EXPECT_TRUE(says(said, good.text() + " (built in): looked into already"));
  EXPECT_TRUE(says(said, "p.so (built in): refused: it is no directory"));
  EXPECT_TRUE(says(said, "STILE_PLUGIN_PATH; `stile plugins` shows"));
}

TEST(Search, S9_OtherArchitecturesAreQuietUntilAskedFor) {
  Folder folder;
  folder.write("foreign.so", foreign());
  folder.copy("fixture_server", "s.so");
  Discovery found = discover(only(folder.text()));
  EXPECT_TRUE(found.warnings.empty());
  EXPECT_EQ(select(found, "server", "").path, folder.text() + "/s.so");
  EXPECT_TRUE(says(select_refusal(found, "plain"), "it is for RISC-V, this program is "));
}

TEST(Search, S11_AnyBytesInAPath) {
  Folder folder;
  fs::path odd = folder.path() / "sp ace \u00fc \u65e5\n\xff";
  fs::create_directory(odd);
  fs::copy_file(built("fixture_plain"), odd / "p.so");
  Discovery found = discover(only(odd.native()));
  ASSERT_EQ(found.candidates.size(), 1u);
  EXPECT_EQ(select(found, "plain", "").path, odd.native() + "/p.so");
  EXPECT_TRUE(says(select_refusal(found, "x"), "sp ace \u00fc \u65e5\\n\\xff"));
}

TEST(Search, S44_FirstWinsAndTheOtherIsNamed) {
  Folder first, second;
  first.copy("fixture_plain", "p.so");
  second.copy("fixture_twin", "p.so");
  Discovery found = discover(only(first.text() + ":" + second.text()));
  EXPECT_EQ(select(found, "plain", "").path, first.text() + "/p.so");
  ASSERT_EQ(found.warnings.size(), 1u);
  EXPECT_TRUE(says(found.warnings[0], second.text() + "/p.so is not used: " + first.text() + "/p.so comes first"));
}

TEST(Search, S45_BytewiseOrderInsideADirectory) {
  Folder folder;
  for (const char* name : {"b.so", "B.so", "a.so", "\u00fc.so", "10.so", "9.so"}) folder.copy("fixture_plain", name);
  std::vector<std::string> found;
  for (const Candidate& candidate : discover(only(folder.text())).candidates) {
    found.push_back(fs::path(candidate.path).filename().native());
  }
  EXPECT_EQ(found, (std::vector<std::string>{"10.so", "9.so", "B.so", "a.so", "b.so", "\u00fc.so"}));
}

TEST(Search, S46_OneFileBehindTwoPathsIsOnePlugin) {
  Folder folder;
  fs::create_directory(folder.path() / "lib");
  fs::create_directory_symlink("lib", folder.path() / "lib64");
  fs::create_directory(folder.path() / "hard");
  fs::copy_file(built("fixture_plain"), folder.path() / "lib/p.so");
  fs::create_hard_link(folder.path() / "lib/p.so", folder.path() / "hard/q.so");
  Discovery found = discover(only(folder.text() + "/lib:" + folder.text() + "/lib64:" + folder.text() + "/hard"));
  EXPECT_EQ(names(found), (std::vector<std::string>{"p.so: good", "q.so: same file"}));
  EXPECT_EQ(found.places[1].outcome, "looked into already");
  EXPECT_TRUE(found.warnings.empty());
}

TEST(Search, S48_TwoNamesForOneSchemeMustBeToldApart) {
  Folder first, second;
  first.copy("fixture_plain", "p.so");
  second.copy("fixture_rival", "r.so");
  Discovery found = discover(only(first.text() + ":" + second.text()));
  std::string said = select_refusal(found, "plain");
  EXPECT_TRUE(says(said, "plain (" + first.text() + "/p.so) and rival (" + second.text() + "/r.so)"));
  EXPECT_TRUE(says(said, "plugin=plain or plugin=rival"));
  EXPECT_EQ(select(found, "plain", "rival").path, second.text() + "/r.so");
  EXPECT_EQ(select(found, "other", "").path, second.text() + "/r.so");
  EXPECT_TRUE(says(select_refusal(found, "other", "plain"), "does not have the scheme \"other\": it has plain"));
  EXPECT_TRUE(says(select_refusal(found, "plain", "rivale"), "no plugin \"rivale\": did you mean \"rival\"?"));
}

TEST(Search, S49_S50_NamesNeverLeaveTheDirectory) {
  Folder folder, elsewhere;
  elsewhere.copy("fixture_plain", "plain.so");
  fs::create_symlink(elsewhere.path() / "plain.so", folder.path() / "plain.so");
  Discovery found = discover(only(folder.text()));
  EXPECT_EQ(names(found), std::vector<std::string>{"plain.so: leads outside"});
  EXPECT_TRUE(says(select_refusal(found, "plain"), "it is a link to " + elsewhere.text() + "/plain.so"));
  for (const char* name : {"../plain", "/plain", "plain/../plain"}) {
    EXPECT_TRUE(says(select_refusal(found, name), "no plugin has the scheme"));
  }
  // A link inside its own directory, as packages make them, is fine.
  Folder linked;
  linked.copy("fixture_plain", "plain-1.0.so");
  fs::create_symlink("plain-1.0.so", linked.path() / "plain.so");
  EXPECT_EQ(names(discover(only(linked.text()))),
            (std::vector<std::string>{"plain-1.0.so: good", "plain.so: same file"}));
}

TEST(Search, S56_WhatIsIgnoredIsSaid) {
  SearchPlan plan;
  plan.raised = true;
  Discovery found = discover(plan);
  ASSERT_EQ(found.warnings.size(), 1u);
  EXPECT_TRUE(says(found.warnings[0], "STILE_PLUGIN_PATH and the user's directory are ignored"));
}

TEST(Search, S60_AnEmptyElementIsRefused) {
  Folder folder;
  for (const std::string& path : {folder.text() + ":", ":" + folder.text(), folder.text() + "::/x", std::string(":")}) {
    EXPECT_TRUE(says(refusal([&] { discover(only(path)); }), "of STILE_PLUGIN_PATH is empty")) << path;
  }
  EXPECT_TRUE(says(refusal([&] { discover(only(folder.text() + ":")); }), "element 2 "));
  EXPECT_TRUE(discover(only("")).places.empty()) << "set but empty is as if it were not set";
}

TEST(Search, S61_NothingComesFromTheWorkingDirectory) {
  EXPECT_TRUE(
      says(refusal([] { discover(only("/a:plugins")); }), "element 2 of STILE_PLUGIN_PATH, plugins, is not absolute"));
  EXPECT_TRUE(says(refusal([] { stile::loader::add_directory("plugins"); }), "must be absolute"));
}

TEST(Search, S63_OwnersAndModes) {
  const Trust trust{{0, 1000}, {50}};
  auto judged = [&](uid_t owner, gid_t group, mode_t mode) { return distrust({owner, group, mode}, trust); };
  EXPECT_EQ(judged(0, 0, S_IFDIR | 0755), "");
  EXPECT_EQ(judged(1000, 7, S_IFDIR | 0700), "");
  EXPECT_EQ(judged(1000, 50, S_IFDIR | 0775), "") << "that group can replace the program anyway";
  EXPECT_EQ(judged(0, 0, S_IFDIR | S_ISVTX | 0777), "") << "/tmp, as a place above";
  EXPECT_TRUE(says(judged(1000, 7, S_IFDIR | S_ISVTX | 0777), "everybody may write"));
  EXPECT_TRUE(says(judged(0, 0, S_IFDIR | 0757), "everybody may write"));
  EXPECT_TRUE(says(judged(0, 7, S_IFDIR | 0775), "group 7 may write"));
  EXPECT_TRUE(says(judged(1001, 7, S_IFDIR | 0755), "belongs to user 1001"));
  EXPECT_TRUE(says(judged(0, 0, S_IFREG | S_ISVTX | 0666), "everybody may write")) << "sticky means nothing on a file";
}

TEST(Search, S63_WritableDirectoriesAreRefused) {
  Folder folder;
  folder.copy("fixture_plain", "p.so");
  ASSERT_EQ(chmod(folder.text().c_str(), 0777), 0);
  Discovery found = discover(only(folder.text()));
  EXPECT_TRUE(found.candidates.empty());
  EXPECT_TRUE(says(select_refusal(found, "plain"), "refused: everybody may write to it (chmod o-w)"));
  // The same test on every directory above.
  ASSERT_EQ(mkdir((folder.text() + "/below").c_str(), 0700), 0);
  found = discover(only(folder.text() + "/below"));
  EXPECT_TRUE(says(found.places[0].outcome, "refused: in " + folder.text() + " above it: everybody may write"));
}

TEST(Search, S63_WritableFilesAreRefused) {
  Folder folder;
  std::string path = folder.copy("fixture_plain", "p.so");
  ASSERT_EQ(chmod(path.c_str(), 0666), 0);
  EXPECT_TRUE(says(select_refusal(discover(only(folder.text())), "plain"), "refused: everybody may write to it"));
}

TEST(Search, S64_ALinkedDirectoryIsResolvedThenJudged) {
  Folder folder, target;
  target.copy("fixture_plain", "p.so");
  fs::path link = folder.path() / "link";
  fs::create_directory_symlink(target.path(), link);
  Discovery found = discover(only(link.native()));
  EXPECT_EQ(select(found, "plain", "").path, target.text() + "/p.so");
  EXPECT_TRUE(says(found.places_text(), link.native() + " (STILE_PLUGIN_PATH, a link to " + target.text() + ")"));
  ASSERT_EQ(chmod(target.text().c_str(), 0777), 0);
  EXPECT_TRUE(says(discover(only(link.native())).places_text(), "refused: everybody"));
}

TEST(Search, TheUsersDirectoryNeverReplacesWhatWasShipped) {
  Folder user, shipped, named;
  user.copy("fixture_twin", "plain.so");
  shipped.copy("fixture_plain", "plain.so");
  SearchPlan plan;
  plan.trust = Trust::of_process();
  plan.user = user.text();
  plan.built_in = {shipped.text()};
  EXPECT_EQ(select(discover(plan), "plain", "").path, shipped.text() + "/plain.so");
  EXPECT_EQ(discover(plan).warnings.size(), 1u);
  // Nor does a broken file in it stand in the way.
  user.write("plain.so", "broken");
  EXPECT_EQ(select(discover(plan), "plain", "").path, shipped.text() + "/plain.so");
  // What the program or STILE_PLUGIN_PATH says does replace it.
  named.copy("fixture_plain", "plain.so");
  plan.plugin_path = named.text();
  EXPECT_EQ(select(discover(plan), "plain", "").path, named.text() + "/plain.so");
  plan.plugin_path.reset();
  plan.api = {named.text()};
  EXPECT_EQ(select(discover(plan), "plain", "").path, named.text() + "/plain.so");
  // A plugin that was not shipped is taken from the user's directory.
  user.copy("fixture_server", "server.so");
  EXPECT_EQ(select(discover(plan), "server", "").path, user.text() + "/server.so");
}

TEST(Search, OrderOfThePlaces) {
  Folder api, environment, user, built_in;
  SearchPlan plan = only(environment.text());
  plan.api = {api.text()};
  plan.user = user.text();
  plan.built_in = {built_in.text()};
  std::vector<std::string> order;
  for (const auto& place : discover(plan).places) order.push_back(place.directory);
  EXPECT_EQ(order, (std::vector<std::string>{api.text(), environment.text(), user.text(), built_in.text()}));
}

TEST(Search, ThisProcess) {
  SearchPlan plan = SearchPlan::of_process();
  EXPECT_FALSE(plan.raised);
  EXPECT_TRUE(plan.trust.owners.contains(geteuid()));
  ASSERT_FALSE(plan.built_in.empty());
  for (const std::string& directory : plan.built_in) EXPECT_EQ(directory[0], '/') << directory;
  // The plugins of the build are found from a program of the build.
  bool found = std::any_of(plan.built_in.begin(), plan.built_in.end(),
                           [](const std::string& directory) { return directory == STILE_BUILT_PLUGINS; });
  EXPECT_TRUE(found);
}

}  // namespace
