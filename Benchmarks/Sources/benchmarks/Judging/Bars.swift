// The bars, one row for each number that must be reached.

extension Bar {
    /// All there are.
    ///
    /// The names are those of loops and of counts on the heap.
    static var all: [Bar] { unobserved + observed + lists + memory + elsewhere }

    private static var unobserved: [Bar] {
        [
            Bar("get, nobody observes, ÷ plain", .ratio("get/observed", to: "get/plain"), .atMost(1.25)),
            Bar(
                "shared set, nobody observes, ÷ plain under a lock", .ratio("set-0/shared", to: "set-0/locked"),
                .atMost(3)),
            Bar("set, never observed, ÷ plain", .ratio("set-0/observed", to: "set-0/plain"), .atMost(1.25)),
            Bar(
                "set, after the last removal, ÷ plain", .ratio("set-0/observed-before", to: "set-0/plain"),
                .atMost(1.25)),
            Bar("+= in place, ÷ plain", .ratio("add/observed", to: "add/plain"), .atMost(4.5)),
            Bar(
                "append in place, 10 elements, ÷ plain", .ratio("append-10/observed", to: "append-10/plain"),
                .atMost(3)),
            Bar(
                "append in place, 1,000 elements, ÷ plain", .ratio("append-1000/observed", to: "append-1000/plain"),
                .atMost(3)),
            Bar(
                "append in place, 100,000 elements, ÷ plain",
                .ratio("append-100000/observed", to: "append-100000/plain"), .atMost(3)),
            Bar(
                "set, another property observed, ÷ plain", .ratio("set-other/observed", to: "set-0/plain"),
                .atMost(2)),
            Bar(
                "create + destroy, ÷ plain", .ratio("create/observed", to: "create/plain"), .atMost(1.25)),
        ]
    }

    private static var observed: [Bar] {
        [
            Bar(
                "set, 1 observer, ÷ didSet closure", .ratio("set-1/observed", to: "set-1/closure"), .atMost(2.5)),
            Bar(
                "set, 1 observer, ÷ Observation", .ratio("set-1/observed", to: "set-1/observation"),
                .atMost(1.0 / 15)),
            Bar("set, 1 observer, ÷ @Published", .ratio("set-1/observed", to: "set-1/published"), .atMost(1.0 / 5)),
            Bar(
                "set, 10 observers, ÷ locked list", .ratio("set-10/observed", to: "set-10/locked-list"), .atMost(0.7)),
            Bar(
                "set, 1,000 observers, ÷ locked list", .ratio("set-1000/observed", to: "set-1000/locked-list"),
                .atMost(0.7)),
            Bar(
                "path, set of the leaf, ÷ set", .ratio("path-leaf/observed", to: "set-1/observed"), .atMost(1.8)),
            Bar(
                "path with optionals, set of the leaf, ÷ set", .ratio("path-optional/observed", to: "set-1/observed"),
                .atMost(2)),
            Bar(
                "path with optionals, replacement of the middle, ÷ @Published",
                .ratio("path-middle/observed", to: "path-middle/published"), .atMost(0.35)),
            Bar(
                "path with optionals, replacement of the middle, ÷ Observation",
                .ratio("path-middle/observed", to: "path-middle/observation"), .atMost(0.6)),
            Bar(
                "computed of two properties, ÷ Observation",
                .ratio("dependent/observed", to: "dependent/observation"), .atMost(0.4)),
            Bar(
                "changed by hand, nobody observes, ÷ plain", .ratio("manual-0/observed", to: "set-0/plain"),
                .atMost(6)),
            Bar("changed by hand, 1 observer, ÷ set", .ratio("manual-1/observed", to: "set-1/observed"), .atMost(6)),
            Bar(
                "a transaction of 10 sets of a property, ÷ set",
                .ratio("transaction-10/observed", to: "set-1/observed"), .atMost(20)),
            Bar(
                "a transaction of sets of 10 properties, ÷ set",
                .ratio("transaction-10-properties/observed", to: "set-1/observed"), .atMost(60)),
            Bar("a binding's change, ÷ set", .ratio("bind/observed", to: "set-1/observed"), .atMost(6)),
            Bar(
                "a change of a sequence, ÷ AsyncStream",
                .ratio("elsewhere-sequence/observed", to: "elsewhere-sequence/stream"), .atMost(1.3)),
            Bar(
                "a value of a sequence, ÷ AsyncStream",
                .ratio("elsewhere-sequence/values", to: "elsewhere-sequence/stream"), .atMost(1.3)),
            Bar(
                "a change for each of 50 sequences, ÷ AsyncStream",
                .ratio("elsewhere-50/observed", to: "elsewhere-50/stream"), .atMost(1.3)),
            Bar(
                "a value for each of 50 sequences, ÷ AsyncStream",
                .ratio("elsewhere-50/values", to: "elsewhere-50/stream"), .atMost(1.3)),
            Bar(
                "a value of another type for each of 50 sequences, ÷ AsyncStream",
                .ratio("elsewhere-50/any-type", to: "elsewhere-50/stream"), .atMost(1.3)),
            Bar(
                "+= in place, 1 observer, ÷ set", .ratio("add-1/observed", to: "set-1/observed"), .atMost(4)),
            Bar(
                "append in place, 1 observer of new, ÷ set",
                .ratio("append-observed-1000/observed", to: "set-1/observed"),
                .atMost(4)),
            Bar(
                "set, 1 observer through a controller, ÷ set",
                .ratio("set-controller/observed", to: "set-1/observed"), .atMost(2.5)),
            Bar(
                "set of an inherited property, 1 observer, ÷ set",
                .ratio("set-inherited/observed", to: "set-1/observed"), .atMost(1.2)),
            Bar(
                "2 threads, nobody observes, × 1 thread",
                .speedup("set-0", of: "observed", reference: "plain"), .atLeast(1.9)),
            Bar(
                "2 threads, 1 observer, × 1 thread",
                .speedup("set-1", of: "observed", reference: "closure"), .atLeast(1.9)),
        ]
    }

    private static var lists: [Bar] {
        [
            Bar(
                "register + remove, 0 there, ÷ set", .ratio("register-0/observed", to: "set-1/observed"),
                .atMost(6)),
            Bar(
                "register + remove, 1,000 there, ÷ set", .ratio("register-1000/observed", to: "set-1/observed"),
                .atMost(6)),
            Bar(
                "register + remove, 1,000 there ÷ 0 there",
                .ratio("register-1000/observed", to: "register-0/observed"), .same(within: 0.2)),
            Bar(
                "register + remove by a controller, its 1,000 there ÷ 0 there",
                .ratio("register-1000/controller", to: "register-0/controller"), .same(within: 0.2)),
            Bar(
                "append to a view of 1,000, ÷ set", .ratio("view-append-1000/observed", to: "set-1/observed"),
                .atMost(4)),
            Bar(
                "append to a view of 10,000, ÷ set", .ratio("view-append-10000/observed", to: "set-1/observed"),
                .atMost(4)),
            Bar(
                "append to a view of 100,000, ÷ set", .ratio("view-append-100000/observed", to: "set-1/observed"),
                .atMost(4)),
            Bar(
                "append to a view of 10,000 ÷ of 1,000",
                .ratio("view-append-10000/observed", to: "view-append-1000/observed"), .same(within: 0.2)),
            Bar(
                "append to a view of 100,000 ÷ of 1,000",
                .ratio("view-append-100000/observed", to: "view-append-1000/observed"), .same(within: 0.2)),
        ]
    }

    private static var memory: [Bar] {
        [
            Bar(
                "bytes of an object, less plain", .excess("bytes-object/observed", over: "bytes-object/plain"),
                .atMost(16)),
            Bar("bytes of the first observation", .figure("bytes-first/observed"), .atMost(400)),
            Bar("bytes of each further observation", .figure("bytes-further/observed"), .atMost(200)),
            Bar(
                "allocations of an object, less plain",
                .excess("allocations-create/observed", over: "allocations-create/plain"), .atMost(0)),
            Bar(
                "allocations of a set, 1 observer", .figure("allocations-set-1/observed"), .atMost(0)),
        ]
    }

    private static var elsewhere: [Bar] {
        [
            Bar("compile time, ÷ plain", .script("compile-time"), .atMost(8)),
            Bar("compile time, ÷ @Observable", .script("compile-time"), .atMost(1.0 / 3)),
            Bar("text of 115 properties, -O, ÷ @Observable", .script("code-size"), .atMost(1)),
            Bar("compile time of 115 properties, -O, ÷ @Observable", .script("code-size"), .atMost(1)),
        ]
    }
}
