// One operation of one contender, to be repeated and timed.

/// An operation that can be repeated.
struct Loop {
    /// The operation and the contender, as in `set-1/observed`.
    let name: String
    /// How long one repetition shall take.
    let milliseconds: Double
    /// Makes what the operation needs.
    let prepare: () -> Prepared

    /// An operation with what it needs.
    struct Prepared {
        /// Performs the operation so many times and checks what came of it.
        let run: (_ count: Int) -> Void
        /// Checks what would take too long to be timed.
        var check: () -> Void = {}
    }

    init(_ name: String, milliseconds: Double = 3, prepare: @escaping () -> (_ count: Int) -> Void) {
        self.init(name, milliseconds: milliseconds, checked: { Prepared(run: prepare()) })
    }

    init(_ name: String, milliseconds: Double = 3, checked prepare: @escaping () -> Prepared) {
        self.name = name
        self.milliseconds = milliseconds
        self.prepare = prepare
    }

    /// The operation: what stands before the slash.
    var operation: String { String(name.prefix { $0 != "/" }) }

    /// Who performs it: what stands behind the slash.
    var contender: String { String(name.drop { $0 != "/" }.dropFirst()) }

    /// All there are, those of one operation beside each other.
    static var all: [Loop] {
        gets + setsUnobserved + additions + appends + setsObserved + tracedSets + otherDeliveries + registrations
            + paths
            + dependents + manualChanges + viewAppends
            + creations + threads + transactions + bindings + nested(objects: 10) + otherTypes + totals
            + deliveriesElsewhere
    }
}
