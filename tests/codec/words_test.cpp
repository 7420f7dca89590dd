// The one-line form of an operation.
//
// SPDX-License-Identifier: Apache-2.0
#include "codec/words.hpp"

#include <gtest/gtest.h>

namespace {

using namespace stile::codec;

std::string object(std::string_view op, std::vector<std::string> words) {
  return json::serialize(object_from_words(op, words));
}

TEST(Words, ReadEachMemberAsItsFormAsks) {
  EXPECT_EQ(object("record", {"workflow=7", "fence=null", "key=true", "value=a=b"}),
            R"({"op":"record","workflow":"7","fence":null,"key":"true","value":"a=b"})");
  EXPECT_EQ(
      object("receive", {"lease=10s", "max=3", "acquire.ttl=1000", "acquire.budget=1h", "again=true", "load.limit=5"}),
      R"({"op":"receive","lease":"10s","max":3,"acquire":{"ttl":1000,"budget":"1h"},"again":true,"load":{"limit":5}})");
  EXPECT_EQ(object("ack", {"receipt=null", "finished=true", "release=false", "fence=1.x"}),
            R"({"op":"ack","receipt":"null","finished":true,"release":false,"fence":"1.x"})");
  EXPECT_EQ(object("put", {"key=k", "value=", "if=absent", "ttl=keep"}),
            R"({"op":"put","key":"k","value":"","if":"absent","ttl":"keep"})");
  EXPECT_EQ(object("enqueue", {"workflow=w", "at=12", "after_ok=true"}),
            R"({"op":"enqueue","workflow":"w","at":12,"after_ok":true})");
  EXPECT_EQ(object("supply", {"workflow=w", "enqueue=true"}), R"({"op":"supply","workflow":"w","enqueue":true})");
  EXPECT_EQ(object("supply", {"enqueue.delay=5", "enqueue.queue=5"}),
            R"({"op":"supply","enqueue":{"delay":5,"queue":"5"}})");
  EXPECT_EQ(object("render", {"say.delay=5", "say.op=enqueue", "say.workflow=5"}),
            R"({"op":"render","say":{"delay":5,"op":"enqueue","workflow":"5"}})");
}

TEST(Words, ReadJsonWhereItBegins) {
  EXPECT_EQ(object("receive", {"queues=[\"a\",\"\"]"}), R"({"op":"receive","queues":["a",""]})");
  EXPECT_EQ(object("put", {R"(value={"b64":"AA=="})"}), R"({"op":"put","value":{"b64":"AA=="}})");
  EXPECT_THROW(object("put", {"value={x"}), BadRequest);
}

TEST(Words, LeaveTheRestToTheDecoder) {
  EXPECT_EQ(object("get", {"nope=1", "key=k"}), R"({"op":"get","nope":"1","key":"k"})");
  EXPECT_EQ(object("nope", {"a.b=1"}), R"({"op":"nope","a":{"b":"1"}})");
  EXPECT_EQ(object("load", {"limit=many", "max_bytes=18446744073709551615"}),
            R"({"op":"load","limit":"many","max_bytes":18446744073709551615})");
}

TEST(Words, RefuseWhatIsNoMember) {
  EXPECT_THROW(object("get", {"key"}), BadRequest);
  EXPECT_THROW(object("get", {"=x"}), BadRequest);
  EXPECT_THROW(object("get", {""}), BadRequest);
  EXPECT_THROW(object("get", {"key=a", "key=b"}), BadRequest);
  EXPECT_THROW(object("supply", {"enqueue=true", "enqueue.delay=1"}), BadRequest);
  EXPECT_THROW(object("supply", {"enqueue.delay=1", "enqueue.delay=1"}), BadRequest);
}

}  // namespace
