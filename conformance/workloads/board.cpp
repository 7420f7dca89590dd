// Fences and receipts in shared memory, behind a lock that works between processes.
//
// SPDX-License-Identifier: Apache-2.0
#include "workloads/board.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <new>
#include <system_error>
#include <thread>

namespace stile::conformance::workloads {
namespace {

constexpr std::size_t most_workflows = 64, most_fences = 4, most_cards = 12, most_receipt = 1024;  // D2
constexpr std::chrono::seconds for_the_others{20};

}  // namespace

struct Board::Shared {
  struct Grants {
    std::array<Fence, most_fences> latest;
    unsigned count = 0;
  };

  struct Slot {
    unsigned workflow = 0;
    std::uint32_t length = 0;
    Fence fence;
    std::array<char, most_receipt> receipt;
  };

  std::atomic<bool> locked{false};
  std::atomic<unsigned> here{0};
  std::array<Grants, most_workflows> grants;
  std::array<Slot, most_cards> cards;
  unsigned card_count = 0;

  template <class Body>
  void guarded(Body&& body) {
    while (locked.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
    body();
    locked.store(false, std::memory_order_release);
  }
};

Board::Board() {
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  shared_ = new (memory) Shared;
}

Board::~Board() {
  shared_->~Shared();
  munmap(shared_, sizeof(Shared));
}

void Board::keep(unsigned workflow, const Fence& fence) {
  shared_->guarded([&] {
    Shared::Grants& grants = shared_->grants.at(workflow);
    grants.latest[grants.count++ % most_fences] = fence;
  });
}

std::optional<Fence> Board::fence(unsigned workflow, std::mt19937_64& random) {
  unsigned back = random() % 3 == 0 ? static_cast<unsigned>(random() % most_fences) : 0;
  std::optional<Fence> found;
  shared_->guarded([&] {
    const Shared::Grants& grants = shared_->grants.at(workflow);
    if (back < grants.count) found = grants.latest[(grants.count - 1 - back) % most_fences];
  });
  return found;
}

void Board::keep(const Card& card) {
  if (card.receipt.size() > most_receipt) return;
  shared_->guarded([&] {
    Shared::Slot& slot = shared_->cards[shared_->card_count++ % most_cards];
    slot.workflow = card.workflow;
    slot.fence = card.fence;
    slot.length = static_cast<std::uint32_t>(card.receipt.size());
    std::memcpy(slot.receipt.data(), card.receipt.data(), card.receipt.size());
  });
}

std::optional<Card> Board::card(std::mt19937_64& random) {
  auto back = static_cast<unsigned>(random() % most_cards);
  std::optional<Card> found;
  shared_->guarded([&] {
    if (back >= shared_->card_count) return;
    const Shared::Slot& slot = shared_->cards[(shared_->card_count - 1 - back) % most_cards];
    found = Card{slot.workflow, slot.fence, std::string(slot.receipt.data(), slot.length)};
  });
  return found;
}

void Board::meet(unsigned everybody) {
  // Bounded: one who died on the way must not keep the others.
  auto until = std::chrono::steady_clock::now() + for_the_others;
  ++shared_->here;
  while (shared_->here < everybody && std::chrono::steady_clock::now() < until) std::this_thread::yield();
}

}  // namespace stile::conformance::workloads
