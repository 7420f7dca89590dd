// From a line to its operations, and from their answers to a line.
//
// SPDX-License-Identifier: Apache-2.0
#include "cli/call/job.hpp"

#include <utility>

#include "codec/decode.hpp"
#include "codec/line.hpp"
#include "store/operation.hpp"

namespace stile::cli {
namespace {

namespace json = boost::json;

std::optional<json::value> take(json::object& object, std::string_view name) {
  auto found = object.find(name);
  if (found == object.end()) return std::nullopt;
  json::value value = std::move(found->value());
  object.erase(found);
  return value;
}

// R1: a write has a name, drawn here unless it was said. Not where its absence is what was said.
void name_write(stile_op& op) {
  bool drawn = store::takes_op_id(op) && store::id_of(op.op_id).empty() && (op.must & STILE_MUST_AGAIN) == 0;
  if (drawn) op.op_id = store::abi_of(Id::random());
}

Member member_of(json::value value) {
  Member member;
  if (!value.is_object()) {
    member.refuse(Status::invalid, "an operation is an object");
    return member;
  }
  json::object& object = value.get_object();
  member.tag = take(object, "tag");
  try {
    member.op = codec::Op::decode(object);
    name_write(*member.op->get());
  } catch (const codec::BadRequest& bad) {
    member.bad = bad;
  }
  return member;
}

// The session a line names; refuses its member when there is no such session.
void choose_session(Job& job, const std::optional<json::value>& said, std::size_t sessions) {
  if (!said) return;
  auto number = codec::whole_number(*said);
  if (number && !number->negative && number->size < sessions) {
    job.session = number->size;
  } else {
    job.members.front().refuse(Status::invalid, "s must be a whole number from 0 to " + std::to_string(sessions - 1));
  }
}

}  // namespace

void Member::refuse(Status status, std::string text) { bad = codec::BadRequest{status, std::move(text)}; }

Status Member::status() const { return bad ? bad->status : op->status(); }

json::object Member::answer() const {
  json::object answer;
  if (bad) {
    answer["status"] = name_of(bad->status);
    answer["error"] = codec::bytes_json(bad->text);
  } else {
    answer = codec::answer_json(*op->get());
  }
  if (tag) answer["tag"] = *tag;
  return answer;
}

std::string Job::answer() const {
  if (!batch) {
    json::object answer = members.front().answer();
    if (said_session) answer["s"] = *said_session;
    return json::serialize(answer);
  }
  json::array answers;
  answers.reserve(members.size());
  for (const Member& member : members) answers.push_back(member.answer());
  return json::serialize(answers);
}

Job unread_job(std::string why) {
  Job job;
  job.members.emplace_back().refuse(Status::invalid, std::move(why));
  return job;
}

Job job_of(json::object operation, std::size_t sessions) {
  Job job;
  if (sessions != 0) job.said_session = take(operation, "s");
  job.members.push_back(member_of(std::move(operation)));
  choose_session(job, job.said_session, sessions);
  return job;
}

Job read_job(std::string_view line, std::size_t sessions) {
  try {
    json::value value = codec::parse_line(line);
    if (value.is_object()) return job_of(std::move(value.get_object()), sessions);
    if (!value.is_array()) return unread_job("column 1: a line is an operation as an object, or a list of them");
    Job job;
    job.batch = true;
    std::optional<json::value> session;
    for (json::value& element : value.get_array()) {
      // That of the first one counts, for all of them.
      if (auto* object = sessions != 0 ? element.if_object() : nullptr) {
        auto said = take(*object, "s");
        if (job.members.empty()) session = std::move(said);
      }
      job.members.push_back(member_of(std::move(element)));
    }
    choose_session(job, session, sessions);
    return job;
  } catch (const codec::BadLine& bad) {
    return unread_job(bad.what());
  }
}

}  // namespace stile::cli
