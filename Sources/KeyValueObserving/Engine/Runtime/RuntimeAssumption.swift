// What is assumed of the Swift runtime although the language does not promise it.
#if KEY_VALUE_OBSERVING_FAILING_CHECKS
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif
#endif

/// Something that the library assumes of the Swift runtime, and what it does where that does not hold.
package struct RuntimeAssumption: Sendable {
    /// What is assumed.
    package let sentence: String
    /// What the library does where that does not hold.
    package let otherwise: String
    private let check: @Sendable () -> Bool

    package init(_ sentence: String, otherwise: String, check: @escaping @Sendable () -> Bool) {
        self.sentence = sentence
        self.otherwise = otherwise
        self.check = check
    }

    /// Whether it holds in this program.
    package var holds: Bool { check() }
}

extension RuntimeAssumption {
    /// The outcome of a check, or false where checks fail on purpose.
    ///
    /// They fail in a program that was built with `-DKEY_VALUE_OBSERVING_FAILING_CHECKS`, if the environment variable of
    /// that name is set. Without the define nothing is asked.
    package static func outcome(_ check: () -> Bool) -> Bool {
        #if KEY_VALUE_OBSERVING_FAILING_CHECKS
        if unsafe getenv("KEY_VALUE_OBSERVING_FAILING_CHECKS") != nil { return false }
        #endif
        return check()
    }

    private static let ofProducts = Guarded<[RuntimeAssumption]>([])

    /// Adds what another product assumes, once.
    package static func add(_ assumption: RuntimeAssumption) {
        ofProducts.withLock { known in
            if !known.contains(where: { $0.sentence == assumption.sentence }) { known.append(assumption) }
        }
    }

    /// What the products assume that the program has used.
    package static var added: [RuntimeAssumption] { ofProducts.withLock { $0 } }
}
