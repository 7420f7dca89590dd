// An application's own transaction with libpqxx: a row of its own and a workflow commit together, by a call of a
// function, and by what render says (R7). Runs on the server that $STILE_SERVER names.
//
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <pqxx/pqxx>
#include <string>
#include <vector>

#include "stile/store.hpp"

namespace {

std::string server() {
  const char* const at = std::getenv("STILE_SERVER");
  return at ? at : "";
}

/// A value as the server reads it in text: bytes in hexadecimal.
std::string as_text(const stile::Parameter& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  std::string out = "\\x";
  for (const unsigned char byte : std::get<stile::Blob>(value).bytes)
    out += "0123456789abcdef"[byte >> 4], out += "0123456789abcdef"[byte & 15];
  return out;
}

pqxx::result execute(pqxx::work& work, const stile::Rendered& said) {
  std::vector<std::string> texts;
  for (const auto& value : said.params)
    texts.push_back(std::holds_alternative<std::monostate>(value) ? std::string() : as_text(value));
  std::vector<const char*> params;
  for (std::size_t i = 0; i < texts.size(); ++i)
    params.push_back(std::holds_alternative<std::monostate>(said.params[i]) ? nullptr : texts[i].c_str());
  return work.exec_params(said.text, pqxx::prepare::make_dynamic_params(params));
}

class Pqxx : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_FALSE(server().empty()) << "run it by private_server, which says where the server is";
    store_.emplace(stile::open(server() + "?namespace=pqxx&prepare=auto"));
    pqxx::nontransaction(connection_).exec("CREATE TABLE IF NOT EXISTS orders (id text PRIMARY KEY)");
  }

  std::size_t records(std::string_view workflow) {
    return store_->call(stile::Load{.workflow = workflow}).records.size();
  }

  std::optional<stile::Store> store_;
  pqxx::connection connection_{server()};
};

TEST_F(Pqxx, ARowAndItsWorkflowCommitTogether) {
  for (const bool commits : {false, true}) {
    pqxx::work work(connection_);
    work.exec("INSERT INTO orders VALUES ('a')");
    EXPECT_TRUE(work.exec("SELECT stile.start('pqxx', 'fulfil', 'a', '{\"total\": 12}')")[0][0].as<bool>());
    if (commits) work.commit();
    EXPECT_EQ(records("a"), commits ? 1U : 0U);
  }
}

TEST_F(Pqxx, WhatRenderSaysIsDoneInTheCallersTransaction) {
  const std::string key("k\0\xff", 3), value("\0binary\x80", 8);
  const stile::Rendered said =
      store_->call(stile::Render{.language = "sql", .say = stile::Supply{.workflow = "b", .key = key, .value = value}});
  for (const bool commits : {false, true}) {
    pqxx::work work(connection_);
    execute(work, said);
    if (commits) work.commit();
    ASSERT_EQ(records("b"), commits ? 1U : 0U);
  }
  const auto record = store_->call(stile::Load{.workflow = "b"}).records.front();
  EXPECT_EQ(record.key, key);
  EXPECT_EQ(record.value, value);
}

}  // namespace
