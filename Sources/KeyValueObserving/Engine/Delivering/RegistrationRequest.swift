// What is asked for when a registration is made.

/// What a registration is made with, beside its handler.
@usableFromInline
struct RegistrationRequest: ~Copyable {
    /// Calls the handlers of a call site with a change.
    ///
    /// It knows the types, and is compiled where they are known. It captures nothing: the registrations have the
    /// handlers.
    @usableFromInline typealias Notifier = (_ message: borrowing ChangeMessage) -> Void

    /// Which changes a call site's notifier passes on, and to what; each form has a notifier of its own.
    @usableFromInline
    enum Form: UInt8 {
        /// To handlers.
        case handlers
        /// To handlers that several registrations share.
        case sharedHandlers
        /// To what is called with whole values.
        case values
        /// To inboxes, which compare values themselves.
        case inboxes
        /// To what is bound.
        case bindings
    }

    @usableFromInline let options: KeyValueObservingOptions
    /// What must be read for the handler, which may be more than it is called with.
    let needs: ValueNeeds
    /// Whether it may be called while it runs: it is an observer of the library's own, or sees to that itself.
    let isReentrant: Bool
    /// The key path as it was given, if that was a string.
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

/// Which values of a property must be read for its observers.
@usableFromInline
struct ValueNeeds: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt8

    @usableFromInline
    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// What observers with some options are called with.
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
