// Life cycles of exports: who frees what, when, and how often.
#include <string>

#include "conformance/families.h"
#include "conformance/family_parts.h"
#include "reference/dtype.h"

namespace dlpc {

const Family& DropUnconsumed() {
  static const Family family =
      CountedApart(BothPaths("drop-unconsumed", [](ScriptBuilder b, const Request& request) {
        return b.Export(request)
            .Inspect()
            .Interpose()
            .DropCapsule()
            .DeleterCalls()
            .ExportMany(200, request, /*drop_each=*/true)  // Fills caches.
            .RefCount()
            .ExportMany(10'000, request, /*drop_each=*/true)
            .RefCount();
      }));
  return family;
}

const Family& DropThenRelease() {
  static const Family family =
      BothPaths("drop-then-release", [](ScriptBuilder b, const Request& request) {
        return b.Export(request)
            .Interpose()
            .Rename(Name::kUsed)
            .DropCapsule()
            .DeleterCalls()
            .CallDeleter()
            .DeleterCalls()
            .Export(request, 1)
            .Export(request, 2)  // Two at a time: do exports share one struct?
            .ConsumeMany(200, request, Name::kUsed);
      });
  return family;
}

const Family& ReleaseThenDrop() {
  static const Family family = BothPaths("release-then-drop", ReleaseThenDropSteps);
  return family;
}

const Family& DropForeignName() {
  static const Family family =
      BothPaths("drop-foreign-name", [](ScriptBuilder b, const Request& request) {
        return b.Export(request)
            .Interpose()
            .Rename(Name::kForeign)
            .DropCapsule()
            .DeleterCalls()
            .Export(request, 1)
            .Export(request, 2)
            .ConsumeMany(200, request, Name::kForeign);
      });
  return family;
}

const Family& DropWhilePending() {
  static const Family family = [] {
    Family f =
        BothPaths("drop-while-pending/unconsumed", [](ScriptBuilder b, const Request& request) {
          return b.Export(request).DropCapsule(0, true);
        });
    Family consumed =
        BothPaths("drop-while-pending/consumed", [](ScriptBuilder b, const Request& request) {
          return b.Export(request).Rename(Name::kUsed).DropCapsule(0, true);
        });
    f.insert(f.end(), consumed.begin(), consumed.end());
    return f;
  }();
  return family;
}

const Family& SourceDroppedFirst() {
  static const Family family = [] {
    Family f;
    for (std::string_view layout : {"c-2x3", "sliced-step2", "f-2x3"}) {
      ArraySpec spec;
      spec.layout = LayoutNamed(layout);
      ArraySpec other = spec;  // Of the same size: takes memory that was freed too early.
      other.dtype = FindDType("int32")->dtype;
      Family both = BothPaths("source-dropped-first/" + std::string(layout), spec,
                              [&other](ScriptBuilder b, const Request& request) {
                                return b.ReadOwn()
                                    .Export(request)
                                    .Inspect()
                                    .Read()
                                    .DropArray()
                                    .Collect()
                                    .Churn(0xA5)
                                    .Make(1, other)
                                    .Make(2, other)
                                    .Make(3, other)
                                    .Inspect()
                                    .Read();
                              });
      f.insert(f.end(), both.begin(), both.end());
    }
    return f;
  }();
  return family;
}

const Family& ManyCapsules() {
  static const Family family =
      BothPaths("many-capsules", [](ScriptBuilder b, const Request& request) {
        return b.ExportMany(1000, request, /*drop_each=*/false);
      });
  return family;
}

const Family& RefusedExports() {
  static const Family family =
      CountedApart(BothPaths("refused-exports", [](ScriptBuilder b, const Request& request) {
        return b.ExportMany(100, WithDevice(request, {static_cast<DLDeviceType>(99), 0}), true)
            .RefCount()
            .ExportMany(10'000, WithDevice(request, {static_cast<DLDeviceType>(99), 0}),
                        /*drop_each=*/true)
            .RefCount()
            .Export(request)
            .Inspect();
      }));
  return family;
}

const Family& DroppedExports() {
  static const Family family =
      BothPaths("dropped-export", [](ScriptBuilder b, const Request& request) {
        return b.RefCount().Export(request).Inspect().DropCapsule().RefCount();
      });
  return family;
}

const Family& StaticStorage() {
  static const Family family = [] {
    ArraySpec spec = PlainSpec();
    spec.flags = kStaticStorage;
    return BothPaths("static-storage", spec, [](ScriptBuilder b, const Request& request) {
      return b.RefCount().Export(request).Inspect().Read().ReadOwn().DropCapsule().RefCount();
    });
  }();
  return family;
}

const Family& DirtyAllocator() {
  static const Family family =
      BothPaths("dirty-allocator", [](ScriptBuilder b, const Request& request) {
        return b.Churn(0xA5)
            .Export(request)
            .Inspect()
            .DropCapsule()
            .Churn(0x5A)
            .Export(request)
            .Inspect()
            .DropCapsule()
            .Churn(0xFF)
            .Export(request)
            .Inspect();
      });
  return family;
}

const Family& ReleaseOnly() {
  static const Family family = BothPaths("release-only", [](ScriptBuilder b,
                                                            const Request& request) {
    return b.Export(request).Inspect().Interpose().Rename(Name::kUsed).CallDeleter().DeleterCalls();
  });
  return family;
}

}  // namespace dlpc
