// The value mapping: what goes in comes back, and what could not come back is refused with the member's name.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <deque>
#include <list>
#include <map>
#include <random>
#include <set>
#include <unordered_map>
#include <vector>

#include "stile/codec.hpp"

namespace shop {

enum class Size { small, large };
BOOST_DESCRIBE_ENUM(Size, small, large)

struct Line {
  std::string name;
  double price = 0;
  std::optional<int> count;
};
BOOST_DESCRIBE_STRUCT(Line, (), (name, price, count))

struct Base {
  std::int64_t id = 0;
};
BOOST_DESCRIBE_STRUCT(Base, (), (id))

struct Order : Base {
  std::vector<Line> lines;
  Size size = Size::small;
  std::map<std::string, std::string> notes;
  std::chrono::hours patience{3};
  stile::StoreTime placed{};
  std::optional<std::string> voucher = "none";
};
BOOST_DESCRIBE_STRUCT(Order, (Base), (lines, size, notes, patience, placed, voucher))

class Sealed {
 public:
  Sealed() = default;
  explicit Sealed(int x) : secret_(x) {}
  bool operator==(const Sealed&) const = default;

 private:
  int secret_ = 0;
  BOOST_DESCRIBE_CLASS(Sealed, (), (), (), (secret_))
};

struct Tree {
  std::vector<Tree> children;
};
BOOST_DESCRIBE_STRUCT(Tree, (), (children))

struct Forgetful {
  int kept = 0, lost = 0;
  bool operator==(const Forgetful&) const = default;
};
BOOST_DESCRIBE_STRUCT(Forgetful, (), (kept))

struct Temperature {
  double celsius = 0;
};

struct Rot13 {
  std::string text;
};

}  // namespace shop

template <>
struct stile::JsonForm<shop::Temperature> {
  static json::value write(const shop::Temperature& t) { return json::string(std::to_string(int(t.celsius)) + " C"); }
  static shop::Temperature read(const json::value& form) { return {std::stod(std::string(form.as_string()))}; }
};

template <>
struct stile::Codec<shop::Rot13> {
  static constexpr char id = 'R';
  static Bytes encode(const shop::Rot13& v) { return turn(v.text); }
  static shop::Rot13 decode(std::string_view bytes) { return {turn(Bytes(bytes))}; }
  static Bytes turn(Bytes text) {
    for (char& c : text)
      if (c >= 'a' && c <= 'z') c = static_cast<char>('a' + (c - 'a' + 13) % 26);
    return text;
  }
};

namespace {

using namespace std::chrono_literals;
using stile::from_json;
using stile::to_json;
using stile::ValueError;

template <class T>
T back(const T& value) {
  return from_json<T>(to_json(value));
}

template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const ValueError& e) {
    return e.what();
  }
  return "no error";
}

TEST(Values, ADescribedStructComesBackWithItsBase) {
  shop::Order order;
  order.id = 7;
  order.lines = {{"a \"quoted\" tea, 1 kg\n", 0.1, 3}, {"", 1e-300, std::nullopt}};
  order.size = shop::Size::large;
  order.notes = {{"gift", "ja"}, {"", "空"}};
  order.placed = stile::StoreTime(1'700'000'000'123'456us);
  order.voucher.reset();
  auto again = back(order);
  EXPECT_EQ(to_json(again), to_json(order));
  EXPECT_EQ(again.id, 7);
  EXPECT_EQ(again.lines.at(0).name, order.lines.at(0).name);
  EXPECT_EQ(again.size, shop::Size::large);
  EXPECT_EQ(again.placed, order.placed);
  EXPECT_FALSE(again.voucher.has_value()) << "an absent optional must not come back as its default";
}

TEST(Values, TheFormIsThatOfDesign) {
  EXPECT_EQ(to_json(shop::Line{"tea", 2.5, 3}), R"({"name":"tea","price":2.5E0,"count":3})");
  EXPECT_EQ(to_json(shop::Size::large), R"("large")");
  EXPECT_EQ(to_json(std::chrono::hours{2}), "7200000000");
  EXPECT_EQ(to_json(stile::Done{}), "null");
  EXPECT_EQ(to_json(stile::Blob{std::string("\0\xff\x10", 3)}), R"("AP8Q")");
}

TEST(Values, AMissingMemberKeepsItsDefaultAndAnUnknownOneIsIgnored) {
  auto order = from_json<shop::Order>(R"({"id": 9, "colour": {"r": 1}})");
  EXPECT_EQ(order.id, 9);
  EXPECT_EQ(order.patience, 3h);
  EXPECT_EQ(order.voucher, "none");
}

TEST(Values, PrivateMembersAreValuesToo) { EXPECT_EQ(back(shop::Sealed(42)), shop::Sealed(42)); }

TEST(Values, Containers) {
  EXPECT_EQ(back(std::vector<bool>{true, false}), (std::vector<bool>{true, false}));
  EXPECT_EQ(back(std::deque<int>{1, 2}), (std::deque<int>{1, 2}));
  EXPECT_EQ(back(std::list<std::string>{"x"}), (std::list<std::string>{"x"}));
  EXPECT_EQ(back(std::set<int>{3, 1}), (std::set<int>{1, 3}));
  EXPECT_EQ(back(std::array<int, 3>{1, 2, 3}), (std::array<int, 3>{1, 2, 3}));
  EXPECT_EQ(back(std::map<int, std::string>{{1, "a"}}), (std::map<int, std::string>{{1, "a"}}));
  EXPECT_EQ(back(std::unordered_map<std::string, int>{{"a", 1}}), (std::unordered_map<std::string, int>{{"a", 1}}));
  EXPECT_EQ(back(std::pair<int, std::string>{1, "b"}), (std::pair<int, std::string>{1, "b"}));
  EXPECT_EQ(back(std::tuple<int, bool, double>{1, true, .5}), (std::tuple<int, bool, double>{1, true, .5}));
  EXPECT_EQ(back(std::optional<int>{}), std::nullopt);
  EXPECT_EQ(back(std::vector<std::optional<int>>{1, std::nullopt}), (std::vector<std::optional<int>>{1, std::nullopt}));
}

TEST(Values, NumbersAreExact) {
  EXPECT_EQ(back(std::numeric_limits<std::uint64_t>::max()), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(back(std::numeric_limits<std::int64_t>::min()), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(back((std::int64_t{1} << 53) + 1), (std::int64_t{1} << 53) + 1);
  EXPECT_TRUE(std::signbit(back(-0.0)));
  std::mt19937_64 random(7);
  for (int i = 0; i < 200'000; ++i) {
    std::uint64_t bits = random();
    double d;
    std::memcpy(&d, &bits, sizeof d);
    if (!std::isfinite(d)) continue;
    double again = back(d);
    ASSERT_EQ(std::memcmp(&again, &d, sizeof d), 0) << to_json(d);
  }
  for (double d : {0.1, 1.0 / 3, 1e16, 5e-324, 1.7976931348623157e308, 123456789.123456789}) EXPECT_EQ(back(d), d);
  EXPECT_EQ(back(0.1f), 0.1f);
}

TEST(Values, WhatCannotComeBackFailsOnTheWayInNamingTheMember) {
  shop::Order order;
  order.lines = {{"ok", 1, {}}, {"bad", std::nan(""), {}}};
  EXPECT_EQ(error_of([&] { to_json(order); }), "lines[1].price: NaN and infinity have no JSON form");
  order.lines = {{"\xff", 1, {}}};
  EXPECT_EQ(error_of([&] { to_json(order); }), "lines[0].name: text that is not UTF-8: say stile::Blob for bytes");
  order.lines.clear();
  order.notes["k"] = "\xed\xa0\x80";  // a surrogate
  EXPECT_EQ(error_of([&] { to_json(order); }), "notes.k: text that is not UTF-8: say stile::Blob for bytes");
  EXPECT_EQ(error_of([&] { to_json(static_cast<shop::Size>(9)); }), "a number that is no value of its enum");
  EXPECT_EQ(error_of([&] { to_json(std::chrono::nanoseconds(1)); }),
            "a time that is not a whole number of microseconds");
}

TEST(Values, WhatIsNoSuchValueFailsOnTheWayOutNamingTheMember) {
  EXPECT_EQ(error_of([] { from_json<shop::Order>(R"({"lines":[{"price":"dear"}]})"); }), "lines[0].price: no number");
  EXPECT_EQ(error_of([] { from_json<shop::Order>(R"({"size":"huge"})"); }), "size: \"huge\" is none of small, large");
  EXPECT_EQ(error_of([] { from_json<std::uint8_t>("256"); }), "a number out of range");
  EXPECT_EQ(error_of([] { from_json<unsigned>("-1"); }), "a number out of range");
  EXPECT_EQ(error_of([] { from_json<int>("1.5"); }), "no whole number");
  EXPECT_EQ(error_of([] { from_json<int>("true"); }), "no whole number");
  EXPECT_EQ(error_of([] { from_json<bool>("1"); }), "neither true nor false");
  EXPECT_EQ(error_of([] { from_json<std::chrono::hours>("1"); }), "a time that is no whole number of its unit");
  EXPECT_EQ(error_of([] { from_json<stile::Blob>(R"("a")"); }), "no base64");
  EXPECT_EQ((error_of([] { from_json<std::array<int, 2>>("[1]"); })), "an array of another length");
  EXPECT_EQ(error_of([] { from_json<int>("{"); }).substr(0, 17), "no JSON at byte 1");
  EXPECT_EQ(error_of([] { from_json<int>("1 2"); }).substr(0, 17), "no JSON at byte 2");
  EXPECT_EQ(error_of([] { from_json<std::string>("\"\xff\""); }).substr(0, 10), "no JSON at");
  EXPECT_EQ(from_json<int>("5.0"), 5) << "other languages write whole numbers so";
}

TEST(Values, BlobsAreBase64InsideAndBytesOutside) {
  stile::Blob all;
  for (int length = 0; length < 260; ++length) {
    EXPECT_EQ(from_json<stile::Blob>(to_json(all)).bytes, all.bytes) << length;
    EXPECT_EQ(stile::detail::decode_value<stile::Blob>(stile::detail::encode_value(all)).bytes, all.bytes);
    all.bytes += static_cast<char>(length);
  }
  EXPECT_EQ(stile::detail::encode_value(stile::Blob{"x"}), "b=x");
}

TEST(Values, TooDeepFailsInsteadOfOverflowing) {
  shop::Tree tree;
  for (int i = 0; i < 300; ++i) {
    shop::Tree up;
    up.children.push_back(std::move(tree));
    tree = std::move(up);
  }
  EXPECT_NE(error_of([&] { back(tree); }), "no error");
}

TEST(Values, OwnFormsAndOwnCodecs) {
  EXPECT_EQ(to_json(std::vector<shop::Temperature>{{20}}), R"(["20 C"])");
  EXPECT_EQ(back(shop::Temperature{20}).celsius, 20);
  auto stored = stile::detail::encode_value(shop::Rot13{"uryyb"});
  EXPECT_EQ(stored, "R=hello");
  EXPECT_EQ(stile::detail::decode_value<shop::Rot13>(stored).text, "uryyb");
  EXPECT_EQ(error_of([&] { stile::detail::decode_value<int>(stored); }),
            "stored by codec 'R', and this type is read by 'j'");
  EXPECT_EQ(error_of([] { stile::detail::decode_value<int>("j!{}"); }), "what is stored is no value");
  EXPECT_EQ(error_of([] { stile::detail::decode_value<int>(""); }), "a stored value of less than two bytes");
}

TEST(Values, CheckValuesFindsWhatTheMappingLoses) {
  shop::Forgetful value{1, 0};
  EXPECT_NO_THROW(stile::detail::check_round_trip(value, stile::detail::encode_value(value)));
  value.lost = 5;
  EXPECT_THROW(stile::detail::check_round_trip(value, stile::detail::encode_value(value)), ValueError);
}

}  // namespace
