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

/// 16 arrays of four sizes, each made while others are alive, exported and inspected.
const Family& FreshArrays();

// Life cycles of one export, by both paths.
const Family& DropUnconsumed();  // interpose, drop, count; then 10,000 dropped, with references and
                                 // memory before and after
const Family&
DropThenRelease();  // interpose, rename used, drop, count, release, count; the same 200 times
const Family& ReleaseThenDrop();   // count of an unconsumed drop; then release first, drop, count
const Family& DropForeignName();   // interpose, rename foreign, drop, count; the same 200 times
const Family& DropWhilePending();  // drop with an exception pending
const Family&
SourceDroppedFirst();            // export, inspect, read, drop array, collect, churn, inspect, read
const Family& ManyCapsules();    // 1000 exports held at once
const Family& RefusedExports();  // refcount, 10,000 refused exports, refcount
const Family& DroppedExports();  // refcount, export, inspect, drop, refcount
const Family& StaticStorage();   // the same for memory that lives for the process
const Family& DirtyAllocator();  // export and inspect twice, with the heap filled differently
const Family& ReleaseOnly();     // rename used, release: a consumer that reads only the header

// Who releases, where and when (families_memory.cc); all by both paths.
/// Reference counts around an export, its consumption and its release; at the start of the name:
/// release/locked, release/free, release/foreign, release/contended.
const Family& Releases();
/// The same with the interpreter lock held and an exception pending.
const Family& PendingReleases();
/// 200 and then 10,000 exports, each consumed and released, with references and memory.
const Family& ConsumedExports();
/// The same, shorter, with copy=True of 256 elements.
const Family& ConsumedCopies();
/// Consumed, capsule dropped, read; array dropped, garbage collected, memory churned; read.
const Family& ConsumedThenChurned();
/// Export 1 read; the array imported, the import imported again, that exported (0); all arrays
/// dropped, memory churned; export 0 read.
const Family& ThreeDeep();
/// Import, import of the import, export of that; released in order; references at both ends.
const Family& ThreeDeepReleased();
/// Three consumed exports of a dropped array in each order of release; the others read after each.
const Family& ThreeExports();
/// Own elements, export 0 released, own elements, export 1 inspected and read.
const Family& AfterRelease();
/// References, 64 exports released on several threads at once, references: exports made here, or on
/// several threads at once.
const Family& ReleasedTogether();
const Family& ExportedTogether();
/// Both structs consumed and kept until the interpreter has ended. One script: it costs a host.
const Family& KeptBeyondTheEnd();
/// Device and export 0 of an array, and of a subclass of it or a wrapper around it (export 1).
const Family& DerivedArrays();

// Arguments of `__dlpack__` and what it answers (families_protocol.cc).
/// The whole matrix max_version x copy x dl_device x stream, all legal types, for the plain array;
/// with a stream, export 1 is the control: the same call without it.
const Family& Negotiation();
/// One malformed keyword each (export 1 is the control: the same call without it), an unknown
/// keyword, a positional argument.
const Family& OddArguments();
/// stream= on CPU, CUDA and ROCm arrays.
const Family& Streams();
/// Work on a stream of the library's, an export for another stream, and whether that waits:
/// UseStream 0 makes a consumer's stream, 1 changes the current one, 2 starts work on it; 3 is it
/// over? Export; 4 is the consumer's stream idle? 5 is the work over? 6 the consumer ends its own.
const Family& StreamOrders();
/// An export for a consumer's stream (UseStream 0), which is destroyed (3) before the release.
const Family& StreamKept();
/// An array in host memory, pinned or not, read; imported by the library itself, read.
const Family& HostImports();
/// An array of a device with streams, wrapped, and the wrapper imported by the library itself.
const Family& StreamImports();
/// stream= an object that is no queue, on a device whose queues are objects.
const Family& StrayQueues();
/// dl_device=(kDLCPU, 0) with stream= on CUDA and ROCm arrays: export, inspect, read, read-own.
const Family& StreamTargets();
/// dl_device absent (export 0), the array's own tuple (1), and for the CPU the plain pair (2).
const Family& OwnDevice();
/// Methods, the plain call (export 0) and calls with all four keywords (1, 2).
const Family& WholeSyntax();
/// Two exports; one is consumed, the other dropped, in both orders.
const Family& TwoExports();
/// The array read before, during and after an export that is consumed, and one that is dropped.
const Family& SourceAfterwards();
/// Each dtype of the array API by both paths: export 0 legacy, export 1 versioned.
const Family& ArrayApiDTypes();
/// Types of less than a byte.
const Family& PackedTypes();
/// The adapter's refusals() (families_objects.cc): device, export, inspect, read, read-own; then
/// array 1, which the adapter's remedy makes of it: export 1, inspect, read.
const Family& Inexpressible();
/// A good export (0) read, a refused one (1), 100 refused ones between counts, a good one (2) read.
const Family& RefusedThenServed();

// Ways out of an array (families_exchange.cc).
/// Exports 0 legacy, 1 versioned, 2 by the exchange table, each inspected; then borrowed from it.
const Family& PathAgreement();
/// The same for refusals(), without inspecting.
const Family& PathRefusals();
/// The table looked up on one array, on another, and again after the first is gone.
const Family& TableLookups();
/// The allocator, first with the lock (export 0), then by thread (export 1).
const Family& TableAllocations();
/// A tensor of ours handed to the table (array 1), read, dropped, and its deleter counted.
const Family& TableImports();
const Family& TableBorrows();
const Family& TableStreams();
const Family& TableWrongObjects();
/// A stream made current on a CUDA device, and what the table says; and exports while it works.
const Family& TableCurrentStream();
const Family& TableNoSync();

}  // namespace dlpc

#endif  // DLPC_CONFORMANCE_FAMILIES_H_
