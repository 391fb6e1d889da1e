// Who releases an export, where and when; what stays alive until then.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "conformance/families.h"
#include "conformance/family_parts.h"
#include "reference/dtype.h"

namespace dlpc {
namespace {

ScriptBuilder& Consume(ScriptBuilder& b, uint8_t e = 0) {
  return b.Rename(Name::kUsed, e).DropCapsule(e);
}

void Append(Family& all, const Family& more) { all.insert(all.end(), more.begin(), more.end()); }

// Takes memory that was freed too early: heap blocks, and arrays of the same size.
ScriptBuilder& Disturb(ScriptBuilder& b, const ArraySpec& spec) {
  ArraySpec other = spec;
  other.dtype = FindDType("int32")->dtype;
  return b.Collect().Churn(0xA5).Make(1, other).Make(2, other).Make(3, other);
}

Family ReleaseOn(Thread thread, const std::string& name, bool pending) {
  return BothPaths(name, [&](ScriptBuilder b, const Request& request) {
    b.RefCount().Export(request).Inspect().RefCount();
    return Consume(b).RefCount().CallDeleter(thread, 0, pending).RefCount();
  });
}

Family MakeReleases() {
  Family f;
  Append(f, ReleaseOn(Thread::kLocked, "release/locked", false));
  Append(f, ReleaseOn(Thread::kFree, "release/free", false));
  Append(f, ReleaseOn(Thread::kForeign, "release/foreign", false));
  Append(f, CountedApart(ReleaseOn(Thread::kContended, "release/contended", false)));
  return f;
}

Family MakeThreeExports() {
  Family f;
  std::array<uint8_t, 3> order = {0, 1, 2};
  do {
    std::string name = "three-exports/";
    for (const uint8_t e : order) name += static_cast<char>('0' + e);
    Append(f, BothPaths(name, [&](ScriptBuilder b, const Request& request) {
             for (uint8_t e = 0; e < 3; ++e) b.Export(request, e).Inspect(e).Interpose(e);
             b.Read(0);
             for (uint8_t e = 0; e < 3; ++e) Consume(b, e);
             b.DropArray().Collect();
             for (size_t i = 0; i < 3; ++i) {
               b.CallDeleter(Thread::kLocked, order[i]).Churn(0xA5);
               for (size_t k = i + 1; k < 3; ++k) b.Read(order[k]);
             }
             return b.DeleterCalls(0).DeleterCalls(1).DeleterCalls(2);
           }));
  } while (std::next_permutation(order.begin(), order.end()));
  return f;
}

Family MakeDerived() {
  Family f;
  for (const auto& [name, how] :
       {std::pair{"subclass", Derived::kSubclass}, std::pair{"wrapper", Derived::kWrapper}}) {
    Append(f, BothPaths(std::string("derived/") + name,
                        [how = how](ScriptBuilder b, const Request& request) {
                          return b.Device(1, 0)
                              .Export(request, 0, 0)
                              .Inspect(0)
                              .Derive(how, 1, 0)
                              .Device(1, 1)
                              .Export(request, 1, 1)
                              .Inspect(1);
                        }));
  }
  return f;
}

Family Together(const std::string& name, Thread exports_on) {
  return CountedApart(BothPaths(name, [&](ScriptBuilder b, const Request& request) {
    return b.ReleaseTogether(8, request, exports_on)
        .RefCount()
        .ReleaseTogether(64, request, exports_on)
        .RefCount();
  }));
}

}  // namespace

const Family& Releases() {
  static const Family family = MakeReleases();
  return family;
}

const Family& PendingReleases() {
  static const Family family = ReleaseOn(Thread::kLocked, "release/pending", true);
  return family;
}

const Family& ConsumedExports() {
  static const Family family =
      CountedApart(BothPaths("consumed-exports", [](ScriptBuilder b, const Request& request) {
        return b
            .ConsumeEach(200, request)  // Fills caches.
            .RefCount()
            .ConsumeEach(10'000, request)
            .RefCount();
      }));
  return family;
}

const Family& ConsumedCopies() {
  static const Family family = [] {
    ArraySpec spec;
    spec.layout = Contiguous({16, 16});
    Family f = BothPaths("consumed-copies", spec, [](ScriptBuilder b, const Request& request) {
      return b.Export(WithCopy(request, kCopyTrue))
          .Inspect()
          .ConsumeEach(200, WithCopy(request, kCopyTrue))
          .RefCount()
          .ConsumeEach(2000, WithCopy(request, kCopyTrue))
          .RefCount();
    });
    for (NamedScript& script : f) script.tags = (script.tags & ~kTagCopyAbsent) | kTagCopyTrue;
    return CountedApart(std::move(f));
  }();
  return family;
}

const Family& ConsumedThenChurned() {
  static const Family family =
      BothPaths("consumed-then-churned", [](ScriptBuilder b, const Request& request) {
        Consume(b.Export(request).Inspect()).Read().DropArray();
        return Disturb(b, PlainSpec()).Read();
      });
  return family;
}

const Family& ThreeDeep() {
  static const Family family = BothPaths("three-deep", [](ScriptBuilder b, const Request& request) {
    b.Export(request, 1, 0).Inspect(1).Read(1).DropCapsule(1);
    b.Derive(Derived::kImported, 1, 0).Derive(Derived::kImported, 2, 1).DropArray(0).DropArray(1);
    Consume(b.Export(request, 0, 2)).DropArray(2);
    return Disturb(b, PlainSpec()).Read();
  });
  return family;
}

const Family& ThreeDeepReleased() {
  static const Family family = [] {
    ScriptBuilder b(PlainSpec());  // One path is enough: imports choose their own.
    b.RefCount().Derive(Derived::kImported, 1, 0).Derive(Derived::kImported, 2, 1);
    b.Export({}, 0, 2).Inspect().RefCount().DropArray(1).DropArray(2);
    Consume(b).CallDeleter().Collect().RefCount();
    return Family{{"three-deep-released", b.Build(), kTagLegacy | kTagCopyAbsent}};
  }();
  return family;
}

const Family& ThreeExports() {
  static const Family family = MakeThreeExports();
  return family;
}

const Family& AfterRelease() {
  static const Family family =
      BothPaths("after-release", [](ScriptBuilder b, const Request& request) {
        Consume(b.ReadOwn().Export(request, 0).Inspect(0)).CallDeleter();
        return b.Churn(0xA5).ReadOwn().Export(request, 1).Inspect(1).Read(1);
      });
  return family;
}

const Family& ReleasedTogether() {
  static const Family family = Together("released-together", Thread::kLocked);
  return family;
}

const Family& ExportedTogether() {
  static const Family family = Together("exported-together", Thread::kForeign);
  return family;
}

const Family& KeptBeyondTheEnd() {
  static const Family family = [] {
    ScriptBuilder b(PlainSpec());
    uint8_t e = 0;
    for (const auto& path : Paths()) {
      Consume(b.Export(path.request, e).Inspect(e), e);
      ++e;
    }
    return CountedApart({{"kept-beyond-the-end", b.End().Build(), kTagCopyAbsent}});
  }();
  return family;
}

const Family& DerivedArrays() {
  static const Family family = MakeDerived();
  return family;
}

}  // namespace dlpc
