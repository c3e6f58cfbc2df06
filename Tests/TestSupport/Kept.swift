// What a test holds until it has ended.
import Foundation
package import KeyValueObserving

/// Holds registrations for a suite, which is made anew for each test.
package final class Kept: @unchecked Sendable {
    private let lock = NSLock()
    private var tokens: [KeyValueObservation] = []

    package init() {}

    /// Holds them as long as the process lives, for tests that have one of their own.
    package static let process = Kept()

    fileprivate func keep(_ tokens: [KeyValueObservation]) { lock.withLock { self.tokens += tokens } }
}

extension KeyValueObservation {
    package func store(in kept: Kept) { kept.keep([self]) }
}

extension [KeyValueObservation] {
    package func store(in kept: Kept) { kept.keep(self) }
}
