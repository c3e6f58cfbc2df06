// The observer that a registration ends with.

/// The observer that a registration ends with, to whose controller it was added.
struct ObserverLink: @unchecked Sendable {
    /// Its type, for listings.
    let name: String
    private weak let observer: AnyObject?
    private let endAll: () -> Void

    /// Creates a link; the function ends all registrations of the controller.
    init(to observer: AnyObject, endingAll endAll: @escaping () -> Void) {
        (self.observer, self.endAll) = (observer, endAll)
        name = TypeName.of(observer)
    }

    var isGone: Bool { observer == nil }

    /// Ends all registrations of the controller, if the observer is gone.
    func endIfGone() -> Bool {
        guard isGone else { return false }
        endAll()
        return true
    }
}
