#include "conformance/repro/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "conformance/causes.h"
#include "conformance/evidence.h"
#include "conformance/repro/spec_text.h"
#include "reference/dtype.h"

namespace dlpc {
namespace {

std::string Triple(DLDataType t) { return fmt::format("({}, {}, {})", t.code, t.bits, t.lanes); }

std::string Pack(const std::string& elements, size_t bits) {
  std::string packed((elements.size() * bits + 7) / 8, '\0');
  for (size_t i = 0; i < elements.size() * bits; ++i) {
    const int bit = static_cast<unsigned char>(elements[i / bits]) >> (i % bits) & 1;
    packed[i / 8] = static_cast<char>(packed[i / 8] | bit << (i % 8));
  }
  return packed;
}

// The device type that stands for a kind of memory.
int32_t TypeOf(Memory memory) {
  static constexpr std::pair<Memory, int32_t> kTypes[] = {
      {Memory::kCuda, 2},        {Memory::kCudaPinned, 3}, {Memory::kRocm, 10},
      {Memory::kRocmPinned, 11}, {Memory::kOneApi, 14},    {Memory::kOneApiPinned, 14},
      {Memory::kTpu, 19},        {Memory::kTpuPinned, 20},
  };
  for (const auto& [kind, type] : kTypes) {
    if (kind == memory) return type;
  }
  return 1;
}

// The numbers in "query: kDLTPUHost 20 0"; None for a refusal.
std::string PairIn(const std::string& text) {
  int32_t type = 0, id = 0;
  const size_t name = text.find("kDL");
  if (name == std::string::npos || std::sscanf(text.c_str() + name, "%*s %d %d", &type, &id) != 2) {
    return "None";
  }
  return fmt::format("({}, {})", type, id);
}

void AddArrayFacts(const Evidence& e, Facts& facts) {
  const ArraySpec& spec = e.spec();
  const Extents* shape = e.OwnShape();
  facts["shape"] = shape ? TupleText(*shape) : "inspect0.shape";
  facts["dtype"] = Triple(spec.dtype);
  facts["item"] = std::to_string(ElementBytes(spec.dtype));
  facts["since"] = std::to_string(CodeSinceMinor(spec.dtype.code).value_or(0));
  facts["packed"] = BytesText(Pack(PatternValues(spec), spec.dtype.bits));
  const Made* made = e.made();
  const bool given = made != nullptr && made->given && e.OwnValues() != nullptr;
  facts["values"] = BytesText(given ? *e.OwnValues() : PatternValues(spec));
  facts["type"] = std::to_string(TypeOf(spec.memory));
  facts["readonly"] = made != nullptr && made->read_only.value_or(false) ? "True" : "False";
  facts["label"] = "None";
  if (made != nullptr && made->device) {
    facts["label"] = fmt::format("({}, {})", static_cast<int32_t>(made->device->device_type),
                                 made->device->device_id);
  }
}

void AddRequestFacts(const Evidence& e, Facts& facts) {
  const Request& request = e.RequestOf();
  facts["asked"] = request.device == Arg::kOwn
                       ? "place(device0)"
                       : fmt::format("({}, {})", int32_t{request.dl_device.device_type},
                                     request.dl_device.device_id);
  facts["major"] = std::to_string(request.max_version.major);
  facts["neighbour"] = request.max_version.major > 1 ? "2" : "1";
}

// What only the steps can tell.
void AddStepFacts(const Script& script, const std::vector<ReproStep>& steps, Facts& facts) {
  std::string calls;
  std::vector<int> slots(kExportSlots, 0);
  int exports = 0;
  for (size_t i = 0; i < script.steps.size(); ++i) {
    const Step& s = script.steps[i];
    if (s.op == Op::kExport) slots[s.e] = exports++;
    if (s.op == Op::kDeleterCalls && facts.count("e") == 0) facts["e"] = std::to_string(slots[s.e]);
    const bool many =
        s.op == Op::kExportMany || s.op == Op::kConsumeMany || s.op == Op::kReleaseTogether;
    if (many || s.op == Op::kTableBorrow) facts["many"] = std::to_string(std::max(s.n, 1u));
    const bool call = s.op == Op::kTableExport || s.op == Op::kTableBorrow ||
                      s.op == Op::kTableStream || s.op == Op::kTableImport;
    if (call && !steps[i].names.empty()) calls += steps[i].names[0] + ", ";
    if (s.op == Op::kTableAllocate && facts.count("made_dtype") == 0) {
      const ArraySpec& spec = script.specs[s.spec];
      facts["made_dtype"] = Triple(spec.dtype);
      facts["made_shape"] = TupleText(Resolve(spec.layout).shape);
    }
  }
  facts["calls"] = calls;
}

// As a Python tuple.
std::string WordsText(const Evidence& e) {
  const Made* made = e.As<Made>(Op::kMakeRefusal);
  std::string name = made == nullptr ? "" : made->description, text;
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const std::string_view word : CauseWords(name)) text += StringText(word) + ", ";
  return "(" + text + ")";
}

}  // namespace

Facts FactsOf(const ReproSubject& subject, const std::vector<ReproStep>& steps) {
  const Evidence e(*subject.script, subject.outcome->trace, subject.claims);
  Facts facts;
  if (!subject.script->specs.empty()) AddArrayFacts(e, facts);
  AddRequestFacts(e, facts);
  AddStepFacts(*subject.script, steps, facts);
  facts["minor"] = std::to_string(DLPACK_MINOR_VERSION);
  facts["leak"] = "r'0x[0-9a-fA-F]{6,}|/[\\w.-]+(/[\\w.+-]+)+|\\w+\\.(cc|cpp|cu|h|hpp|py|rs):\\d+'";
  const std::string& expected = subject.result->expected;
  facts["map"] = PairIn(expected);
  facts["map_seen"] = expected.starts_with("query") ? "place(device0)" : "place(inspect0)";
  facts["table_text"] = StringText(expected);
  facts["words"] = WordsText(e);
  return facts;
}

}  // namespace dlpc
