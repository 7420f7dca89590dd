// The README's program: an order that is charged, approved by somebody, and shipped, whatever crashes in between.
//
// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <thread>

#include "stile/worker.hpp"

inline constexpr stile::Workflow<std::string(std::string)> fulfil{"fulfil"};
inline constexpr stile::Signal<std::string> approved_by{"approved-by"};

stile::Task<std::string> run_fulfil(stile::Run& run, std::string order) {
  auto charge = co_await run.step("charge", [&] { return "charge for " + order; });
  co_await run.sleep("settle", std::chrono::seconds(2));
  auto approver = co_await run.wait(approved_by, std::chrono::hours(48));
  if (!approver) co_return "nobody approved " + order;
  auto parcel = co_await run.step("ship", [&] { return "parcel with " + order; });
  co_return charge + ", " + parcel + ", approved by " + *approver;
}

int main(int argc, char** argv) try {
  auto store = stile::open(argc > 1 ? argv[1] : "memory:");
  auto order = stile::start(store, fulfil, "order-7", "a garden stile");
  order.signal(approved_by, "anna");
  stile::Worker worker(store);
  worker.handle(fulfil, run_fulfil);
  std::jthread working([&](std::stop_token stop) { worker.run(stop); });
  std::cout << order.result(std::chrono::minutes(1)).value_or("not yet") << "\n";
} catch (const std::exception& e) {
  std::cerr << e.what() << "\n";
  return 1;
}
