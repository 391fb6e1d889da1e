// Malformed arguments of `__dlpack__`, and the control that goes with a tested keyword.
#include <string>
#include <utility>

#include "conformance/families.h"
#include "conformance/family_parts.h"

namespace dlpc {
namespace {

// A malformed value of one keyword; the others are as in an ordinary call.
struct OddRow {
  const char* name;
  Arg Request::*keyword;
  Odd odd;
};
constexpr OddRow kOddRows[] = {{"version/int", &Request::version, Odd::kInt1},
                               {"version/list", &Request::version, Odd::kList},
                               {"version/one-tuple", &Request::version, Odd::kTuple1},
                               {"version/triple", &Request::version, Odd::kTuple3},
                               {"version/strings", &Request::version, Odd::kStrings},
                               {"device/int", &Request::device, Odd::kInt1},
                               {"device/one-tuple", &Request::device, Odd::kTuple1},
                               {"device/string", &Request::device, Odd::kString},
                               {"device/triple", &Request::device, Odd::kTuple3},
                               {"device/none-in-pair", &Request::device, Odd::kNoneInPair},
                               {"copy/int", &Request::copy, Odd::kInt2},
                               {"copy/string", &Request::copy, Odd::kString},
                               {"copy/object", &Request::copy, Odd::kObject}};

Family MakeOddArguments() {
  Family f;
  const auto add = [&f](const std::string& name, Script script) {
    f.push_back({"odd-argument/" + name, std::move(script), 0});
  };
  for (const OddRow& row : kOddRows) {
    Request request = WithVersion(1, 3);
    request.*row.keyword = Arg::kOdd;
    request.odd = row.odd;
    add(row.name, WithControl(request, row.keyword));
  }
  for (const Path& path : Paths()) {
    Request request = path.request;
    request.extra = Extra::kUnknownKeyword;
    add(std::string("unknown-keyword/") + path.name,
        ScriptBuilder(PlainSpec()).Export(request).Build());
  }
  Request positional;
  positional.extra = Extra::kPositional;
  add("positional", ScriptBuilder(PlainSpec()).Export(positional).Build());
  return f;
}

}  // namespace

Script WithControl(Request request, Arg Request::*keyword) {
  ScriptBuilder script(PlainSpec());
  script.Export(request);
  if (request.*keyword != Arg::kValue && request.*keyword != Arg::kOdd) return script.Build();
  request.*keyword = Arg::kAbsent;
  return script.Export(request).Build();
}

const Family& OddArguments() {
  static const Family family = MakeOddArguments();
  return family;
}

}  // namespace dlpc
