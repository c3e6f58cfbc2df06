// The arguments of a registration.

/// The arguments of a registration, without its handler.
@usableFromInline
struct RegistrationRequest: ~Copyable {
    /// Calls the handlers of a call site with a change.
    ///
    /// It knows the types, and is compiled where they are known. It captures nothing, because the registrations have
    /// the handlers.
    @usableFromInline typealias Notifier = (_ message: borrowing ChangeMessage) -> Void

    /// The receiver of a call site's changes; each form has a notifier of its own.
    @usableFromInline
    enum Form: UInt8 {
        /// Handlers of single registrations.
        case handlers
        /// Handlers that several registrations share.
        case sharedHandlers
        /// Actions that receive whole values.
        case values
        /// Inboxes, which compare values themselves.
        case inboxes
        /// Targets of bindings.
        case bindings
    }

    @usableFromInline let options: KeyValueObservingOptions
    /// The values to read for the handler, which may be more than it is called with.
    let needs: ValueNeeds
    /// Whether it may be called while it runs, because it belongs to the library or handles that itself.
    let isReentrant: Bool
    /// The key path as passed, if it was a string.
    let text: String?
    /// The observer's type, for a registration made through a controller.
    let observer: String?
    /// The actor that the handler belongs to.
    let isolation: (any Actor)?
    let fileID: StaticString
    let line: UInt
    let form: Form
    let notifier: Notifier

    @usableFromInline
    init(
        _ options: KeyValueObservingOptions, needing others: ValueNeeds = [], text: String? = nil,
        observer: String? = nil, isolation: (any Actor)?, _ fileID: StaticString, _ line: UInt,
        form: Form = .handlers, reentrant isReentrant: Bool = false, notifier: @escaping Notifier
    ) {
        self.options = options.known
        needs = ValueNeeds(options).union(others)
        self.isReentrant = isReentrant
        self.text = text
        self.observer = observer
        self.isolation = isolation
        self.fileID = fileID
        self.line = line
        self.form = form
        self.notifier = notifier
    }
}

/// The values of a property to read for its observers.
@usableFromInline
struct ValueNeeds: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt8

    @usableFromInline
    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The values that observers with some options receive.
    init(_ options: KeyValueObservingOptions) {
        self = []
        if options.contains(.old) { insert(.old) }
        if options.contains(.new) { insert(.new) }
    }

    @usableFromInline static let old = Self(rawValue: 1)
    @usableFromInline static let new = Self(rawValue: 2)
    /// The whole value after a change of elements.
    @usableFromInline static let whole = Self(rawValue: 4)
}
