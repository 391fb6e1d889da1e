#include "conformance/fuzz_cross.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <random>
#include <set>
#include <utility>

#include "conformance/evidence.h"
#include "conformance/random_arrays.h"
#include "harness/input_reader.h"
#include "reference/contract.h"
#include "reference/dtype.h"

namespace dlpc {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kBatch = 512;  // Arrays between looks at the clock.

Script CrossScript(const ArraySpec& spec) {
  return ScriptBuilder(spec)
      .Device()
      .Export({}, 0)
      .Inspect(0)
      .Read(0)
      .Export(WithVersion(1, 3), 1)
      .Inspect(1)
      .Read(1)
      .Build();
}

std::string SpecText(const ArraySpec& spec) {
  const View view = Resolve(spec.layout);
  return fmt::format("{}, shape {}, strides {}, offset {}{}", DTypeName(spec.dtype),
                     List(view.shape), List(view.strides), view.offset,
                     (spec.flags & kReadOnly) != 0 ? ", read-only" : "");
}

// Strides where they mean something: of axes longer than one, of arrays with elements.
std::string StridesText(const Inspected& seen) {
  const bool empty = std::count(seen.shape.begin(), seen.shape.end(), 0) > 0;
  if (TensorOf(seen).strides == nullptr) {
    return empty || seen.shape.empty() ? "-" : List(CompactStrides(seen.shape)).text() + " (NULL)";
  }
  if (empty) return "-";
  std::string text;
  for (size_t i = 0; i < seen.shape.size() && i < seen.strides.size(); ++i) {
    text += seen.shape[i] == 1 ? " *" : fmt::format(" {}", seen.strides[i]);
  }
  return text.empty() ? "-" : text.substr(1);
}

using Facts = std::map<std::string, std::string>;

void AddTensor(const Evidence& e, int nth, const std::string& path, Facts& facts) {
  if (const Raised* raised = e.refusal(nth)) {
    facts[path + ": export"] = "refused with " + raised->type;
    return;
  }
  const Exported* exported = e.As<Exported>(Op::kExport, nth);
  if (exported == nullptr) return;
  facts[path + ": export"] = exported->name;
  const Inspected* seen = e.tensor(nth);
  if (seen == nullptr) {
    facts[path + ": struct"] = e.WhyNoTensor(nth).text();
    return;
  }
  const DLTensor tensor = TensorOf(*seen);
  facts[path + ": dtype"] = DTypeName(tensor.dtype);
  facts[path + ": shape"] = List(seen->shape).text();
  facts[path + ": strides"] = StridesText(*seen);
  facts[path + ": device"] = DeviceText(tensor.device);
  const bool empty = std::count(seen->shape.begin(), seen->shape.end(), 0) > 0;
  if (empty) facts[path + ": data of an empty array"] = tensor.data == nullptr ? "NULL" : "set";
  if (seen->versioned) {
    const bool read_only = (FlagsOf(*seen) & DLPACK_FLAG_BITMASK_READ_ONLY) != 0;
    facts[path + ": flag READ_ONLY"] = read_only ? "set" : "not set";
    const bool copied = (FlagsOf(*seen) & DLPACK_FLAG_BITMASK_IS_COPIED) != 0;
    facts[path + ": flag IS_COPIED"] = copied ? "set" : "not set";
  }
  const Elements* elements = e.As<Elements>(Op::kRead, nth);
  if (elements == nullptr) return;
  std::string hex;
  for (const char c : elements->bytes.substr(0, 64)) {
    hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  }
  facts[path + ": elements"] = fmt::format("{} bytes {}", elements->bytes.size(), hex);
}

// What one producer says of the array; empty: it cannot make it.
Facts FactsOf(const Script& script, const Outcome& outcome) {
  Facts facts;
  if (outcome.kind != Outcome::Kind::kTrace) {
    if (outcome.kind != Outcome::Kind::kError) facts["the process"] = outcome.text;
    return facts;
  }
  const Evidence e(script, outcome.trace);
  if (e.made() == nullptr) return facts;
  const auto device = AnsweredDevice(e);
  facts["device query"] = device ? DeviceText(*device) : e.Text(Op::kDevice).text();
  AddTensor(e, 0, "legacy", facts);
  AddTensor(e, 1, "versioned", facts);
  return facts;
}

class Comparison {
 public:
  void Add(const ArraySpec& spec, const std::vector<std::pair<std::string, Facts>>& said) {
    std::set<std::string> fields;
    for (const auto& [name, facts] : said) {
      for (const auto& [field, value] : facts) fields.insert(field);
    }
    for (const std::string& field : fields) {
      Disagreement d;
      d.field = field;
      for (const auto& [name, facts] : said) {
        const auto it = facts.find(field);
        if (it != facts.end()) d.say[it->second].push_back(name);
      }
      if (d.say.size() < 2) continue;
      d.array = SpecText(spec);
      d.size = Size(spec);
      Keep(std::move(d));
    }
  }

  std::vector<Disagreement> Take() {
    std::vector<Disagreement> all, list;
    for (auto& [key, d] : kept_) all.push_back(std::move(d));
    // Those of most producers first: an array that somebody could not make tells nothing more.
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
      return Parties(a).size() > Parties(b).size();
    });
    for (Disagreement& d : all) {
      const auto same = std::find_if(list.begin(), list.end(), [&](const Disagreement& more) {
        return more.field == d.field && IsPartOf(d, more);
      });
      if (same == list.end()) {
        list.push_back(std::move(d));
      } else {
        same->count += d.count;
      }
    }
    std::stable_sort(list.begin(), list.end(),
                     [](const auto& a, const auto& b) { return a.count > b.count; });
    return list;
  }

 private:
  static int64_t Size(const ArraySpec& spec) {
    int64_t size = spec.flags + (spec.dtype == DLDataType{kDLFloat, 32, 1} ? 0 : 1);
    for (const Axis& axis : spec.layout.axes) {
      size += 4 + axis.extent + axis.count + axis.start + (axis.step == 1 ? 0 : 2);
    }
    return size + static_cast<int64_t>(spec.layout.perm.size());
  }

  // Producer -> number of its party.
  static std::map<std::string, size_t> Parties(const Disagreement& d) {
    std::map<std::string, size_t> parties;
    size_t number = 0;
    for (const auto& [value, names] : d.say) {
      for (const std::string& name : names) parties[name] = number;
      ++number;
    }
    return parties;
  }

  // Do the producers of `less` stand in `more` as they do there?
  static bool IsPartOf(const Disagreement& less, const Disagreement& more) {
    const auto part = Parties(less), whole = Parties(more);
    for (const auto& [a, party_a] : part) {
      for (const auto& [b, party_b] : part) {
        const auto in_a = whole.find(a), in_b = whole.find(b);
        if (in_a == whole.end() || in_b == whole.end()) return false;
        if ((party_a == party_b) != (in_a->second == in_b->second)) return false;
      }
    }
    return true;
  }

  // Who stands together decides what falls together; the smallest array is shown.
  void Keep(Disagreement d) {
    std::set<std::string> parties;
    for (const auto& [value, names] : d.say) {
      parties.insert(fmt::format("{}", fmt::join(names, "+")));
    }
    const std::string key = fmt::format("{}|{}", d.field, fmt::join(parties, "|"));
    const auto it = kept_.find(key);
    if (it == kept_.end()) {
      kept_.emplace(key, std::move(d));
      return;
    }
    const uint64_t count = it->second.count + 1;
    if (d.size < it->second.size) it->second = std::move(d);
    it->second.count = count;
  }

  std::map<std::string, Disagreement> kept_;
};

std::vector<Script> RandomScripts(std::mt19937_64& random) {
  static const std::vector<DLDataType> dtypes = AllDTypes();
  std::vector<Script> scripts;
  std::array<uint64_t, 8> words{};
  for (size_t i = 0; i < kBatch; ++i) {
    for (uint64_t& word : words) word = random();
    InputReader reader({reinterpret_cast<const uint8_t*>(words.data()), sizeof words});
    ArraySpec spec;
    spec.dtype = TakeDType(reader, dtypes, spec.dtype);
    spec.layout = TakeLayout(reader);
    if (reader.Take<uint8_t>() % 8 == 7) spec.flags = kReadOnly;
    Normalize(spec);
    scripts.push_back(CrossScript(spec));
  }
  return scripts;
}

}  // namespace

Expected<CrossReport> CrossFuzz(const std::vector<CrossProducer>& producers,
                                const EngineOptions& options, double seconds, uint64_t seed,
                                uint64_t most_arrays) {
  std::vector<std::unique_ptr<Engine>> engines;
  for (const CrossProducer& producer : producers) {
    engines.push_back(std::make_unique<Engine>(producer.host, options));
    if (auto claims = engines.back()->Start(); !claims) {
      return Error{producer.name + ": " + claims.error().message};
    }
  }
  const Clock::time_point start = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  std::mt19937_64 random(seed);
  CrossReport report;
  Comparison comparison;
  while (elapsed() < seconds && (most_arrays == 0 || report.arrays < most_arrays)) {
    const std::vector<Script> scripts = RandomScripts(random);
    std::vector<const Script*> list;
    for (const Script& script : scripts) list.push_back(&script);
    std::vector<std::vector<std::pair<std::string, Facts>>> said(scripts.size());
    for (size_t p = 0; p < producers.size(); ++p) {
      const std::vector<Outcome> outcomes = engines[p]->Run(list, {});
      for (size_t i = 0; i < scripts.size(); ++i) {
        Facts facts = FactsOf(scripts[i], outcomes[i]);
        if (facts.empty()) continue;
        ++report.made[producers[p].name];
        said[i].emplace_back(producers[p].name, std::move(facts));
      }
    }
    for (size_t i = 0; i < scripts.size(); ++i) comparison.Add(scripts[i].specs[0], said[i]);
    report.arrays += scripts.size();
  }
  report.seconds = elapsed();
  report.disagreements = comparison.Take();
  return report;
}

std::string CrossText(const CrossReport& report) {
  std::string text;
  for (const Disagreement& d : report.disagreements) {
    text += fmt::format("{} ({} arrays), e.g. {}\n", d.field, d.count, d.array);
    for (const auto& [value, names] : d.say) {
      text += fmt::format("  {}: {}\n", fmt::join(names, ", "), value);
    }
  }
  text += fmt::format("{} arrays in {:.1f} s, {} kinds of disagreement; made:", report.arrays,
                      report.seconds, report.disagreements.size());
  for (const auto& [name, count] : report.made) text += fmt::format(" {} {}", name, count);
  return text + "\n";
}

}  // namespace dlpc
