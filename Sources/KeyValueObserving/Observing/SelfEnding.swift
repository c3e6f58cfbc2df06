// Ending what a call has registered, from inside its handler.
import Synchronization

/// What one call with `.initial` registers, so that a change that it delivers can end it.
///
/// Its handler is called before its caller has a token. So the call sites of its registrations know this; it holds
/// nothing that they belong to.
@usableFromInline
package final class SelfEnding: Sendable {
    private struct State {
        var tokens: [WeakToken] = []
        /// Called when they have ended.
        var forget: (() -> Void)?
    }

    private let state = Guarded(State())
    /// Whether a handler has asked for the end; set under the lock, and read without it before each call.
    ///
    /// A registration may be called before its token is noted, by another thread.
    private let request = Atomic<Bool>(false)

    private init() {}

    /// What a call registers with these options; nil if its handler is not called before it returns.
    @inlinable
    package static func with(_ options: KeyValueObservingOptions) -> SelfEnding? {
        options.contains(.initial) ? make() : nil
    }

    @usableFromInline
    static func make() -> SelfEnding { SelfEnding() }

    /// Notes a token, which ends at once if a handler has asked for that.
    ///
    /// - Parameters:
    ///   - observation: The token.
    ///   - forget: Called when it has ended, if its caller keeps it.
    func add(_ observation: KeyValueObservation, forgetting forget: (@Sendable () -> Void)? = nil) {
        let isRequested = state.withLock { state in
            state.tokens.append(WeakToken(observation))
            state.forget = forget
            return self.isRequested
        }
        if isRequested { end() }
    }

    /// Whether a handler has asked for the end; nothing that the call registers is called any more.
    var isRequested: Bool { request.load(ordering: .acquiring) }

    /// Ends the registrations.
    func end() {
        // A token may be released here for the last time, and with it what its handler holds.
        let (observations, forget) = state.withLock { state in
            request.store(true, ordering: .releasing)
            return (state.tokens.map(\.observation), state.forget)
        }
        for observation in observations { observation?.invalidate() }
        forget?()
    }
}

extension KeyValueObservedChange {
    /// Ends the observation that this change is delivered to, from inside its handler.
    ///
    /// ```swift
    /// let observation = person.observe(\.name, options: [.initial, .new]) { person, change in
    ///     guard !change.newValue!.isEmpty else { return }
    ///     print("The first name is \(change.newValue!)")
    ///     change.endObservation()
    /// }
    /// ```
    ///
    /// With `.initial` a handler is called before `observe` returns its token. So this is for registrations made with
    /// `.initial`, in that call and in all later ones. It does what ``KeyValueObservation/invalidate()`` of the token
    /// does: all registrations of the call end, also those at other key paths, those that are still to be made
    /// included. In a controller it does what `unobserve` does for them. An iteration over a sequence is over.
    ///
    /// It may be called any number of times, on any thread. A change that was made by
    /// ``init(kind:newValue:oldValue:indexes:isPrior:keyPath:)`` ends nothing.
    ///
    /// - Precondition: The registration was made with `.initial`; another one has a token, or a controller, before its
    ///   handler is called.
    public func endObservation() {
        origin.endObservation()
    }
}
