// SPDX-License-Identifier: Apache-2.0
#include "runtime/drive.hpp"

#include <random>

#include "runtime/stored.hpp"
#include "stile/log.hpp"

namespace stile::runtime {
namespace {

double chance() {
  thread_local std::minstd_rand random{std::random_device{}()};
  return std::uniform_real_distribution<double>(0, 1)(random);
}

/// A start that was put off: no pass earlier than that, whoever wakes the workflow.
std::optional<StoreTime> first_pass(const Message& input, StoreTime started) {
  auto number = [&](std::string_view name) -> std::optional<Duration> {
    auto said = input.says.find(name);
    if (said == input.says.end()) return std::nullopt;
    return Duration{from_json<std::int64_t>(said->second)};
  };
  if (auto at = number("at")) return StoreTime(*at);
  if (auto after = number("after")) return started + *after;
  return std::nullopt;
}

struct Sender {
  Pass& pass;
  CallOptions options;

  /// The last record, where there is one, then the rest, each only if the one before it was ok.
  template <class First, class... Rest>
  std::optional<Failure> operator()(const First& first, const Rest&... rest) const {
    const auto& record = pass.end().record;
    if (!record) return failure_of(pass.store().chain(options, first, rest...));
    Record last{.workflow = pass.id(), .fence = pass.life().fence(), .key = record->key, .value = record->value};
    if (!pass.owes_cancel_mark()) return failure_of(pass.store().chain(options, last, first, rest...));
    Record marked{.workflow = pass.id(), .fence = pass.life().fence(), .key = cancel_key, .value = mark};
    return failure_of(pass.store().chain(options, marked, last, first, rest...));
  }

  /// The first failure of a chain: what follows it is skipped.
  template <class... Answers>
  static std::optional<Failure> failure_of(const std::tuple<Result<Answers>...>& answers) {
    std::optional<Failure> failure;
    std::apply([&](const auto&... answer) { ((!answer && !failure ? void(failure = answer.failure()) : void()), ...); },
               answers);
    return failure;
  }
};

/// What the store made of the answer. True: try once more, the end was changed to one that it takes.
bool settle(Pass& pass, const std::optional<Failure>& failure) {
  if (!failure) return false;
  End& end = pass.end();
  bool refused = failure->status == Status::too_large || failure->status == Status::invalid;
  if (refused && end.record && end.kind == End::Kind::completed && form_of(end.record->value) != Form::failure) {
    end.record->value = write_failure({.error = "the result cannot be recorded: " + failure->text});
    return true;
  }
  bool out = end.kind == End::Kind::trouble || end.kind == End::Kind::lost;
  std::string text = name_of(failure->status) + ": " + failure->text;
  log(out ? LogLevel::debug : LogLevel::info, "the end of a pass was not taken",
      {{"workflow", pass.id()}, {"why", text}});
  end.kind = End::Kind::running;
  pass.trouble(*failure);
  return false;
}

std::optional<Failure> send_answer(Pass& pass, std::uint32_t count, const Sender& send) {
  const End& end = pass.end();
  std::string_view receipt = pass.life().receipt();
  Fence fence = pass.life().fence();
  switch (end.kind) {
    case End::Kind::completed: return send(Ack{.receipt = receipt, .finished = true, .fence = fence, .release = true});
    case End::Kind::waiting: return send(Ack{.receipt = receipt, .fence = fence, .release = true});
    case End::Kind::sleeping:
      return send(Snooze{.receipt = receipt, .delay = end.delay, .at = end.at, .fence = fence, .release = true});
    case End::Kind::draining:
      return send(Snooze{.receipt = receipt, .delay = Duration{0}, .fence = fence, .release = true});
    case End::Kind::retrying:
      return send(Nack{.receipt = receipt,
                       .delay = end.delay.value_or(Duration{0}),
                       .error = end.text,
                       .fence = fence,
                       .release = true});
    case End::Kind::stuck: {
      std::string error = std::string(stuck_prefix) + end.text;
      return send(Nack{.receipt = receipt,
                       .delay = pause_when_stuck(count, chance()),
                       .error = error,
                       .fence = fence,
                       .release = true});
    }
    case End::Kind::trouble:
      return send(Nack{.receipt = receipt,
                       .delay = pause_after_trouble(count, chance()),
                       .error = end.text,
                       .fence = fence,
                       .release = true});
    case End::Kind::running:
    case End::Kind::lost: break;
  }
  return std::nullopt;
}

std::optional<Failure> send_lone_answer(Pass& pass, const Sender& send) {
  const End& end = pass.end();
  Release release{.workflow = pass.id(), .fence = pass.life().fence()};
  bool later = end.kind == End::Kind::sleeping || end.kind == End::Kind::retrying;
  if (!later) return send(release);
  return send(Enqueue{.workflow = pass.id(), .delay = end.delay, .at = end.at}, release);
}

template <class Send>
End::Kind conclude(Pass& pass, const Send& send_how) {
  if (pass.end().kind == End::Kind::lost) return End::Kind::lost;
  if (pass.life().lost(std::chrono::steady_clock::now())) {
    pass.end().kind = End::Kind::running;
    pass.may_go_on();
    return pass.end().kind;
  }
  CallOptions options = pass.call_options();
  // A store in trouble is not waited for long: the delivery comes back anyway when its lease ends.
  if (pass.end().kind == End::Kind::trouble) options.timeout = Duration{2'000'000}, pass.end().record.reset();
  Sender send{pass, options};
  while (settle(pass, send_how(send))) {
  }
  return pass.end().kind;
}

}  // namespace

void drive(Pass& pass, const Bodies& bodies) {
  if (pass.ended()) return;
  End& end = pass.end();
  const StoredRecord* start = pass.replay().start();
  if (!start) {  // a signal or a message came before the start, which will wake it
    end.kind = End::Kind::waiting;
    return;
  }
  if (pass.replay().result()) {
    end.kind = End::Kind::completed;
    return;
  }
  try {
    Message input = read_message(start->value);
    auto body = bodies.find(input.to);
    if (body == bodies.end()) return void(pass.stuck("no function for the kind \"" + input.to + "\" here"));
    auto first = first_pass(input, start->written_at);
    if (first && *first > pass.store_now()) return void(pass.sleep_until(*first));
    if (first) pass.replay().reached(*first);
    body->second->run(pass, input.value);
  } catch (const std::exception& e) {
    pass.stuck("\"!start\": " + std::string(e.what()));
  }
  if (!pass.ended()) pass.stuck("the code suspended in something that is not of this pass");
}

End::Kind answer_delivery(Pass& pass, std::uint32_t delivery_count) {
  return conclude(pass, [&](const Sender& send) { return send_answer(pass, delivery_count, send); });
}

End::Kind answer_lone_pass(Pass& pass) {
  return conclude(pass, [&](const Sender& send) { return send_lone_answer(pass, send); });
}

}  // namespace stile::runtime
