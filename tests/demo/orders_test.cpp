// The demo's parts: files of orders with all their dirt, the ledger among processes that die, the proof that can fail.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "csv.hpp"
#include "ledger.hpp"
#include "orders_file.hpp"
#include "proof.hpp"
#include "stile/testing.hpp"

namespace {

using namespace orders;

std::vector<std::vector<std::string>> fields(std::string_view text) {
  std::vector<std::vector<std::string>> all;
  for (auto& row : read_csv(text)) {
    EXPECT_EQ(row.wrong, "") << row.line;
    all.push_back(row.fields);
  }
  return all;
}
using Table = std::vector<std::vector<std::string>>;

TEST(Csv, QuotesCommasAndLineEnds) {
  EXPECT_EQ(fields("a,b\n1,2\n"), (Table{{"a", "b"}, {"1", "2"}}));
  EXPECT_EQ(fields("\xEF\xBB\xBF"
                   "a,b\r\n1,2"),
            (Table{{"a", "b"}, {"1", "2"}}));
  EXPECT_EQ(fields("\"a,b\",\"say \"\"hi\"\"\"\r\n"), (Table{{"a,b", "say \"hi\""}}));
  EXPECT_EQ(fields("\"two\r\nlines\",x\n"), (Table{{"two\r\nlines", "x"}}));
  EXPECT_EQ(fields(",,\n"), (Table{{"", "", ""}}));
  EXPECT_EQ(fields("\"\",\n"), (Table{{"", ""}}));
  EXPECT_EQ(fields("a\n\n\r\nb\n"), (Table{{"a"}, {"b"}})) << "blank lines are no rows";
  EXPECT_EQ(fields("a\rb\r"), (Table{{"a"}, {"b"}})) << "line ends of old";
  EXPECT_EQ(fields(""), Table{});
}

TEST(Csv, ABadRowSaysWhereAndWhyAndTheNextOneIsRead) {
  auto rows = read_csv("h\n\"x\"y,1\nok\na\"b\nok\n\"open\nok\n");
  ASSERT_EQ(rows.size(), 7u);
  EXPECT_EQ(rows[1].line, 2u);
  EXPECT_EQ(rows[1].wrong, "text after a closing quote");
  EXPECT_EQ(rows[2].fields, std::vector<std::string>{"ok"});
  EXPECT_EQ(rows[3].wrong, "a quote inside a field that does not begin with one");
  EXPECT_EQ(rows[5].line, 6u);
  EXPECT_EQ(rows[5].wrong, "a quote is opened and never closed");
  EXPECT_EQ(rows[6].fields, std::vector<std::string>{"ok"}) << "one missing quote does not swallow the rest";
  auto lines = read_csv("\"1\n2\n3\"\nx\n");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1].line, 4u);
}

constexpr const char* header = "order_id,customer,item,quantity,unit_price\n";

TEST(OrdersFile, ReadsAmountsAndSkipsWhatItCannotRead) {
  auto file =
      read_orders(std::string(header) +
                  "1,A,tea,2,12.50\n2,B,tea,1,12\n3,C,tea,1,12.5\n4,D,tea,0,1\n5,E,tea,1,1.234\n6,F,tea,1,-1\n"
                  "1,G,tea,1,1\n8,,tea,1,1\n9,H,tea,1\n10,\xff,tea,1,1\n11,I,tea,1x,1\n12,J,,1,1\n,K,tea,1,1\n");
  ASSERT_EQ(file.orders.size(), 3u);
  EXPECT_EQ(file.orders[0].cents(), 2500);
  EXPECT_EQ(file.orders[1].cents(), 1200);
  EXPECT_EQ(file.orders[2].cents(), 1250);
  std::vector<std::string> why;
  for (auto& row : file.skipped) why.push_back(std::to_string(row.line) + ": " + row.why);
  EXPECT_EQ(why, (std::vector<std::string>{
                     "5: quantity \"0\" is no number from 1 to 100000",
                     "6: unit_price \"1.234\" is no amount such as 12.50",
                     "7: unit_price \"-1\" is no amount such as 12.50",
                     "8: order_id \"1\" stands in line 2 already",
                     "9: no customer",
                     "10: 4 fields, and the first row names 5",
                     "11: text that is not UTF-8",
                     "12: quantity \"1x\" is no number from 1 to 100000",
                     "13: no item",
                     "14: no order_id",
                 }));
}

TEST(OrdersFile, AFileThatIsNoneIsRefusedWithTheReason) {
  auto why = [](std::string_view text) {
    try {
      read_orders(text);
      return std::string("accepted");
    } catch (const BadFile& e) {
      return std::string(e.what());
    }
  };
  EXPECT_EQ(why(""), "it is empty");
  EXPECT_EQ(why(std::string_view("a\0b", 3)), "it is binary: byte 2 is zero");
  EXPECT_EQ(why("\n\n"), "it holds no row");
  EXPECT_EQ(why("a,b\n1,2\n"), "its first row names no column \"order_id\": is this a file of orders?");
  EXPECT_EQ(why(header), "it holds no order that can be read");
  EXPECT_EQ(why(std::string(header) + "1,A,tea,x,1\n"),
            "it holds no order that can be read; line 2: quantity \"x\" is no number from 1 to 100000");
}

TEST(OrdersFile, TheOneThatShipsHasAllTheDirtOfARealExport) {
  auto file = read_orders_file(ORDERS_CSV);
  EXPECT_GE(file.orders.size(), 500u);
  EXPECT_GE(file.skipped.size(), 5u);
  std::set<std::string> ends;
  bool lines = false, quotes = false, commas = false, empty = false, beyond_ascii = false;
  for (const auto& order : file.orders) {
    ends.insert(order.needs_approval() && !order.would_be_approved() ? "refused"
                : order.can_be_shipped()                             ? "shipped"
                                                                     : "undeliverable");
    lines = lines || order.note.find('\n') != std::string::npos;
    quotes = quotes || order.item.find('"') != std::string::npos;
    commas = commas || order.customer.find(',') != std::string::npos;
    empty = empty || order.email.empty();
    for (char c : order.customer) beyond_ascii = beyond_ascii || static_cast<unsigned char>(c) >= 0x80;
  }
  EXPECT_TRUE(lines && quotes && commas && empty && beyond_ascii);
  EXPECT_EQ(ends.size(), 3u) << "every way an order can go is shown";
}

/// A folder of its own, gone at the end.
class Folder {
 public:
  Folder() {
    std::string path = (std::filesystem::temp_directory_path() / "stile-ledger.XXXXXX").string();
    if (!mkdtemp(path.data())) throw std::runtime_error("mkdtemp");
    path_ = path;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(Ledger, TheFirstUnderAKeyHappensAndEveryRepeatGetsItsReference) {
  Folder folder;
  Ledger a(folder.path()), b(folder.path());
  auto first = a.act("o-1/charge#1", "charge", 1250);
  EXPECT_EQ(a.act("o-1/charge#1", "charge", 1250), first);
  EXPECT_EQ(b.act("o-1/charge#1", "charge", 1250), first) << "another process with the same files";
  EXPECT_NE(b.act("o-2/charge#1", "charge", 5), first);
  auto acts = Ledger::read(folder.path());
  ASSERT_EQ(acts.size(), 4u);
  EXPECT_EQ(std::count_if(acts.begin(), acts.end(), [](const Act& act) { return act.repeat; }), 2);
}

TEST(Ledger, ALineThatACrashCutShortIsNoActAndSpoilsNoOther) {
  Folder folder;
  {
    Ledger ledger(folder.path());
    ledger.act("k", "charge", 1);
  }
  for (auto& entry : std::filesystem::directory_iterator(folder.path()))
    std::ofstream(entry.path(), std::ios::app) << "did\tcut\tcharge\t77";
  Ledger ledger(folder.path());
  EXPECT_NE(ledger.act("cut", "charge", 77), "");
  EXPECT_NE(ledger.act("k", "charge", 1), "");
  unsigned cut = 0, repeats = 0;
  for (auto& act : Ledger::read(folder.path())) {
    if (act.key == "cut") ++cut;
    if (act.repeat) ++repeats;
  }
  EXPECT_EQ(cut, 1u);
  EXPECT_EQ(repeats, 1u) << "k was done before";
}

TEST(Ledger, ProcessesThatAreKilledWhileTheyWriteLeaveEveryKeyDoneAtMostOnce) {
  Folder folder;
  for (int round = 0; round < 12; ++round) {
    std::vector<pid_t> children;
    for (int i = 0; i < 3; ++i) {
      pid_t child = fork();
      if (child == 0) {
        Ledger ledger(folder.path());
        for (int key = 0;; key = (key + 1) % 50) ledger.act("k" + std::to_string(key), "charge", key);
      }
      children.push_back(child);
    }
    Ledger witness(folder.path());
    std::string own = "witness" + std::to_string(round);
    for (int i = 0; i < 20; ++i) witness.act(own, "charge", 1);  // they are at work while this is
    for (pid_t child : children) kill(child, SIGKILL);
    for (pid_t child : children) waitpid(child, nullptr, 0);
  }
  std::map<std::string, std::set<std::string>> references;
  std::map<std::string, int> done;
  for (auto& act : Ledger::read(folder.path())) {
    references[act.key].insert(act.reference);
    if (!act.repeat) ++done[act.key];
  }
  for (auto& [key, times] : done) EXPECT_EQ(times, 1) << key;
  for (auto& [key, all] : references) EXPECT_EQ(all.size(), 1u) << key;
  EXPECT_GE(done.size(), 12u);
}

/// One order, honestly fulfilled in the store and in the acts; each test then spoils something.
class ProofTest : public ::testing::Test {
 protected:
  ProofTest() {
    stile::Worker worker(store_);
    worker.handle(fulfil, [this](stile::Run& run, Order order) -> stile::Task<Ended> {
      for (const char* what : {"reserve", "charge", "ship", "receipt"})
        co_await run.step(what, [&](stile::Attempt& attempt) {
          std::string reference = std::string(what) + "-1";
          acts_.push_back({false, attempt.idempotency_key(), what, what == std::string("charge") ? order.cents() : 0,
                           reference, 1});
          return reference;
        });
      co_return Ended{"shipped", order.cents(), "ship-1"};
    });
    order_.id = "o-1", order_.item = "tea", order_.quantity = 1, order_.unit_cents = 100;
    stile::start(store_, fulfil, order_.id, order_);
    worker.run_until_idle();
  }
  std::string wrong() {
    auto proof = prove({order_}, acts_, store_);
    return proof.wrong.empty() ? "" : proof.wrong.front();
  }
  stile::Store store_ = stile::testing::store();
  Order order_;
  std::vector<Act> acts_;
};

TEST_F(ProofTest, HoldsForHonestWork) {
  auto proof = prove({order_}, acts_, store_);
  EXPECT_TRUE(proof.holds()) << wrong();
  EXPECT_EQ(proof.expected, 4u);
  EXPECT_EQ(proof.once, 4u);
  EXPECT_EQ(proof.recorded, 4u);
  EXPECT_EQ(proof.charged, 100);
  EXPECT_EQ(proof.shipped, 1u);
}

TEST_F(ProofTest, FindsAnEffectThatHappenedTwice) {
  acts_.push_back(acts_.at(1));
  EXPECT_EQ(wrong(), "o-1/charge#1 is in the ledger 2 times");
}

TEST_F(ProofTest, FindsAnEffectThatIsMissing) {
  acts_.erase(acts_.begin());
  EXPECT_EQ(wrong(), "o-1/reserve#1 is not in the ledger");
}

TEST_F(ProofTest, FindsARecordThatIsNotTheLedgers) {
  acts_.at(2).reference = "ship-2";
  EXPECT_EQ(wrong(), "o-1/ship#1 is recorded as j=\"ship-1\", and the ledger says ship-2");
}

TEST_F(ProofTest, FindsAnEffectThatNoOrderHas) {
  acts_.push_back({false, "o-9/charge#1", "charge", 0, "charge-9", 1});
  EXPECT_EQ(wrong(), "the ledger holds \"o-9/charge#1\", which no order has");
}

TEST_F(ProofTest, FindsAnotherAmountAndAnOrderThatDidNotEnd) {
  acts_.at(1).cents = 99;
  EXPECT_EQ(wrong(), "o-1/charge#1 is in the ledger as another act");
  acts_.at(1).cents = 100;
  Order other = order_;
  other.id = "o-2";
  stile::start(store_, fulfil, other.id, other);
  auto proof = prove({order_, other}, acts_, store_);
  EXPECT_NE(std::find(proof.wrong.begin(), proof.wrong.end(), "o-2 has not ended"), proof.wrong.end());
}

}  // namespace
