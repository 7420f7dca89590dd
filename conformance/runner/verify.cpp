// Reading a certificate, and holding a second run against it.
//
// SPDX-License-Identifier: Apache-2.0
#include "runner/verify.hpp"

#include <set>
#include <stdexcept>

#include "config/text.hpp"
#include "loader/inspect.hpp"
#include "runner/contract.hpp"
#include "runner/reports.hpp"
#include "runner/shorter.hpp"
#include "types/text.hpp"

namespace stile::conformance {
namespace {

/// A certificate of every case there will ever be is smaller.
constexpr std::size_t most_bytes = std::size_t{64} << 20;

std::string text_at(const json::object& object, const char* name) {
  return json::value_to<std::string>(object.at(name));
}

std::uint64_t number_at(const json::object& object, const char* name) {
  return object.at(name).to_number<std::uint64_t>();
}

/// What two runs of one suite on one store have in common: without when and where it was, how long it took, how often
/// a fault happened, and what was said of a failure. Checks by their names. Throws where it is no certificate.
json::object without_chance(json::object certificate) {
  for (const char* name : {"config", "driver", "of_driver", "started_at", "microseconds", "broken_ids", "cut"})
    certificate.erase(name);
  certificate.at("plugin").as_object().erase("file");
  for (auto& [name, count] : certificate.at("faults").as_object()) count = "happened";
  json::object checks;
  for (const json::value& check : certificate.at("checks").as_array())
    checks[text_at(check.as_object(), "name")] =
        json::object{{"level", check.at("level")}, {"ids", check.at("ids")}, {"verdict", check.at("verdict")}};
  certificate["checks"] = std::move(checks);
  return certificate;
}

/// How much was judged: what the command line would refuse no certificate tells either.
void take_amount(Certificate& out, const json::object& said) {
  auto within = [](const char* name, auto number, auto least, auto most) {
    if (number < least || number > most)
      throw std::runtime_error("its " + std::string(name) + " is " + std::to_string(number) + ", which is not from " +
                               std::to_string(least) + " to " + std::to_string(most));
  };
  out.level = said.at("level").to_number<int>();
  within("level", out.level, 1, 4);
  out.seed = said.at("seeds").as_array().at(0).to_number<std::uint64_t>();
  within("seed", out.seed, std::uint64_t{1}, UINT64_MAX);
  out.scale = number_at(said, "scale");
  within("scale", out.scale, std::uint64_t{1}, most_scale);
  out.sequence = number_at(said, "sequence");
  out.time = Duration{said.at("time").to_number<std::int64_t>()};
  within("time", out.time.count(), std::int64_t{0}, std::int64_t{most_time.count()});
  out.complete = said.at("complete").as_bool();
  if (said.contains("cut")) out.cut = number_at(said, "cut");
  if (out.cut != 0 && (out.complete || said.at("conformant").as_bool()))
    throw std::runtime_error("it contradicts itself: what was cut is neither complete nor conformant");
}

Certificate from_json(const json::object& said) {
  if (text_at(said, "certificate") != "stile-conformance")
    throw std::runtime_error("it is another kind of certificate");
  Certificate out;
  const json::object& plugin = said.at("plugin").as_object();
  out.config = text_at(said, "config");
  // Certificates of before have neither.
  if (said.contains("driver")) out.driver = text_at(said, "driver");
  if (said.contains("of_driver")) out.of_driver = said.at("of_driver").as_bool();
  out.plugin_file = text_at(plugin, "file");
  out.plugin_name = text_at(plugin, "name");
  out.build_id = text_at(plugin, "build_id");
  out.contract_version = text_at(said, "contract_version");
  take_amount(out, said);
  out.cases = json::value_to<std::vector<std::string>>(said.at("cases"));
  for (const json::value& check : said.at("checks").as_array())
    out.checks.push_back(text_at(check.as_object(), "name"));
  out.whole = without_chance(said);
  return out;
}

std::string shown(const json::value* value) {
  constexpr std::size_t most = 200;
  if (!value) return "not there";
  return cut_line(types::printable(value->is_string() ? std::string(value->get_string()) : json::serialize(*value)),
                  most);
}

/// A line for each member that differs: what it is now, what it was.
void compare_members(const std::string& of, const json::object& before, const json::object& now,
                     std::vector<std::string>& differences) {
  std::set<std::string> names;
  for (const json::object* each : {&before, &now})
    for (const auto& member : *each) names.insert(std::string(member.key()));
  for (const std::string& name : names) {
    const json::value *was = before.if_contains(name), *is = now.if_contains(name);
    const std::string place = of + types::printable(name);
    if (was && is && was->is_object() && is->is_object())
      compare_members(place + ": ", was->get_object(), is->get_object(), differences);
    else if (!was || !is || *was != *is)
      differences.push_back(place + ": " + shown(is) + ", was " + shown(was));
  }
}

std::string differs(const char* what, const std::string& before, const std::string& now) {
  return std::string(what) + " is " + types::printable(now) + ", the certificate speaks of " + types::printable(before);
}

}  // namespace

Certificate read_certificate(const std::string& path) {
  std::string text = config::read_file(path, most_bytes, "the certificate " + types::printable(path));
  std::string why;
  try {
    Certificate out = from_json(json::parse(text).as_object());
    out.file = path;
    return out;
  } catch (const boost::system::system_error& error) {  // what() names the library's lines
    why = error.code().message();
  } catch (const std::out_of_range&) {
    why = "a member is missing";
  } catch (const std::exception& error) {
    why = error.what();
  }
  throw std::runtime_error(types::printable(path) + " is no certificate of this program (--report FILE.json writes " +
                           "one): " + why);
}

std::string not_to_be_loaded(const Certificate& certificate) {
  if (certificate.plugin_file.empty()) return {};
  const loader::Inspected file = loader::inspect(certificate.plugin_file);
  std::string why = file.good() ? "" : file.reason;
  if (why.empty() && file.build_id.empty()) why = "it has no build id to know it by";
  if (why.empty() && file.build_id != certificate.build_id)
    why = differs("its build id", certificate.build_id, file.build_id);
  if (why.empty()) return {};
  return "the plugin file " + types::printable(certificate.plugin_file) +
         " is named by the certificate alone, and is not loaded: " + why + "; --plugin says where the right one is";
}

std::string other_than(const Certificate& certificate, const Facts& facts) {
  if (certificate.plugin_name != facts.plugin.name)
    return differs("the plugin", certificate.plugin_name, facts.plugin.name);
  if (certificate.build_id != facts.plugin.build_id)
    return differs("the plugin's build id", certificate.build_id, facts.plugin.build_id);
  if (certificate.contract_version != contract_version())
    return differs("the contract's version", certificate.contract_version, std::string(contract_version()));
  return {};
}

Agreement compare(const Certificate& certificate, const Run& run) {
  json::object before = certificate.whole, now = without_chance(conformance::certificate(run));
  auto failed = [](const json::object& one) { return number_at(one.at("counts").as_object(), "failed") != 0; };
  auto leave_out = [&](const char* name) { before.erase(name), now.erase(name); };
  // Which of its promises a check of many callers finds broken first is chance.
  if (failed(before) || failed(now)) leave_out("ids");
  // So is for how much a time was enough; what a run with too little may not say, read_certificate has seen.
  if (certificate.cut != 0 || run.cut() != 0) leave_out("complete"), leave_out("conformant");
  Agreement out;
  compare_members("", before, now, out.differences);
  if (certificate.cut == 0 && run.cut() != 0) out.too_little = run.cut_text();
  return out;
}

std::string agreement_text(const Certificate& certificate, const Agreement& agreement) {
  std::string file = types::printable(certificate.file);
  if (agreement.agrees())
    return "Verified: " + file + " agrees, " + std::to_string(certificate.checks.size()) +
           " checks with the same verdicts.\n";
  std::string text = "Not verified: " + file + " differs:\n";
  constexpr std::size_t most = 50;
  for (std::size_t i = 0; i < agreement.differences.size() && i < most; ++i)
    text += "  " + agreement.differences[i] + "\n";
  if (agreement.differences.size() > most)
    text += "  and " + std::to_string(agreement.differences.size() - most) + " more\n";
  return text;
}

}  // namespace stile::conformance
