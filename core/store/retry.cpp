// When to send again, how long to pause, when to connect again.
//
// SPDX-License-Identifier: Apache-2.0
#include "store/retry.hpp"

#include <algorithm>
#include <cstring>

#include "stile/abi.h"

namespace stile::store {

Duration Backoff::pause(int sends, double chance, Duration hint) const {
  Duration step = first;
  for (int i = 1; i < sends && step < most; ++i) step *= 2;
  step = std::min(step, most);
  auto drawn = static_cast<Duration::rep>(static_cast<double>(step.count()) * (0.5 + chance / 2));
  return std::max(Duration(std::max<Duration::rep>(drawn, 1)), std::min(hint, most));
}

double chance() {
  // xorshift64*, seeded once a thread from the system's source.
  thread_local std::uint64_t state = [] {
    Id id = Id::random();
    std::uint64_t seed;
    std::memcpy(&seed, id.bytes.data(), sizeof(seed));
    return seed | 1;
  }();
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return static_cast<double>((state * 0x2545F4914F6CDD1DULL) >> 11) * 0x1.0p-53;
}

bool worth_sending_again(std::uint32_t kind, bool force, Status status) {
  if (kind == STILE_OP_ACQUIRE && force) return false;
  switch (status) {
    case Status::unavailable:
    case Status::timed_out:
    case Status::interrupted: return true;
    case Status::unknown: return kind != STILE_OP_ADVANCE;
    default: return false;
  }
}

std::vector<std::size_t> plan_resend(std::span<const Sent> sent) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < sent.size();) {
    std::size_t end = i + 1;
    while (end < sent.size() && sent[end].after_ok) ++end;
    while (i < end && sent[i].status == Status::ok) ++i;
    if (i < end && sent[i].again)
      for (; i < end && (sent[i].again || sent[i].status == Status::skipped); ++i) places.push_back(i);
    i = end;
  }
  return places;
}

Status settle(Status last, bool doubt) {
  if (!doubt) return last;
  switch (last) {
    case Status::unavailable:
    case Status::timed_out:
    case Status::interrupted:
    case Status::skipped: return Status::unknown;
    default: return last;
  }
}

std::optional<Duration> Reconnect::closed_for(Deadline now) const {
  if (now >= not_before_) return std::nullopt;
  return std::chrono::ceil<Duration>(not_before_ - now);
}

void Reconnect::connect_failed(Deadline now, double chance) {
  ++failures_;
  not_before_ = now + backoff_.pause(failures_, chance);
}

void Reconnect::dropped(Deadline now, double chance) {
  ++failures_;
  if (failures_ > 1) not_before_ = now + backoff_.pause(failures_ - 1, chance);
}

}  // namespace stile::store
