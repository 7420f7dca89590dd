// Pages and pictures: whatever a stranger's store said, a page stays a page, and a picture keeps the order of time.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "../judge/script.hpp"
#include "report/html.hpp"
#include "report/lanes.hpp"
#include "report/moments.hpp"
#include "report/pages.hpp"
#include "runner/contract.hpp"
#include "runner/reports.hpp"

namespace stile::conformance::report {
namespace {

// A holder whose lease ended writes after its successor was granted, and is told that it landed; "D" never hears.
constexpr std::string_view planted =
    R"(A 100 110 {"op":"acquire","workflow":"w","ttl":1000,"budget":5000,"op_id":"11111111111111111111111111111111"})"
    R"( -> {"status":"ok","fence":"7.11111111111111111111111111111111","live_until":900001105,)"
    R"("budget_until":900005105,"cancel_requested":false})"
    "\n"
    R"(A 200 230 {"op":"record","workflow":"w","fence":"7.11111111111111111111111111111111","key":"k",)"
    R"("value":"<b>x</b>","op_id":"00000000000000000000000000000001"})"
    R"( -> {"status":"ok","value":"<b>x</b>","first":true,"position":1,"written_at":900000210})"
    "\n"
    R"(B 3000 3010 {"op":"acquire","workflow":"w","ttl":1000,"budget":5000,"op_id":"22222222222222222222222222222222"})"
    R"( -> {"status":"ok","fence":"8.22222222222222222222222222222222","live_until":900004005,)"
    R"("budget_until":900008005,"cancel_requested":false})"
    "\n"
    R"(C 3020 3030 {"op":"load","workflow":"other"})"
    R"( -> {"status":"ok","records":[],"fence_number":0,"cancel_requested":false,"finished":false,"more":false})"
    "\n"
    R"(C 3040 3060 {"op":"load","workflow":"w"})"
    R"( -> {"status":"ok","records":[{"key":"k","value":"<b>x</b>","position":1,"written_at":900000210}],)"
    R"("fence_number":8,"cancel_requested":false,"finished":false,"more":false})"
    "\n"
    R"(D 3070 - {"op":"append","workflow":"w","value":"v","op_id":"00000000000000000000000000000003"})"
    "\n"
    R"(A 4000 4020 {"op":"record","workflow":"w","fence":"7.11111111111111111111111111111111","key":"late",)"
    R"("value":"y","op_id":"00000000000000000000000000000002"})"
    R"( -> {"status":"ok","value":"y","first":true,"position":2,"written_at":900004010})"
    "\n";

json::object verdict_of(std::string_view script) {
  judge::History history = judge::history_from(judge::lines_of(script));
  return judge::verdict_json(judge::judge(history), history);
}

const json::object& finding(const json::object& verdict, std::size_t number = 0) {
  return verdict.at("findings").as_array().at(number).as_object();
}

const Box& box_of(const Lanes& lanes, std::string_view asked) {
  auto found = std::find_if(lanes.boxes.begin(), lanes.boxes.end(), [&](const Box& box) { return box.asked == asked; });
  if (found == lanes.boxes.end()) throw std::runtime_error("no box " + std::string(asked));
  return *found;
}

TEST(Html, EscapesWhatHasAMeaning) {
  EXPECT_EQ(html("<a href=\"x\">'&'</a>"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
  EXPECT_EQ(html("a\\n\tb\nc"), "a\\n\tb\nc");
  EXPECT_EQ(html(std::string_view("\0\x1b\x7f", 3)), "\\x00\\x1b\\x7f");
  EXPECT_EQ(html("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(html("left \u202e right ä"), "left \\u{202e} right ä");
}

TEST(Html, CutsBetweenCharacters) {
  EXPECT_EQ(cut("short", 5), "short");
  EXPECT_EQ(cut("ääää", 3), "ä … (6 bytes more)");
  EXPECT_EQ(cut(std::string(5000, 'x'), 10), "xxxxxxxxxx … (4,990 bytes more)");
}

TEST(Html, SaysLengths) {
  EXPECT_EQ(length(740), "740 us");
  EXPECT_EQ(length(12'345), "12.3 ms");
  EXPECT_EQ(length(4'070'000), "4.07 s");
  EXPECT_EQ(length(200'000'000), "3 min 20 s");
  EXPECT_EQ(length(8'000'000'000), "2 h 13 min");
  EXPECT_EQ(instant(5), "0.005 ms");
  EXPECT_EQ(prose("`a` < `b"), "<code>a</code> &lt; `b");
}

TEST(Lanes, ShowWhatContradictsItself) {
  json::object verdict = verdict_of(planted);
  Lanes lanes = lay_out(finding(verdict), verdict);
  const Box& late = box_of(lanes, "record late");
  EXPECT_GT(late.number, 0);
  EXPECT_EQ(late.tone, Tone::ok);
  EXPECT_EQ(lanes.lanes[late.lane].client, "A");
  EXPECT_EQ(box_of(lanes, "load w").number, 0) << "it only happened beside";
  EXPECT_TRUE(box_of(lanes, "append w").open);
  EXPECT_EQ(box_of(lanes, "append w").tone, Tone::doubt);
  for (const Box& box : lanes.boxes) EXPECT_NE(box.asked, "load other") << "of another workflow";
}

TEST(Lanes, ShowLeasesAsBars) {
  json::object verdict = verdict_of(planted);
  Lanes lanes = lay_out(finding(verdict), verdict);
  ASSERT_EQ(lanes.bars.size(), 2u);
  const Bar &first = lanes.bars[0], &second = lanes.bars[1];
  EXPECT_EQ(first.label, "lease 7");
  EXPECT_EQ(lanes.lanes[first.lane].client, "A");
  EXPECT_LT(first.lapse, first.right) << "its time ended before anybody took it over";
  EXPECT_EQ(first.right, second.left) << "superseded when the next was granted";
  EXPECT_TRUE(second.open);
  EXPECT_NE(first.hue, second.hue);
  EXPECT_EQ(box_of(lanes, "record late").hue, first.hue) << "it showed the old fence";
}

TEST(Lanes, KeepTheOrderOfTime) {
  json::object verdict = verdict_of(planted);
  Lanes lanes = lay_out(finding(verdict), verdict);
  std::size_t left_out = 0;
  auto all = happened(finding(verdict), left_out);
  ASSERT_EQ(all.size(), lanes.boxes.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_LT(lanes.boxes[i].left, lanes.boxes[i].right);
    EXPECT_LE(lanes.boxes[i].right, lanes.width);
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (!all[i].end || *all[i].end >= all[j].begin) continue;
      EXPECT_LE(lanes.boxes[i].right, lanes.boxes[j].left) << lanes.boxes[i].asked << ", " << lanes.boxes[j].asked;
    }
  }
}

/// Every `<tag>` of a page is closed, but those that never are.
void expect_balanced(const std::string& page) {
  std::vector<std::string> open;
  for (std::size_t at = page.find('<'); at != std::string::npos; at = page.find('<', at + 1)) {
    std::size_t end = page.find('>', at);
    ASSERT_NE(end, std::string::npos);
    std::string tag = page.substr(at + 1, page.find_first_of(" >\n", at + 1) - at - 1);
    if (tag.starts_with("!") || tag == "meta" || tag == "br" || page[end - 1] == '/') continue;
    if (tag == "script" || tag == "style") {
      at = page.find("</" + tag, end);
      ASSERT_NE(at, std::string::npos);
      continue;
    }
    if (!tag.starts_with("/")) {
      open.push_back(tag);
      continue;
    }
    ASSERT_FALSE(open.empty()) << tag;
    ASSERT_EQ("/" + open.back(), tag) << page.substr(at < 200 ? 0 : at - 200, 260);
    open.pop_back();
  }
  EXPECT_TRUE(open.empty());
}

/// What a store or a client may be called to break a page.
constexpr std::string_view hostile = "</title></svg><script>alert(1)</script><img src=x onerror='x'>\"&\x1b[31m\u202e";

TEST(Page, OfAHistoryHoldsNoForeignMarkup) {
  json::object verdict = verdict_of(planted);
  json::object& first = verdict.at("findings").as_array()[0].as_object();
  first["workflow"] = hostile;
  for (json::value& event : first.at("events").as_array()) {
    json::object& one = event.as_object();
    one["client"] = hostile;
    one["asked"] = {{"op", hostile}, {"workflow", hostile}, {"key", hostile}, {"fence", hostile}};
    one["answered"] = {{"status", "ok"}, {"value", hostile}, {"fence", hostile}};
  }
  verdict["notes"] = {hostile};
  std::string page = history_page(verdict, {std::string(hostile)});
  expect_balanced(page);
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_EQ(page.find('\x1b'), std::string::npos);
  EXPECT_EQ(page.find("http://"), std::string::npos) << "nothing comes from a network";
  EXPECT_EQ(page.find("https://"), std::string::npos);
  EXPECT_NE(page.find("<svg"), std::string::npos);
}

TEST(Page, OfWhatIsNoVerdictIsAPage) {
  for (const char* text : {R"({})", R"({"findings":7})", R"({"findings":[1,[],{}]})",
                           R"({"findings":[{"events":[1,{},{"invoke":"x"},)"
                           R"({"invoke":9223372036854775807,"return":-1}]}]})",
                           R"({"begin":-9223372036854775808,)"
                           R"("clock":{"offset":[-9223372036854775808,9223372036854775807]},)"
                           R"("findings":[{"events":[)"
                           R"({"invoke":5,"return":2,"client":[],"asked":[],"answered":{"status":1}},)"
                           R"({"invoke":5,"return":9,"asked":{"op":"acquire","workflow":"w"},)"
                           R"("answered":{"status":"ok","fence":"1.x","live_until":9223372036854775807}}]}]})"})
    expect_balanced(history_page(json::parse(text).as_object(), {"x"}));
}

TEST(Page, OfAVeryLongContradictionIsUsable) {
  json::object verdict = verdict_of(planted);
  json::array events;
  for (int i = 0; i < 100'000; ++i)
    events.push_back({{"client", std::to_string(i % 3000)},
                      {"invoke", i * 10},
                      {"return", i * 10 + 5},
                      {"asked", {{"op", "append"}, {"value", std::string(2000, 'x')}}},
                      {"answered", {{"status", "ok"}}}});
  verdict.at("findings").as_array()[0].as_object()["events"] = std::move(events);
  std::string page = history_page(verdict, {"x"});
  EXPECT_LT(page.size(), std::size_t{1} << 20);
  EXPECT_NE(page.find("99,940 operations more are not shown"), std::string::npos);
  expect_balanced(page);
}

class OfARun : public testing::Test {
 protected:
  OfARun() {
    target_.config = "any:" + std::string(hostile);
    target_.facts.config = target_.config;
    target_.facts.plugin.name = hostile;
    target_.facts.info = {{"server", hostile}};
    target_.facts.part = Part::all;
    target_.level = 2;
    run_.command = "stile-conformance";
    run_.target = &target_;
  }

  Result& add(const char* name, int level, std::vector<std::string> ids, Verdict verdict) {
    auto& check = checks_.emplace_back(std::make_unique<Check>());
    check->suite = "made";
    check->name = name;
    check->ids = std::move(ids);
    check->about = hostile;
    check->level = level;
    Result& result = run_.results.emplace_back();
    result.check = check.get();
    result.outcome.verdict = verdict;
    result.took = std::chrono::milliseconds{12};
    return result;
  }

  Target target_;
  std::vector<std::unique_ptr<Check>> checks_;
  conformance::Run run_;
};

TEST_F(OfARun, SaysWhatBroke) {
  add("fine", 1, {"A4", "B1"}, Verdict::passed);
  add("missing", 1, {"E1"}, Verdict::absent).outcome.text = hostile;
  Result& failed = add("crowd", 2, {"A4"}, Verdict::failed);
  failed.outcome.text = "> record w" + std::string(hostile);
  failed.outcome.judged = verdict_of(planted);
  failed.outcome.faults = {{"expired leases", 17}};
  std::string page = run_page(run_);
  expect_balanced(page);
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_NE(page.find("Not conformant: A4"), std::string::npos);
  EXPECT_NE(page.find("<svg"), std::string::npos);
  EXPECT_NE(page.find("--only made.crowd --seed 1"), std::string::npos);
  EXPECT_NE(page.find("expired leases <b>17</b>"), std::string::npos);
  EXPECT_NE(page.find(html(promise("A4")->text)), std::string::npos);
  // A4 passed with one caller and failed with many.
  std::size_t row = page.find(">A4</a></th>");
  ASSERT_NE(row, std::string::npos);
  std::string cells = page.substr(row, page.find("</tr>", row) - row);
  EXPECT_LT(cells.find("1 passed"), cells.find("1 failed"));
}

TEST_F(OfARun, OfTooLittleWorkIsNoJudgement) {
  run_.time = std::chrono::milliseconds{1};
  add("fine", 1, {"A4", "B7"}, Verdict::passed);
  Result& hasty = add("hasty", 2, {"A4"}, Verdict::passed);
  const char* judgement = "Conformant at level";
  EXPECT_NE(run_page(run_).find(judgement), std::string::npos);
  EXPECT_NE(table(run_, false).find(judgement), std::string::npos);
  EXPECT_TRUE(certificate(run_).at("conformant").as_bool());
  hasty.outcome.cut = true;
  const char* said = "In --time 1ms 1 random check did less than it does by itself: this is no judgement on the store.";
  for (const std::string& text : {run_page(run_), table(run_, false)}) {
    EXPECT_NE(text.find(said), std::string::npos) << text;
    EXPECT_EQ(text.find(judgement), std::string::npos);
  }
  EXPECT_FALSE(certificate(run_).at("conformant").as_bool());
  EXPECT_FALSE(certificate(run_).at("complete").as_bool());
  EXPECT_EQ(certificate(run_).at("cut"), 1);
  EXPECT_TRUE(outcome_from_text(to_text(hasty.outcome)).value().cut);
  add("wrong", 2, {"A4"}, Verdict::failed).outcome.cut = true;
  EXPECT_NE(run_page(run_).find("Not conformant: A4"), std::string::npos) << "what failed, failed";
}

TEST(Html, ShowsTheWordsOfTheContract) {
  EXPECT_EQ(prose("a *live* `x*y*` 2 * 3 <b>"), "a <em>live</em> <code>x*y*</code> 2 * 3 &lt;b&gt;");
}

TEST_F(OfARun, KeepsAnOutcomeThatFitsThroughThePipe) {
  Outcome outcome;
  outcome.verdict = Verdict::failed;
  outcome.text = std::string(30'000'000, 'x');
  outcome.judged = verdict_of(planted);
  json::object& event = outcome.judged.at("findings").as_array()[0].as_object().at("events").as_array()[0].as_object();
  event["answered"].as_object()["value"] = std::string(30'000'000, 'y');
  std::string text = to_text(outcome);
  EXPECT_LT(text.size(), 3'000'000u);
  auto back = outcome_from_text(text);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->judged.at("findings").as_array().size(), outcome.judged.at("findings").as_array().size());
}

}  // namespace
}  // namespace stile::conformance::report
