#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "harness/report.h"
#include "harness/report/testing_sample.h"

namespace dlpc {
namespace {

using testing::HasSubstr;

constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

const Raised kRaised{
    "BufferError", {"BufferError", "Exception"}, "text \"quoted\"\n\xF0\x9F\x98\x80"};

Inspected FullInspected() {
  Inspected x;
  x.versioned = true;
  for (size_t i = 0; i < x.raw.size(); ++i) x.raw[i] = static_cast<uint8_t>(i * 7 + 200);
  x.shape = {2, -3, kMin};
  x.strides = {std::numeric_limits<int64_t>::max()};
  x.shape_readable = true;
  x.deleter_executable = true;
  return x;
}

Made FullMade() {
  Made x;
  x.given = true;
  x.description = std::string("nul \0 inside", 12);
  x.pointer = kMax;
  x.read_only = false;
  x.device = DLDevice{static_cast<DLDeviceType>(-5), 7};
  x.shape = Extents{};
  x.allocation = {kMax, 1};
  x.values = std::string("\0\xff", 2);
  return x;
}

TableSeen FullTable() {
  TableSeen x;
  x.on_type = TableForm::kTable;
  x.on_instance = TableForm::kOtherName;
  x.on_subclass = TableForm::kMissing;
  x.old_name = x.readable = true;
  x.found = "a capsule";
  x.address = kMax;
  x.major = 1;
  x.minor = 3;
  x.chain = {0, -1};
  x.chain_ends = false;
  x.functions = {CodeIn::kFile, CodeIn::kAnonymous, CodeIn::kNoCode, CodeIn::kNull, CodeIn::kFile};
  return x;
}

TableCall FullCall() {
  TableCall x;
  x.code = -1;
  x.threw = x.out_written = x.same_type = true;
  x.raised = kRaised;
  x.out = kMax;
  x.set_errors = 2;
  x.error = "BufferError: y";
  x.tensor = FullInspected();
  x.writable = false;
  x.made = FullMade();
  x.heap_growth = kMin;
  return x;
}

// Every alternative, with every field off its default; and the optional ones absent too.
TableCall SampleCall() {
  TableCall call;
  call.code = -1;
  call.threw = call.out_written = call.same_type = true;
  call.raised = kRaised;
  call.out = 0x5000;
  call.set_errors = 2;
  call.error = "BufferError: y";
  call.tensor = Inspected{};
  call.writable = false;
  call.made = Made{};
  call.heap_growth = -8;
  return call;
}

std::vector<Observation> Everything() {
  return {
      NotPerformed{"no export"},
      Done{},
      Unsupported{"no bfloat16"},
      AdapterFault{"KeyError"},
      kRaised,
      FullMade(),
      Made{},
      Probed{true, false, true, false},
      Probed{false, true, false, true},
      DeviceAnswer{true, -2, Item::kEnum, Item::kIndexable, kMin, -1, "(<D.CPU: 1>, 0)", 100, 3},
      DeviceAnswer{false, 0, Item::kNone, Item::kOther, 1, 2, "", 1, 0},
      DeviceAnswer{false, 0, Item::kInt, Item::kMissing, 1, 2, "", 1, 0},
      Exported{true, "PyCapsule", "dltensor", kMax, 0x7fff'1234, true, true, -1},
      FullInspected(),
      Inspected{},
      Elements{1, 2, kMax, false, std::string("\0\x80\xff hex", 7)},
      Dropped{true, false, true, "ValueError"},
      Dropped{false, true, false, ""},
      Counted{kMin, false},
      Many{9, 8, 7, 6, 5, 4, {"a", "b"}, kRaised, 4096, -7},
      FullTable(),
      TableSeen{},
      FullCall(),
      TableCall{},
      Ended{1, "SIGSEGV"},
      Many{},
      TableSeen{TableForm::kTable,
                TableForm::kOtherName,
                TableForm::kMissing,
                true,
                "a capsule",
                kMax,
                true,
                1,
                3,
                {0, -1},
                false,
                {CodeIn::kFile, CodeIn::kAnonymous, CodeIn::kNoCode, CodeIn::kNull, CodeIn::kFile}},
      TableSeen{},
      SampleCall(),
      TableCall{}};
}

std::string Wire(const Trace& trace) {
  std::string out;
  EncodeTrace(trace, out);
  return out;
}

Script SampleScript() {
  return ScriptBuilder(ArraySpec{}).Export(WithVersion(1, 3)).Inspect().Read().Build();
}

std::string Line(const Script& script, const Outcome& outcome) {
  return TracesJsonl({{"name", &script, &outcome}});
}

TEST(Traces, EveryAlternativeComesBack) {
  Outcome outcome;
  outcome.kind = Outcome::Kind::kTrace;
  outcome.trace.steps = Everything();
  outcome.trace.duration_us = 77;
  std::vector<bool> seen(std::variant_size_v<Observation>);
  for (const Observation& o : outcome.trace.steps) seen[o.index()] = true;
  ASSERT_THAT(seen, testing::Each(true));

  const auto trace = TraceFromJson(Line(SampleScript(), outcome));
  ASSERT_TRUE(trace) << trace.error().message;
  ASSERT_EQ(trace->steps.size(), outcome.trace.steps.size());
  for (size_t i = 0; i < trace->steps.size(); ++i) {
    EXPECT_EQ(Wire({{trace->steps[i]}, 0}), Wire({{outcome.trace.steps[i]}, 0})) << "step " << i;
  }
  EXPECT_EQ(trace->duration_us, 77U);
}

TEST(Traces, ScriptAndOutcomeComeBack) {
  const Script script = SampleScript();
  for (const auto kind : {Outcome::Kind::kTrace, Outcome::Kind::kCrash, Outcome::Kind::kTimeout,
                          Outcome::Kind::kError}) {
    Outcome outcome;
    outcome.kind = kind;
    outcome.step = 2;
    outcome.text = "SIGSEGV in step 2 (export)";
    outcome.stderr_tail = "free(): invalid pointer";
    const auto stored = StoredOutcomeFromJson(Line(script, outcome));
    ASSERT_TRUE(stored) << stored.error().message;
    EXPECT_EQ(stored->name, "name");
    EXPECT_EQ(EncodeScript(stored->script), EncodeScript(script));
    EXPECT_EQ(stored->outcome.kind, kind);
    EXPECT_EQ(stored->outcome.step, 2U);
    EXPECT_EQ(stored->outcome.text, outcome.text);
    EXPECT_EQ(stored->outcome.stderr_tail, outcome.stderr_tail);
  }
}

TEST(Traces, OneLinePerScriptWithItsSteps) {
  const Script script = SampleScript();
  Outcome outcome;
  outcome.text = HostileText();
  const std::string lines = TracesJsonl({{"a", &script, &outcome}, {"b\n", &script, nullptr}});
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 2);
  const auto json = nlohmann::json::parse(lines.substr(0, lines.find('\n')));
  EXPECT_EQ(json["steps"].get<std::vector<std::string>>(), ScriptText(script));
  EXPECT_EQ(json["outcome"], "error");
}

TEST(Traces, DamagedLinesAreErrors) {
  Outcome outcome;
  outcome.kind = Outcome::Kind::kTrace;
  outcome.trace.steps = Everything();
  const std::string good = Line(SampleScript(), outcome);
  const auto damage = [&](std::string_view from, std::string_view to) {
    std::string bad = good;
    const size_t at = bad.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    bad.replace(at, from.size(), to);
    const auto trace = TraceFromJson(bad);
    EXPECT_FALSE(trace) << to;
    return trace ? std::string() : trace.error().message;
  };
  EXPECT_THAT(damage(R"("type":"raised")", R"("type":"razed")"), HasSubstr("razed"));
  EXPECT_THAT(damage(R"("class":"BufferError")", R"("class":7)"), HasSubstr("'class'"));
  EXPECT_THAT(damage(R"("calls":100)", R"("calls":5000000000)"), HasSubstr("'calls'"));
  EXPECT_THAT(damage(R"("calls":100)", R"("calls":-1)"), HasSubstr("'calls'"));
  EXPECT_THAT(damage(R"("has_destructor":true)", R"("x":true)"), HasSubstr("'has_destructor'"));
  EXPECT_THAT(damage(R"("type_kind":"enum")", R"("type_kind":"enumm")"), HasSubstr("'type_kind'"));
  EXPECT_THAT(damage(R"("raw":")", R"("raw":"zz)"), HasSubstr("'raw'"));
  EXPECT_THAT(damage(R"("raw":")", R"("raw":"00)"), HasSubstr("'raw'"));
  EXPECT_THAT(damage(R"("outcome":"trace")", R"("outcome":"?")"), HasSubstr("unknown outcome"));
  EXPECT_THAT(damage(R"("observations":[)", R"("observations":7,"x":[)"), HasSubstr("no array"));
  EXPECT_THAT(damage("{", "["), HasSubstr("JSON"));
}

}  // namespace
}  // namespace dlpc
