// Operations on their way: those of one partition go together as one script, all partitions in one flight.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "server.hpp"
#include "store.hpp"

namespace stile::redis {

class Batch {
 public:
  Batch(Store& store, Borrowed& at, std::span<stile_op* const> ops, bool prepared, sdk::Entropy& entropy)
      : store_(store), at_(at), ops_(ops), prepared_(prepared), entropy_(entropy) {}

  /// May this one be done, as far as can be said before the one it is chained to is? If not, it is answered.
  bool admit(std::size_t i);
  /// Takes in one that is done in one partition. Sends what stands before it where it must know how that ended.
  void add(std::size_t i);
  /// Sends everything and answers it.
  void flush();

 private:
  struct Part {
    std::uint32_t partition = 0;
    std::uint32_t rooms = 0;
    std::vector<std::size_t> ops;
    Operations operations;
  };

  bool pending(std::size_t i) const { return ops_[i]->status == STILE_UNSET; }
  Part& part_of(std::uint32_t partition);
  void take_in_receive(Part& part, std::size_t i, bool follows);
  void take_in(Part& part, std::size_t i, bool follows);
  void drain(const Part& part, const Fault& fault);
  void send_drained(Part& alone, stile_op& op);
  void answer(const Part& part, const Reply& reply);
  void wait_for_replicas(std::span<const Part> parts, std::span<const OwnedReply> replies);
  void answer_all(const Part& part, std::int32_t status, std::string_view text, std::string_view native = {});

  Store& store_;
  Borrowed& at_;
  std::span<stile_op* const> ops_;
  const bool prepared_;
  sdk::Entropy& entropy_;
  std::vector<Part> parts_;
  std::string unreplicated_;  ///< why too few replicas have what the last flush wrote; empty = enough have
};

}  // namespace stile::redis
