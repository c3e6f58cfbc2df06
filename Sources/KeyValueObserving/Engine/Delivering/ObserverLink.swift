// The observer that a registration ends with.

/// The observer that a registration ends with, because the registration was added to the observer's controller.
struct ObserverLink: @unchecked Sendable {
    /// The observer's type, for listings.
    let name: String
    private weak let observer: AnyObject?
    private let endAll: () -> Void

    /// Creates a link; the function ends all registrations of the controller.
    init(to observer: AnyObject, endingAll endAll: @escaping () -> Void) {
        (self.observer, self.endAll) = (observer, endAll)
        name = TypeName.of(observer)
    }

    var isGone: Bool { observer == nil }

    /// Ends all registrations of the controller, if the observer has died.
    func endIfGone() -> Bool {
        guard isGone else { return false }
        endAll()
        return true
    }
}
