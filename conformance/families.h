// The scripts of the conformance cases, by family. Each function builds its family once.
#ifndef DLPC_CONFORMANCE_FAMILIES_H_
#define DLPC_CONFORMANCE_FAMILIES_H_

#include <vector>

#include "conformance/catalogue.h"

namespace dlpc {

using Family = std::vector<NamedScript>;

/// make, device, export, inspect, read, read-own, drop: every dtype on some layouts and every
/// layout with some dtypes, by both paths.
const Family& Zoo();
/// The same steps for one array of each memory kind.
const Family& MemoryKinds();
/// int8, float32 and complex128 arrays of one layout in one script: exports 0, 1, 2.
const Family& SameViews();
/// Read-only array: copy absent, None, True, False by both paths.
const Family& ReadOnlyExports();
/// copy= on writable arrays with writes on both sides: export, inspect, read, read-own, write,
/// read-own, poke, read.
const Family& Copies();
/// Two exports with copy=True (export 0 and 1); then a write into the first, and all read again.
const Family& TwoCopies();
/// dl_device requests: export 0 with copy absent, export 1 with copy=False, export 2 with
/// copy=True.
const Family& DeviceRequests();
/// max_version sweep: export 0 with the version, export 1 with (1, 99), both inspected.
const Family& Versions();
/// max_version with other keywords: export 0 alone, export 1 with copy and dl_device.
const Family& VersionCross();
/// 100 device queries.
const Family& DeviceQueries();
/// Attributes on type and instance.
const Family& Probes();
/// Arrays that DLPack cannot describe: the adapter's refusals and the reference's sharded array.
const Family& Refusals();
/// A byte stride that is no multiple of the element size.
const Family& OddStrides();

// Life cycles of one export, by both paths.
const Family& DropUnconsumed();    // interpose, drop, count; then 2000 dropped, with references and memory before and after
const Family& DropThenRelease();   // interpose, rename used, drop, count, release, count
const Family& ReleaseThenDrop();   // interpose, rename used, release, drop, count
const Family& DropForeignName();   // interpose, rename foreign, drop, count
const Family& DropWhilePending();  // drop with an exception pending
const Family&
SourceDroppedFirst();            // export, inspect, read, drop array, collect, churn, inspect, read
const Family& ManyCapsules();    // 1000 exports held at once
const Family& RefusedExports();  // refcount, 1000 refused exports, refcount
const Family& DroppedExports();  // refcount, export, inspect, drop, refcount
const Family& StaticStorage();   // the same for memory that lives for the process
const Family& DirtyAllocator();  // export and inspect twice, with the heap filled differently
const Family& ReleaseOnly();     // rename used, release: a consumer that reads only the header

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_FAMILIES_H_
