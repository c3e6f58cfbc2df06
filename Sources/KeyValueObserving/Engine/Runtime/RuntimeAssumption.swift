// Assumptions about the Swift runtime that the language does not guarantee.
#if KEY_VALUE_OBSERVING_FAILING_CHECKS
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif
#endif

/// An assumption about the Swift runtime, and the library's behavior if it does not hold.
package struct RuntimeAssumption: Sendable {
    /// The assumption.
    package let sentence: String
    /// The library's behavior if the assumption does not hold.
    package let otherwise: String
    private let check: @Sendable () -> Bool

    package init(_ sentence: String, otherwise: String, check: @escaping @Sendable () -> Bool) {
        self.sentence = sentence
        self.otherwise = otherwise
        self.check = check
    }

    /// Whether the assumption holds in this program.
    package var holds: Bool { check() }
}

extension RuntimeAssumption {
    /// The outcome of a check, or false if checks fail on purpose.
    ///
    /// They fail in a program built with `-DKEY_VALUE_OBSERVING_FAILING_CHECKS`, if the environment variable of that
    /// name is set. Without the define, the variable is not read.
    package static func outcome(_ check: () -> Bool) -> Bool {
        #if KEY_VALUE_OBSERVING_FAILING_CHECKS
        if unsafe getenv("KEY_VALUE_OBSERVING_FAILING_CHECKS") != nil { return false }
        #endif
        return check()
    }

    private static let ofProducts = Guarded<[RuntimeAssumption]>([])

    /// Adds an assumption of another product, once.
    package static func add(_ assumption: RuntimeAssumption) {
        ofProducts.withLock { known in
            if !known.contains(where: { $0.sentence == assumption.sentence }) { known.append(assumption) }
        }
    }

    /// The assumptions of other products that the program has used.
    package static var added: [RuntimeAssumption] { ofProducts.withLock { $0 } }
}
