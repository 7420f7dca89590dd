// A caller: a process of the suite that has the store open.
//
// SPDX-License-Identifier: Apache-2.0
#include "servers/caller_main.hpp"

#include <signal.h>

#include <iostream>
#include <memory>

#include "runner/results.hpp"
#include "servers/crowd.hpp"
#include "target.hpp"

namespace stile::conformance::servers {
namespace {

json::object error_line(const Error& error) {
  return {{"status", name_of(error.status())}, {"error", readable(error.what())}};
}

void answer(const json::object& line) { std::cout << json::serialize(line) << "\n" << std::flush; }

std::shared_ptr<store::Backend> open_of(const Job& job) {
  Target target;
  target.config = job.config;
  target.plugin_file = job.plugin_file;
  return target.open_recorded(job.ns, job.folder + "/" + job.name + ".jsonl");
}

void answer_lines(const std::shared_ptr<store::Backend>& backend) {
  Client client(backend);
  for (std::string text; std::getline(std::cin, text);) {
    const json::object line = json::parse(text).as_object();
    try {
      answer(client.call(line.at("ask").as_object(), Duration{line.at("deadline").to_number<std::int64_t>()}));
    } catch (const Error& error) {  // no session could be had: nothing was sent
      answer(error_line(error));
    }
  }
}

}  // namespace

json::object to_json(const Job& job) {
  return {{"config", job.config},     {"plugin", job.plugin_file},
          {"namespace", job.ns},      {"name", job.name},
          {"folder", job.folder},     {"seed", job.seed},
          {"threads", job.threads},   {"lease", job.lease},
          {"patience", job.patience}, {"value_bytes", job.value_bytes}};
}

Job job_from(const json::object& line) {
  Job job;
  job.config = json::value_to<std::string>(line.at("config"));
  job.plugin_file = json::value_to<std::string>(line.at("plugin"));
  job.ns = json::value_to<std::string>(line.at("namespace"));
  job.name = json::value_to<std::string>(line.at("name"));
  job.folder = json::value_to<std::string>(line.at("folder"));
  job.seed = line.at("seed").to_number<std::uint64_t>();
  job.threads = line.at("threads").to_number<unsigned>();
  job.lease = line.at("lease").to_number<std::int64_t>();
  job.patience = line.at("patience").to_number<std::int64_t>();
  job.value_bytes = line.at("value_bytes").to_number<std::uint64_t>();
  return job;
}

int caller_main() {
  signal(SIGPIPE, SIG_IGN);
  std::ios::sync_with_stdio(false);
  std::string first;
  if (!std::getline(std::cin, first)) return 2;
  try {
    const Job job = job_from(json::parse(first).as_object());
    std::shared_ptr<store::Backend> backend;
    try {
      backend = open_of(job);
    } catch (const Error& error) {
      answer(error_line(error));
      return 1;
    }
    answer({{"status", "ok"}});
    if (job.threads == 0) {
      answer_lines(backend);
    } else {
      Crowd crowd(backend, job);
      while (std::getline(std::cin, first)) {
      }
    }
    answer({{"status", "ok"}});
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "caller: " << error.what() << std::endl;
    return 1;
  }
}

}  // namespace stile::conformance::servers
