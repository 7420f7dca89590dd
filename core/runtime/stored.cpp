// SPDX-License-Identifier: Apache-2.0
#include "runtime/stored.hpp"

#include <algorithm>

namespace stile::runtime {
namespace {

struct FailureForm {
  std::string error;
  int attempts = 1;
  Duration again_after{0};
};
BOOST_DESCRIBE_STRUCT(FailureForm, (), (error, attempts, again_after))

struct TimerForm {
  std::optional<Duration> after;
  std::optional<StoreTime> until;
};
BOOST_DESCRIBE_STRUCT(TimerForm, (), (after, until))

std::string with_form(Form form, std::string_view json) {
  std::string stored{'j', static_cast<char>(form)};
  return stored += json;
}

std::string_view body_of(std::string_view stored, Form form, const char* what) {
  if (form_of(stored) != form || stored[0] != 'j') throw ValueError(std::string("what is stored is no ") + what);
  return stored.substr(2);
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

}  // namespace

std::optional<std::string> wrong_name(std::string_view name) {
  if (name.empty()) return "a name is empty";
  if (name.size() > 400) return "a name has " + std::to_string(name.size()) + " bytes, over 400";
  if (!detail::is_utf8(name)) return "a name is not UTF-8";
  std::string quoted = "the name \"" + std::string(name) + "\" ";
  if (name.starts_with('!')) return quoted + "begins with '!', which is the core's";
  if (name.starts_with(inbox_prefix)) return quoted + "begins with \"inbox:\", which is the store's";
  if (std::any_of(name.begin(), name.end(), is_control)) return quoted + "holds a control character";
  return std::nullopt;
}

std::optional<std::string> wrong_address(std::string_view name) {
  if (auto wrong = wrong_name(name)) return wrong;
  if (name.size() > 64) return "the name \"" + std::string(name) + "\" has more than 64 bytes";
  if (name.find_first_of(" ;,") != std::string_view::npos)
    return "the name \"" + std::string(name) + "\" holds a blank, ';' or ','";
  return std::nullopt;
}

std::string use_key(std::string_view name, unsigned use) { return std::string(name) + "#" + std::to_string(use); }
std::string failed_key(std::string_view key, int attempt) {
  return std::string(failed_prefix) + std::string(key) + "/" + std::to_string(attempt);
}
std::string signal_key(std::string_view name) { return std::string(signal_prefix) + std::string(name); }

std::optional<Form> form_of(std::string_view stored) {
  if (stored.size() < 2) return std::nullopt;
  return static_cast<Form>(stored[1]);
}

std::string write_failure(const StoredFailure& failure) {
  // An error's text comes from anywhere, and must not make its own record fail.
  std::string error = failure.error;
  if (error.size() > 16'384) error.resize(16'384);
  if (!detail::is_utf8(error))
    std::replace_if(
        error.begin(), error.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
  return with_form(Form::failure, to_json(FailureForm{error, failure.attempts, failure.again_after}));
}

StoredFailure read_failure(std::string_view stored) {
  auto form = from_json<FailureForm>(body_of(stored, Form::failure, "failure"));
  return {form.error, form.attempts, form.again_after};
}

StoreTime Timer::due(StoreTime written_at) const { return until ? *until : written_at + after.value_or(Duration{0}); }

std::string write_timer(const Timer& timer) {
  return with_form(Form::timer, to_json(TimerForm{timer.after, timer.until}));
}

Timer read_timer(std::string_view stored) {
  auto form = from_json<TimerForm>(body_of(stored, Form::timer, "timer"));
  if (form.after.has_value() == form.until.has_value()) throw ValueError("a timer without one end");
  return {form.after, form.until};
}

std::string write_message(const Message& message) {
  std::string stored{message.value.at(0), static_cast<char>(Form::message)};
  stored += message.to;
  for (const auto& [key, value] : message.says) stored += ";" + key + "=" + value;
  stored += ' ';
  return stored += std::string_view(message.value).substr(2);
}

Message read_message(std::string_view stored) {
  auto blank = stored.find(' ');
  if (form_of(stored) != Form::message || blank == std::string_view::npos)
    throw ValueError("what is stored is no message");
  Message message;
  std::string_view address = stored.substr(2, blank - 2);
  auto semicolon = address.find(';');
  message.to = address.substr(0, semicolon);
  while (semicolon != std::string_view::npos) {
    address.remove_prefix(semicolon + 1);
    semicolon = address.find(';');
    auto said = address.substr(0, semicolon);
    auto equals = said.find('=');
    if (equals == std::string_view::npos) throw ValueError("a message whose address cannot be read");
    message.says.emplace(said.substr(0, equals), said.substr(equals + 1));
  }
  message.value = std::string{stored[0], static_cast<char>(Form::value)};
  message.value += stored.substr(blank + 1);
  return message;
}

}  // namespace stile::runtime
