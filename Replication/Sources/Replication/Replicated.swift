// What a model has to offer.
public import KeyValueObserving
public import KeyValueObservingHistory

/// A model that can be sent to other machines.
///
/// The model decides what is sent: which properties, under which names, and what a snapshot has in it. All machines need
/// the same answers. If they change, change the name of the stream, too. A ``Publisher`` and a ``Follower`` use it on the main
/// actor, so it may belong to that.
public protocol Replicated: KeyValueObservable {
    /// The whole of what is sent, as a value.
    ///
    /// It is encoded on another thread.
    associatedtype State: Codable & Sendable

    /// What the model is now.
    var state: State { get }

    /// Sets the model to a state.
    func restore(_ state: State)

    /// Has a manager track all that is sent, with names.
    ///
    /// - Parameter recorder: Call its `track(_:_:named:)`.
    func track(with recorder: KeyValueUndoManager)
}
