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
        /// Every change, to handlers.
        case handlers
        /// The same to handlers that several registrations share, which see to it themselves that they are not entered while
        /// they run.
        case sharedHandlers
        /// Every change, with the whole value.
        case values
        /// The same to inboxes, which compare values themselves.
        case inboxes
        /// The same to inboxes of whole values, and to those that may have to make up for dropped changes with one.
        case inboxesOfWholes
        /// Every change, to what is bound.
        case bindings
    }

    @usableFromInline let options: KeyValueObservingOptions
    /// What must be read for the handler, which may be more than it is called with.
    let needs: KeyValueObservingOptions
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
        _ options: KeyValueObservingOptions, needing others: KeyValueObservingOptions = [], text: String? = nil,
        observer: String? = nil, isolation: (any Actor)?, _ fileID: StaticString, _ line: UInt,
        form: Form = .handlers, notifier: @escaping Notifier
    ) {
        self.options = options
        needs = options.union(others)
        self.text = text
        self.observer = observer
        self.isolation = isolation
        self.fileID = fileID
        self.line = line
        self.form = form
        self.notifier = notifier
    }
}
