// Where the cells of one state are played: every cell has a workflow and a queue of its own, brought to the state by
// the same script, side by side, so that they share its waits.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/trial.hpp"

namespace stile::conformance::model {

/// What a workflow or a document has been given so far: the current tokens and those before.
struct Tokens {
  std::vector<std::string> fences, receipts, versions;
  std::vector<json::object> writes;  ///< with their op_id
};

class Stage {
 public:
  explicit Stage(Trial& trial) : trial_(trial) {}

  Trial& trial() { return trial_; }
  const World& world() const { return trial_.world(); }
  const std::vector<EffectText>& effects() const { return trial_.effects(); }
  const Workflow* find(const std::string& id) const;
  const Tokens& tokens(const std::string& id) const;

  /// The current fence or receipt of a workflow, if it has one; an earlier one, if there was any.
  std::optional<std::string> fence(const std::string& id) const;
  std::optional<std::string> older_fence(const std::string& id) const;
  std::optional<std::string> receipt(const std::string& id) const;
  std::optional<std::string> older_receipt(const std::string& id) const;
  /// The same for the version of a document.
  std::optional<std::string> version(const std::string& key) const;
  std::optional<std::string> older_version(const std::string& key) const;

  /// Says one request for each of some workflows, in batches, and notes what they were given.
  void say(const std::vector<std::pair<std::string, json::object>>& requests, std::vector<Differs>& found);

 private:
  void note(const std::string& id, const json::object& request, const json::object& answer);

  Trial& trial_;
  std::map<std::string, Tokens> tokens_;
};

/// Makes the request of a step or a cell for one workflow; nothing where it makes no sense.
using Make = std::function<std::optional<json::object>(const Stage&, const std::string& id)>;

/// One step of the script that leads to a state, and how much time passes after it.
struct Step {
  Make make;
  Time then_pass = 0;
};

/// What a state is a state of, and so which cells there are in it.
enum class Of { document, checkpoint, wakeup };

struct State {
  std::string name;
  std::string ids;  ///< the promises that make the state what it is
  std::vector<Step> steps;
  std::vector<std::string> needs;  ///< capabilities
  bool trims = false;              ///< ends with a trim of everything
  Of of = Of::wakeup;
};

/// One row of the cell table: an operation with a kind of receipt and fence.
struct Cell {
  std::string name;
  Make make;
};

/// Every state: of workflows, then of documents.
const std::vector<State>& states();
const std::vector<Cell>& cells(Of of);

std::vector<State> document_states();
std::vector<Cell> document_cells();

/// A request as the name of a cell.
std::string name_of(const json::object& request);
/// A request for one workflow or key: "$id" stands for it, also as the name of its queue.
json::object filled(const json::object& request, const std::string& id);
/// The cells that send the last writes of a script again (R1), and their op_ids with another operation of the same
/// slot.
void add_again(std::vector<Cell>& out);

}  // namespace stile::conformance::model
