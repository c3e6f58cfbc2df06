// How often a handler was called, and the number of its registration.
import Synchronization

/// The number of a registration, and how often its handler was called.
///
/// A change that has borrowed its audience is the only one that calls the handler by way of it, and counts without the
/// price of an atomic addition: in a few bits beside the number, which are carried over when they are full. All other
/// calls are added atomically.
struct CallCount: ~Copyable {
    /// The number, whether a carry is being made, and the calls since the last one.
    private let word: Atomic<UInt64>
    /// Twice the other calls, and one more once the registration has ended.
    private let state = Atomic<UInt>(0)

    private static let numberShift: UInt64 = 8
    private static let carrying: UInt64 = 0x80
    private static let full: UInt64 = 0x7F
    private static let ended: UInt = 1
    private static let call: UInt = 2

    init(number: RegistrationID) {
        word = Atomic(number << Self.numberShift)
    }

    var number: RegistrationID { word.load(ordering: .relaxed) >> Self.numberShift }

    /// Whether the handler is not to be called any more.
    var hasEnded: Bool { state.load(ordering: .acquiring) & Self.ended != 0 }

    func end() { state.bitwiseOr(Self.ended, ordering: .releasing) }

    /// Counts a call.
    ///
    /// - Parameter isAlone: Whether nobody else counts a call as alone meanwhile.
    func count(isAlone: Bool) {
        guard isAlone else {
            state.wrappingAdd(Self.call, ordering: .relaxed)
            return
        }
        let word = self.word.load(ordering: .relaxed)
        guard word & Self.full == Self.full else {
            return self.word.store(word &+ 1, ordering: .relaxed)
        }
        self.word.store(word | Self.carrying, ordering: .releasing)
        state.wrappingAdd(UInt(Self.full + 1) * Self.call, ordering: .acquiringAndReleasing)
        self.word.store(word & ~Self.full, ordering: .releasing)
    }

    /// How often the handler was called.
    var calls: Int {
        while true {
            let before = word.load(ordering: .acquiring)
            let others = state.load(ordering: .acquiring) / Self.call
            guard before & Self.carrying == 0, word.load(ordering: .acquiring) == before else { continue }
            return Int(others) + Int(before & Self.full)
        }
    }
}
