// Reading a certificate, and holding a second run against it.
//
// SPDX-License-Identifier: Apache-2.0
#include "runner/verify.hpp"

#include <set>
#include <stdexcept>

#include "config/text.hpp"
#include "runner/contract.hpp"
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
  out.part = text_at(said, "part");
  out.level = said.at("level").to_number<int>();
  if (out.level < 1 || out.level > 4) throw std::runtime_error("there is no level " + std::to_string(out.level));
  out.seed = said.at("seeds").as_array().at(0).to_number<std::uint64_t>();
  out.scale = number_at(said, "scale");
  out.sequence = number_at(said, "sequence");
  out.time = Duration{said.at("time").to_number<std::int64_t>()};
  out.complete = said.at("complete").as_bool();
  out.cases = json::value_to<std::vector<std::string>>(said.at("cases"));
  for (const json::value& check : said.at("checks").as_array())
    out.verdicts[text_at(check.as_object(), "name")] = text_at(check.as_object(), "verdict");
  out.counts = json::value_to<std::map<std::string, std::uint64_t>>(said.at("counts"));
  return out;
}

std::string differs(const char* what, const std::string& before, const std::string& now) {
  return std::string(what) + " is " + types::printable(now) + ", the certificate speaks of " + types::printable(before);
}

}  // namespace

Certificate read_certificate(const std::string& path) {
  std::string text = config::read_file(path, most_bytes, "the certificate " + types::printable(path));
  try {
    Certificate out = from_json(json::parse(text).as_object());
    out.file = path;
    return out;
  } catch (const std::exception& error) {
    throw std::runtime_error(types::printable(path) + " is no certificate of this program (--report FILE.json writes " +
                             "one): " + error.what());
  }
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
  Agreement out;
  if (std::string now(name_of(run.target->facts.part)); now != certificate.part)
    out.differences.push_back("the store keeps " + now + " now, and kept " + types::printable(certificate.part));
  std::set<std::string> met;
  for (const Result& result : run.results) {
    std::string name = result.check->suite + "." + result.check->name;
    met.insert(name);
    auto before = certificate.verdicts.find(name);
    std::string now(name_of(result.outcome.verdict));
    if (before == certificate.verdicts.end())
      out.differences.push_back(name + ": " + now + "; the certificate does not speak of it");
    else if (before->second != now)
      out.differences.push_back(name + ": " + now + ", was " + types::printable(before->second));
  }
  for (const auto& [name, verdict] : certificate.verdicts)
    if (met.count(name) == 0)
      out.differences.push_back(types::printable(name) + ": not run, was " + types::printable(verdict));
  Counts counts = run.counts();
  const std::map<std::string, std::uint64_t> now{{"passed", counts.passed},
                                                 {"failed", counts.failed},
                                                 {"crashed", counts.crashed},
                                                 {"timed_out", counts.timed_out},
                                                 {"absent", counts.absent}};
  for (const auto& [name, count] : now) {
    auto before = certificate.counts.find(name);
    std::uint64_t was = before == certificate.counts.end() ? 0 : before->second;
    if (was != count) out.differences.push_back(std::to_string(count) + " " + name + ", were " + std::to_string(was));
  }
  return out;
}

std::string agreement_text(const Certificate& certificate, const Agreement& agreement) {
  std::string file = types::printable(certificate.file);
  if (agreement.agrees())
    return "Verified: " + file + " agrees, " + std::to_string(certificate.verdicts.size()) +
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
