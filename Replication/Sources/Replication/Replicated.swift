// The protocol of replicated models.
public import KeyValueObserving
public import KeyValueObservingHistory

/// A model that can be sent to other machines.
///
/// The model decides which properties are sent, under which names, and what a snapshot contains. All machines must
/// decide in the same way. If a decision changes, change the name of the stream, too. A ``Publisher`` and a
/// ``Follower`` use the model on the main actor, so it may belong to that actor.
public protocol Replicated: KeyValueObservable {
    /// All sent properties, as a value.
    ///
    /// The state is encoded on another thread.
    associatedtype State: Codable & Sendable

    /// The current state of the model.
    var state: State { get }

    /// Sets the model to a state.
    func restore(_ state: State)

    /// Makes a manager track all sent properties, with names.
    ///
    /// - Parameter recorder: The manager, whose `track(_:_:named:)` to call.
    func track(with recorder: KeyValueUndoManager)
}
