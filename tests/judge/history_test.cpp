// Reading a history: what is read, what is a note, what is refused, with its place.
//
// SPDX-License-Identifier: Apache-2.0
#include "judge/history.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "judge/judge.hpp"
#include "script.hpp"
#include "stile/conformance.hpp"

namespace stile::conformance::judge {
namespace {

const std::string asked = R"({"client":"17.1","call":1,"place":0,"invoke":10,"op":"get","key":"k"})"
                          "\n";
const std::string told = R"({"client":"17.1","call":1,"place":0,"return":20,"status":"ok","value":"v","version":"1"})"
                         "\n";

std::string refusal(const std::string& text) {
  try {
    history_from(text, "h.jsonl");
  } catch (const BadHistory& bad) {
    return bad.what();
  }
  return "";
}

TEST(History, JoinsAnswersToQuestions) {
  History history = history_from(asked + told);
  ASSERT_EQ(history.events.size(), 1u);
  const Event& event = history.events[0];
  EXPECT_TRUE(event.ok());
  EXPECT_EQ(event.kind, STILE_OP_GET);
  EXPECT_EQ(event.invoke, 10);
  EXPECT_EQ(event.end, 20);
  EXPECT_EQ(history.names[event.told.value], "v");
  EXPECT_EQ(question_line(history, event), R"({"op":"get","key":"k"})");
  EXPECT_EQ(history.clients.at(event.client), "17.1");
}

TEST(History, WhatWasNotAnsweredIsInDoubtForEver) {
  History history = history_from(asked);
  EXPECT_TRUE(history.events.at(0).in_doubt());
  EXPECT_EQ(history.events.at(0).end, never);
  history =
      history_from(asked + R"({"client":"17.1","call":1,"place":0,"return":20,"status":"unknown","error":"lost"})");
  EXPECT_TRUE(history.events.at(0).in_doubt());
  EXPECT_EQ(history.events.at(0).end, never);
  EXPECT_EQ(history.events.at(0).returned, 20);
}

TEST(History, BytesThatAreNoTextAreReadToo) {
  History history =
      history_from(R"({"client":"1.1","call":1,"place":0,"invoke":1,"op":"put","key":{"b64":"/w=="},"value":""})");
  EXPECT_EQ(history.names[history.events.at(0).asked.key], "\xff");
}

TEST(History, ATornLastLineIsANote) {
  History history = history_from(asked + told.substr(0, 40));
  EXPECT_EQ(history.events.size(), 1u);
  ASSERT_EQ(history.notes.size(), 1u);
  EXPECT_NE(history.notes[0].find("process 17 is cut off"), std::string::npos) << history.notes[0];
}

TEST(History, ATornLineOfAnotherProcessIsANote) {
  std::string torn = R"({"client":"18.1","call":1,"place":0,"inv)";
  History history = history_from(torn + asked + told);
  EXPECT_EQ(history.events.size(), 1u);
  ASSERT_EQ(history.notes.size(), 1u);
  EXPECT_NE(history.notes[0].find("process 18 is cut off"), std::string::npos) << history.notes[0];
  std::string later = R"({"client":"18.2","call":1,"place":0,"invoke":3,"op":"info"})";
  EXPECT_NE(refusal(torn + asked + told + later).find("h.jsonl:1: "), std::string::npos);
}

TEST(History, AWholeLineWithoutItsEndIsRead) {
  std::string whole = R"({"client":"18.1","call":1,"place":0,"invoke":3,"op":"info"})";
  History history = history_from(whole + asked + told);
  EXPECT_EQ(history.events.size(), 2u);
  EXPECT_TRUE(history.notes.empty());
}

TEST(History, ABadByteIsToldWhereItStands) {
  for (std::size_t at = 1; at + 1 < asked.size(); ++at)
    for (char bad : {'\x01', '\xff', '\n'}) {
      std::string spoilt = asked;
      spoilt[at] = bad;
      std::string said = refusal("\n" + spoilt + told);
      EXPECT_EQ(said.substr(0, 11), "h.jsonl:2: ") << "byte " << at << ": " << said;
    }
}

TEST(History, ALineWithoutEndIsNotReadToItsEnd) {
  std::vector<std::string> paths{"/dev/zero"};
  try {
    read_history(paths, 1'000'000);
    ADD_FAILURE() << "it has an end";
  } catch (const BadHistory& bad) {
    EXPECT_STREQ(bad.what(), "/dev/zero:1: is longer than 1000000 bytes, which no line of a history is");
  }
}

TEST(History, WhatIsWrongIsToldWithItsPlace) {
  EXPECT_EQ(refusal(asked + "{]\n" + told).substr(0, 11), "h.jsonl:2: ");
  EXPECT_EQ(refusal(asked + "[]\n"), "h.jsonl:2: is no object");
  EXPECT_EQ(refusal(told), "h.jsonl:1: call 1 place 0 of client 17.1 returns and was not invoked");
  EXPECT_EQ(refusal(asked + asked), "h.jsonl:2: call 1 place 0 of client 17.1 is asked twice");
  EXPECT_EQ(refusal(asked + told + told), "h.jsonl:3: call 1 place 0 of client 17.1 returns twice");
  EXPECT_EQ(refusal(R"({"client":"1.1","call":1,"place":0,"invoke":1,"op":"steal"})"
                    "\n"),
            "h.jsonl:1: op is none of the contract's: \"steal\"");
  EXPECT_EQ(refusal(R"({"client":"1.1","call":1,"place":0,"invoke":1,"op":"get"})"
                    "\n"),
            "h.jsonl:1: key is missing");
  EXPECT_EQ(refusal(asked + R"({"client":"17.1","call":1,"place":0,"return":20,"status":"ok","value":"v"})"
                            "\n"),
            "h.jsonl:2: version is missing");
  EXPECT_EQ(refusal(asked + R"({"client":"17.1","call":1,"place":0,"return":20,"status":"fine"})"
                            "\n"),
            "h.jsonl:2: status is none of the contract's");
  EXPECT_EQ(refusal(asked + R"({"client":"17.1","call":1,"place":0,"return":9,"status":"not_found"})"
                            "\n"),
            "h.jsonl:2: call 1 place 0 of client 17.1 returns before it was invoked");
}

TEST(History, NumbersThatNobodyCanHaveSaidAreToldWithTheirPlace) {
  std::string before = asked;
  EXPECT_EQ(refusal(before.replace(before.find(":10,"), 3, ":-10")), "h.jsonl:1: invoke must not be negative");
  const std::string begin = R"({"client":"1.1","call":1,"place":0,)", fence = R"("fence":"1.s")";
  const std::string record =
      begin + R"("invoke":1,"op":"record","workflow":"w",)" + fence + R"(,"key":"k","value":""})";
  EXPECT_EQ(refusal(record + "\n" + begin +
                    R"("return":2,"status":"ok","value":"","first":true,"position":-1,"written_at":1})"),
            "h.jsonl:2: position must not be negative");
  const std::string renew = begin + R"("invoke":1,"op":"renew","workflow":"w",)" + fence + R"(,"ttl":-1})";
  EXPECT_EQ(refusal(renew + "\n" + begin +
                    R"("return":2,"status":"ok","live_until":1,"budget_until":1,"cancel_requested":false})"),
            "h.jsonl:2: is answered ok, and asked for a negative ttl, which is invalid");
  EXPECT_EQ(refusal(renew + "\n" + begin + R"("return":2,"status":"invalid"})"), "") << "it may be asked for";
  const std::string stats = begin + R"("invoke":1,"op":"stats"})";
  EXPECT_EQ(refusal(stats + "\n" + begin + R"("return":2,"status":"ok","ready":-1})"),
            "h.jsonl:2: ready must not be negative");
}

TEST(History, SeveralFilesAreOneHistory) {
  std::filesystem::path folder = std::filesystem::temp_directory_path() / ("stile-judge-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::vector<std::string> paths{folder / "a.jsonl", folder / "b.jsonl"};
  std::ofstream(paths[0]) << asked << told;
  std::ofstream(paths[1]) << asked << told;  // another process, with the same number in another container
  History history = read_history(paths);
  EXPECT_EQ(history.events.size(), 2u);
  EXPECT_NE(history.events[0].client, history.events[1].client);
  std::filesystem::remove_all(folder);
  EXPECT_THROW(read_history(paths), BadHistory);
}

TEST(Command, TellsByItsStatus) {
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("stile-judge-it-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::string path = folder / "h.jsonl";
  auto judged_as = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "judge");
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    int status = judge_main(static_cast<int>(argv.size()), argv.data());
    testing::internal::GetCapturedStderr();
    return std::to_string(status) + testing::internal::GetCapturedStdout().substr(0, 18);
  };
  std::ofstream(path) << asked
                      << R"({"client":"17.1","call":1,"place":0,"return":20,"status":"not_found","error":"no"})";
  EXPECT_EQ(judged_as({"--json", path}), R"(0{"accepted":true,")");
  std::ofstream(path) << asked << told;
  EXPECT_EQ(judged_as({"--json", path}), R"(1{"accepted":false,)");
  EXPECT_EQ(judged_as({path}).substr(0, 1), "1");
  std::ofstream(path) << told;
  EXPECT_EQ(judged_as({path}), "2");
  EXPECT_EQ(judged_as({}), "2");
  EXPECT_EQ(judged_as({"--loud"}), "2");
  std::filesystem::remove_all(folder);
}

TEST(Clock, IsFoundFromAnswersThatTellIt) {
  History history = history_from(lines_of(R"(A 1000000 1000100 {"op":"info"} -> {"status":"ok","store_time":5000050}
A 2000000 2000020 {"op":"info"} -> {"status":"ok","store_time":6000010})"));
  Calibration clock = calibrate(history);
  ASSERT_TRUE(clock.known());
  EXPECT_EQ(clock.samples, 2u);
  EXPECT_LE(clock.least, 3999990);
  EXPECT_GE(clock.most, 4000010);
  EXPECT_LT(clock.width(), 10000);
}

TEST(Clock, ThatWasSteppedIsNotTrusted) {
  History history = history_from(lines_of(R"(A 1000000 1000100 {"op":"info"} -> {"status":"ok","store_time":5000050}
A 2000000 2000020 {"op":"info"} -> {"status":"ok","store_time":9000010})"));
  Calibration clock = calibrate(history);
  EXPECT_TRUE(clock.contradicts);
  EXPECT_FALSE(clock.known());
  EXPECT_EQ(judge(history).notes.size(), 1u);
}

}  // namespace
}  // namespace stile::conformance::judge
