// Finding the text of a mutant, and writing the switch in its place.
//
// SPDX-License-Identifier: Apache-2.0
#include "mutants/sites.hpp"

#include <algorithm>
#include <stdexcept>

namespace stile::conformance::mutants {
namespace {

/// A text without blanks, so that how it is laid out does not matter, and where each of its characters came from.
struct Squeezed {
  std::string text;
  std::vector<std::size_t> places;

  explicit Squeezed(std::string_view from) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (from[i] == ' ' || from[i] == '\t' || from[i] == '\n' || from[i] == '\r') continue;
      text += from[i];
      places.push_back(i);
    }
  }
};

struct Site {
  std::size_t begin = 0, end = 0;
  Numbered what;
};

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// Where the one occurrence of part is. `what` and `where` are for the complaint.
std::size_t only_place(const Mutant& mutant, std::string_view text, std::string_view part, const std::string& what,
                       const std::string& where) {
  const std::size_t count = count_of(text, part);
  if (count == 1) return text.find(part);
  throw std::runtime_error("mutant " + mutant.name + ": its `" + what + "` occurs " + std::to_string(count) +
                           " times in " + where + ", not once");
}

Site find_site(const Squeezed& source, const Numbered& one) {
  const Mutant& mutant = *one.mutant;
  std::string_view part = source.text;
  std::size_t begin = 0;
  std::string where = one.change->file;
  if (!one.change->in.empty()) {
    const Squeezed in(one.change->in);
    begin = only_place(mutant, part, in.text, "in", where);
    part = part.substr(begin, in.text.size());
    where = "the `in` of it in " + where;
  }
  const Squeezed was(one.change->was);
  begin += only_place(mutant, part, was.text, "was", where);
  return {source.places[begin], source.places[begin + was.text.size() - 1] + 1, one};
}

class Writer {
 public:
  Writer(std::string_view source, std::vector<Site> sites) : source_(source), sites_(std::move(sites)) {
    std::stable_sort(sites_.begin(), sites_.end(), [](const Site& a, const Site& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
  }

  std::string write() { return part(0, source_.size()); }

 private:
  /// The source from begin to end, with the switches of the sites in it that were not yet written.
  std::string part(std::size_t begin, std::size_t end) {
    std::string out;
    while (next_ < sites_.size() && sites_[next_].begin < end) {
      const Site site = sites_[next_++];
      if (site.end > end)
        throw std::runtime_error("mutant " + site.what.mutant->name + ": its text overlaps that of another");
      out += source_.substr(begin, site.begin - begin);
      out += switch_at(site);
      begin = site.end;
    }
    return out += source_.substr(begin, end - begin);
  }

  std::string switch_at(const Site& site) {
    const Change& change = *site.what.change;
    const std::string on = "stile_mutant(" + std::to_string(site.what.number) + ")";
    const std::string was = part(site.begin, site.end);
    if (change.was.ends_with(';') || change.was.ends_with('}'))
      return "if (" + on + ") { " + change.now + " } else { " + was + " }";
    if (change.now.empty())
      throw std::runtime_error("mutant " + site.what.mutant->name + ": an expression cannot become nothing");
    return "(" + on + " ? (" + change.now + ") : (" + was + "))";
  }

  std::string_view source_;
  std::vector<Site> sites_;
  std::size_t next_ = 0;
};

}  // namespace

std::string with_switches(std::string_view source, const std::vector<Numbered>& changes) {
  const Squeezed squeezed(source);
  std::vector<Site> sites;
  for (const Numbered& one : changes) sites.push_back(find_site(squeezed, one));
  return Writer(source, std::move(sites)).write();
}

}  // namespace stile::conformance::mutants
