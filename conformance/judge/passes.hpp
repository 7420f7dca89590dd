// The linear passes: contradictions that can be seen without searching, each with the promise that it breaks.
//
// Every pass is a function of the whole history; it costs time in proportion to it (sorting apart), and is silent where
// the history does not decide. "Before" means answered before the other was asked.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "judge/index.hpp"
#include "judge/judge.hpp"
#include "judge/verdict.hpp"

namespace stile::conformance::judge {

/// What passes know, and where they report.
class Court {
 public:
  Court(const Index& in, const Calibration& time, const Options& how) : index(in), clock(time), options(how) {}

  const Index& index;
  const Calibration& clock;
  const Options& options;

  void find(const char* ids, std::string what, Finding::Of of, Text subject,
            std::initializer_list<std::uint32_t> events) {
    std::size_t count = ++counts_[ids];
    if (count > options.most_findings) return;
    Finding finding{ids, std::move(what), subject, of, events};
    std::sort(finding.events.begin(), finding.events.end());
    finding.events.erase(std::unique(finding.events.begin(), finding.events.end()), finding.events.end());
    findings.push_back(std::move(finding));
  }
  void find(const char* ids, std::string what, const Group& group, std::initializer_list<std::uint32_t> events) {
    find(ids, std::move(what), Finding::Of::workflow, group.subject, events);
  }

  const Event& event(std::uint32_t number) const { return index.history().events[number]; }
  std::string name(Text text) const { return "\"" + std::string(index.history().names[text]) + "\""; }
  const std::map<std::string, std::size_t>& counts() const { return counts_; }

  std::vector<Finding> findings;
  std::vector<std::uint32_t> patient;  ///< receives that waited for long and came back empty

 private:
  std::map<std::string, std::size_t> counts_;  ///< by ids, those not kept included
};

/// Goes through marks in the order they were asked; before each, `past` was given all that had been answered by then.
template <class Past, class Now>
void sweep(const Court& court, const std::vector<Mark>& marks, Past past, Now now) {
  std::vector<const Mark*> ended;
  for (const Mark& mark : marks)
    if (court.event(mark.event).end < never) ended.push_back(&mark);
  std::stable_sort(ended.begin(), ended.end(),
                   [&](auto* a, auto* b) { return court.event(a->event).end < court.event(b->event).end; });
  std::size_t next = 0;
  for (const Mark& mark : marks) {
    for (; next < ended.size() && court.event(ended[next]->event).end < court.event(mark.event).invoke; ++next)
      past(*ended[next]);
    now(mark);
  }
}

// Of one workflow.
void pass_fences(Court& court,
                 const Group& group);  ///< A1: rising and distinct. A4, A8: nothing lands under an old one
void pass_leases(Court& court, const Group& group);      ///< A2: no two live at once, by the store's clock
void pass_deliveries(Court& court, const Group& group);  ///< D1, D4: no two live at once
void pass_receipts(Court& court, const Group& group);    ///< D2: only the newest works. D6: it answers once. C2
void pass_wakeups(Court& court, const Group& group);  ///< C1: none after cancel. W2: no more than causes. W1: none lost
void pass_records(Court& court, const Group& group);  ///< B1, B5: what a position holds never changes
void pass_pages(Court& court, const Group& group);    ///< B3: order without gaps. B4: nobody late. B12: nothing lost
void pass_writers(Court& court, const Group& group);  ///< B2, R2, E2: who wrote what is there
void pass_inbox(Court& court, const Group& group);    ///< I1, I3
void pass_resends(Court& court, const Group& group);  ///< R1: the same op_id, the same answer

// Of the whole history.
void pass_batches(Court& court);    ///< D10, D2: what one receive hands out, and receipts that nobody gave
void pass_trim(Court& court);       ///< T1: no more went than was finished
void pass_watches(Court& court);    ///< B14: a watch tells of what was there
void pass_order(Court& court);      ///< W7: a backlog that one caller takes comes earliest first
void pass_figures(Court& court);    ///< S4: stats and list, when nothing changes any more
void pass_documents(Court& court);  ///< K1, K2: one winner. K4: nothing expired. K7: pages in order
void pass_refusals(Court& court);   ///< fenced, stale, held and so on: only where the operation can be answered so

void run_passes(Court& court);

// What several passes ask.

/// The fence that an accepted operation was granted or showed; no number: none.
FenceName fence_of(const Event& event, const Told& told);
bool grants_lease(const Event& event);
bool is_delivery(const Event& event);
/// An answer: ack, snooze, nack, reject.
bool is_answer(std::uint32_t kind);
/// It may take records away, or the lease: discard; and trim, where the workflow may have been finished.
bool may_forget(const Court& court, const Group& group);
bool has_rebase(const Court& court, const Group& group);

}  // namespace stile::conformance::judge
