// Reads results.json back. The file may come from somebody else: every field is checked, and the
// first that is wrong is named.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/json.h"
#include "harness/report.h"
#include "harness/report/unicode.h"

namespace dlpc {
namespace {

// Members of one object. The first failure is kept, with its path; later reads do nothing.
class Object {
 public:
  Object(const Json& json, std::string path, std::string* error)
      : json_(json), path_(std::move(path)), error_(error) {
    if (!json.is_object()) Fail("", "is no object");
  }

  bool ok() const { return error_->empty(); }
  std::string Path(std::string_view key) const {
    return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
  }
  void Fail(std::string_view key, std::string_view what) const {
    if (!error_->empty()) return;
    *error_ = fmt::format("{} {}", key.empty() ? path_ : "'" + Path(key) + "'", what);
  }

  const Json* Find(const char* key, bool required = true) const {
    if (!ok()) return nullptr;
    const auto it = json_.find(key);
    if (it != json_.end()) return &*it;
    if (required) Fail(key, "is missing");
    return nullptr;
  }
  Object Sub(const char* key) const {
    static const Json nothing = Json::object();
    const Json* json = Find(key);
    return {json == nullptr ? nothing : *json, Path(key), error_};
  }

  void Text(const char* key, std::string& out, bool required = true) const {
    const Json* json = Find(key, required);
    if (json == nullptr) return;
    if (!json->is_string()) return Fail(key, "is no text");
    out = json->get_ref<const std::string&>();
  }
  void Text(const char* key, std::optional<std::string>& out) const {
    const Json* json = Find(key);
    if (json == nullptr || json->is_null()) return;
    Text(key, out.emplace());
  }
  template <typename T>
  void Count(const char* key, T& out) const {
    const Json* json = Find(key);
    if (json == nullptr) return;
    if (!json->is_number_unsigned() || !std::in_range<T>(json->get<uint64_t>())) {
      return Fail(key, "is no count");
    }
    out = json->get<T>();
  }
  void Number(const char* key, double& out) const {
    const Json* json = Find(key);
    if (json == nullptr) return;
    if (!json->is_number() || json->get<double>() < 0) return Fail(key, "is no number >= 0");
    out = json->get<double>();
  }
  void Bool(const char* key, bool& out) const {
    const Json* json = Find(key);
    if (json == nullptr) return;
    if (!json->is_boolean()) return Fail(key, "is neither true nor false");
    out = json->get<bool>();
  }
  /// One of the names that `name` gives to the values before `end`.
  template <typename Enum, typename Name>
  void Word(const char* key, Enum& out, Enum end, Name name) const {
    std::string word;
    Text(key, word);
    if (!ok()) return;
    for (int i = 0; i < static_cast<int>(end); ++i) {
      if (name(static_cast<Enum>(i)) == word) return void(out = static_cast<Enum>(i));
    }
    Fail(key, fmt::format("has the unknown value '{}'", OneLine(word, 40)));
  }
  void Texts(const char* key, std::vector<std::string>& out) const {
    Items(key, [&](const Json& item, const std::string& path) {
      if (!item.is_string()) return Fail("", path + " is no text");
      out.push_back(item.get_ref<const std::string&>());
    });
  }
  /// `read(json, path)` for every item of a list.
  template <typename Read>
  void Items(const char* key, Read read) const {
    const Json* json = Find(key);
    if (json == nullptr) return;
    if (!json->is_array()) return Fail(key, "is no list");
    for (size_t i = 0; i < json->size() && ok(); ++i) {
      read((*json)[i], fmt::format("{}[{}]", Path(key), i));
    }
  }
  /// `read(name, value)` for every member of an object.
  template <typename Read>
  void Members(const char* key, Read read) const {
    const Json* json = Find(key);
    if (json == nullptr) return;
    if (!json->is_object()) return Fail(key, "is no object");
    for (const auto& [name, value] : json->items()) {
      if (!ok()) return;
      read(name, value);
    }
  }

 private:
  const Json& json_;
  const std::string path_;
  std::string* const error_;
};

void ReadCounts(const Object& o, const char* key, std::map<std::string, uint32_t>& out) {
  o.Members(key, [&](const std::string& status, const Json& value) {
    if (!value.is_number_unsigned() || !std::in_range<uint32_t>(value.get<uint64_t>())) {
      return o.Fail(key, "holds something that is no count");
    }
    out[status] = value.get<uint32_t>();
  });
}

void ReadLevel(const Object& o, LevelSummary& out) {
  o.Count("requirements_failed", out.requirements_failed);
  o.Count("requirements_known", out.requirements_known);
  o.Count("requirements_error", out.requirements_error);
  o.Count("requirements_passed", out.requirements_passed);
  o.Count("requirements_untested", out.requirements_untested);
  o.Count("cases_failed", out.cases_failed);
}

CaseResult ReadCase(const Object& o) {
  CaseResult c;
  o.Text("id", c.id);
  o.Text("requirement", c.requirement);
  o.Word("level", c.level, Level{3}, LevelName);
  o.Word("status", c.status, CaseStatus::kUntested, StatusName);
  o.Text("expected", c.expected);
  o.Text("observed", c.observed);
  o.Text("remedy", c.remedy, /*required=*/false);
  o.Text("emulated", c.emulated);
  o.Text("script", c.script);
  o.Text("repro", c.repro);
  o.Text("stderr_tail", c.stderr_tail, /*required=*/false);
  o.Text("flaky", c.flaky, /*required=*/false);
  o.Count("duration_us", c.duration_us);
  return c;
}

RequirementResult ReadRequirement(const Object& o) {
  RequirementResult r;
  o.Text("id", r.id);
  o.Word("level", r.level, Level{3}, LevelName);
  o.Text("title", r.title);
  o.Text("citation", r.citation);
  o.Text("since", r.since);
  o.Text("until", r.until);
  o.Text("contested", r.contested, /*required=*/false);  // Not in the files of suite 0.1.0.
  o.Text("remedy", r.remedy);
  o.Word("status", r.status, CaseStatus{static_cast<int>(CaseStatus::kUntested) + 1}, StatusName);
  ReadCounts(o, "counts", r.counts);
  return r;
}

void ReadHead(const Object& o, RunResult& result) {
  const Object suite = o.Sub("suite");
  suite.Text("version", result.suite_version);
  suite.Text("catalogue_sha256", result.catalogue_sha256);
  const Object spec = o.Sub("spec");
  spec.Text("dlpack", result.dlpack);
  spec.Text("array_api", result.array_api);
  const Object producer = o.Sub("producer");
  producer.Text("name", result.producer.producer);
  producer.Text("version", result.producer.version);
  producer.Text("kind", result.producer.kind);
  producer.Text("interpreter", result.producer.interpreter);
  producer.Text("adapter", result.producer.adapter);
  o.Members("environment", [&](const std::string& name, const Json& value) {
    if (!value.is_string()) return o.Fail("environment", "holds something that is no text");
    result.environment[name] = value.get_ref<const std::string&>();
  });
  o.Sub("claims");
  if (const Json* claims = o.Find("claims")) result.producer.json = DumpJson(*claims);
  o.Text("verdict", result.verdict);
  if (result.verdict != "conformant" && result.verdict != "nonconformant" &&
      result.verdict != "partial") {
    o.Fail("verdict", "has an unknown value");
  }
  o.Number("wall_s", result.wall_s);
  o.Number("checks_per_s", result.checks_per_s);
  const Object apart = o.Sub("apart");
  apart.Count("cases", result.apart_cases);
  apart.Number("seconds", result.apart_s);
}

void ReadSummary(const Object& o, RunResult& result) {
  ReadCounts(o, "cases", result.case_counts);
  ReadLevel(o.Sub("must"), result.must);
  ReadLevel(o.Sub("should"), result.should);
  ReadLevel(o.Sub("info"), result.info);
  o.Bool("partial", result.partial);
  o.Texts("notes", result.notes);
  o.Texts("stale_expectations", result.stale_expectations);
}

}  // namespace

Expected<RunResult> RunResultFromJson(std::string_view text) {
  const auto json = ParseJson(text);
  if (!json) return Error{"unreadable JSON: " + OneLine(json.error().message, 160)};
  std::string error;
  const Object o(*json, "", &error);
  if (!json->is_object()) return Error{"no results of a run: not a JSON object"};
  std::string schema;
  o.Text("schema", schema);
  if (error.empty() && schema != kResultsSchema) {
    return Error{fmt::format("schema '{}' is not '{}'", OneLine(schema, 60), kResultsSchema)};
  }
  RunResult result;
  ReadHead(o, result);
  o.Items("cases", [&](const Json& item, const std::string& path) {
    result.cases.push_back(ReadCase({item, path, &error}));
  });
  o.Items("requirements", [&](const Json& item, const std::string& path) {
    result.requirements.push_back(ReadRequirement({item, path, &error}));
  });
  ReadSummary(o.Sub("summary"), result);
  if (!error.empty()) return Error{error};
  return result;
}

}  // namespace dlpc
