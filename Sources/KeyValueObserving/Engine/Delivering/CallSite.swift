// The data shared by the registrations of one call site.
import Synchronization

/// The key path that a change carries.
///
/// Changes hold this and not the registration, because a handler that stored changes in its captures would retain
/// itself. They do not hold the key path itself either, because all threads use the same one, and counting references
/// to it would make them wait for one another.
@usableFromInline
class ChangeKeyPath {
    let keyPath: AnyKeyPath

    @usableFromInline
    init(keyPath: AnyKeyPath) {
        self.keyPath = keyPath
    }

    /// The key path as passed, if it was a string.
    var text: String? { nil }
    /// The place where the registration was made, if there is one.
    var place: String? { nil }

    /// The label of a registration of it.
    var label: String? { nil }

    /// The key path at the time of the registration, if a part had no name then.
    var unfinishedText: String? { nil }

    /// The key path as text; if a part has no name, with the file and the line of the registration.
    final var name: String { name(at: place) }

    /// The name with another line.
    final func name(at place: String?) -> String {
        let described = plainName
        guard text == nil, label == nil, let place, !PropertyNames.isComplete(described) else { return described }
        return "\(described) at \(place.split(separator: "/").last ?? "")"
    }

    /// The name without the line, for a sentence that already has the line.
    final var plainName: String {
        let described = unfinishedText ?? PropertyNames.text(of: keyPath)
        // The key path of an expression names no property, and its text is its place.
        if described == "self" { return label ?? text ?? described }
        return text ?? (PropertyNames.isComplete(described) ? described : label ?? described)
    }
}

/// The data shared by the registrations that one line of a program makes at one key path of one object.
@usableFromInline
@safe class CallSite: ChangeKeyPath, @unchecked Sendable {
    let notifier: RegistrationRequest.Notifier
    /// The start of the file's name, which ends with a zero.
    private let fileName: UnsafePointer<UInt8>
    private let lineNumber: UInt32
    private let optionBits: UInt8
    /// The values that must be read, including those kept for the next change.
    final let needs: ValueNeeds
    /// Whether its handlers, which belong to the library, may be called while they run.
    final let isReentrant: Bool
    private let form: RegistrationRequest.Form
    private let isIsolated: Bool
    /// Whether the registrations keep their last value, to compare values, or as the old value of a watch.
    @usableFromInline final let keeping: Keeping
    @usableFromInline final let keepsLastValue: Bool
    /// Whether each call has the old and the new whole value, even if only some elements change.
    @usableFromInline final let givesWholes: Bool
    /// The values that the form of the registrations needs; an inbox may need more than its handler requested.
    @usableFromInline final let wantsNew: Bool
    @usableFromInline final let wantsOld: Bool
    /// The label of one registration, and the observer that it ends with.
    private struct Note {
        var label: String?
        var observer: ObserverLink?
    }

    // The lock of all notes makes accesses exclusive.
    @safe @exclusivity(unchecked) private final var notes: [RegistrationNumber: Note] = [:]
    private static let noteLock = Lock()
    /// Whether there are notes; no order is needed.
    private final let isNoted = Atomic(false)

    fileprivate init(_ keyPath: AnyKeyPath, _ request: borrowing RegistrationRequest, keeping: Keeping) {
        notifier = request.notifier
        self.keeping = keeping
        keepsLastValue = keeping != .nothing
        givesWholes = request.givesWholes
        unsafe fileName = request.fileID.utf8Start
        form = request.form
        isIsolated = request.isolation != nil
        lineNumber = UInt32(clamping: request.line)
        // There are five options.
        optionBits = UInt8(truncatingIfNeeded: request.options.rawValue)
        wantsNew = request.needs.contains(.new)
        wantsOld = request.needs.contains(.old)
        // The next change needs what this one leaves.
        isReentrant = request.isReentrant
        needs =
            keeping == .nothing
            ? request.needs
            : request.needs.union(request.options.contains(.distinct) ? [.old, .new, .whole] : [.new, .whole])
        super.init(keyPath: keyPath)
    }

    /// The options of the handlers.
    final var options: KeyValueObservingOptions { KeyValueObservingOptions(rawValue: UInt(optionBits)) }
    final var line: UInt { UInt(lineNumber) }
    final var fileID: String { unsafe String(cString: fileName) }
    /// Whether its registrations belong to sequences, which only store changes.
    final var isOfSequences: Bool { form == .inboxes }
    final override var place: String? { "\(fileID):\(line)" }

    private final func note(_ number: RegistrationNumber, _ change: (inout Note) -> Void) {
        isNoted.store(true, ordering: .relaxed)
        Self.noteLock.withLock { change(&notes[number, default: Note()]) }
    }

    /// The last label set; it names the key path if that has no other name.
    final override var label: String? {
        Self.noteLock.withLock { notes.filter { $1.label != nil }.max { $0.key < $1.key }?.value.label }
    }
    final func label(of number: RegistrationNumber) -> String? { Self.noteLock.withLock { notes[number]?.label } }
    final func setLabel(_ label: String?, of number: RegistrationNumber) { note(number) { $0.label = label } }

    final func setObserver(_ observer: ObserverLink, of number: RegistrationNumber) {
        note(number) { $0.observer = observer }
    }

    /// The observer that a registration ends with, if it was added to a controller.
    ///
    /// The reference is retained and released without the lock.
    final func observer(of number: RegistrationNumber) -> ObserverLink? {
        isNoted.load(ordering: .relaxed) ? Self.noteLock.withLock { notes[number]?.observer } : nil
    }

    /// The observer's type, for a registration made through a controller.
    var observer: String? { nil }
    /// Compares values for `.distinct`: an `Equality` of their type.
    @usableFromInline var equality: AnyObject? { nil }
    /// Whether it has the names of a request: its observer, its key path as a string, the actor of its handlers.
    fileprivate func hasNames(of request: borrowing RegistrationRequest) -> Bool { !request.isNamed }
    /// The actor that the handlers belong to; valid while there are handlers.
    fileprivate var isolation: (any Actor)? { nil }
    /// Whether the handlers belong to the main actor, so that only it may change the property.
    final var isOnMainActor: Bool { isIsolated && isolation === MainActor.shared }

    /// Traps if the handlers belong to an actor that the calling code does not run on.
    @inline(__always)
    final func checkIsolation(of object: @autoclosure () -> AnyObject) {
        if _slowPath(isIsolated), let isolation { checkIsolation(isolation, of: object()) }
    }

    private final func checkIsolation(_ actor: any Actor, of object: AnyObject) {
        actor.checkIsCurrent(unsafe StaticString(at: fileName), line) {
            """
            \(plainName) of \(TypeName.of(object)) was changed outside \(TypeName.of(actor)), and the handler that was \
            registered at \(fileID):\(line) belongs to it. Change the object on the actor, register with \
            \(actor.deliveringCall), which calls the handler there, or mark the handler @Sendable if it may run anywhere.
            """
        }
    }

    /// Whether a registration with this request belongs here.
    ///
    /// The notifiers of bindings differ by their targets, and notes concern only the existing registrations.
    final func serves(_ request: borrowing RegistrationRequest, at keyPath: AnyKeyPath) -> Bool {
        self.keyPath === keyPath && lineNumber == request.line && options == request.options
            && needs.isSuperset(of: request.needs) && form == request.form && form != .bindings
            && isReentrant == request.isReentrant
            && (unsafe fileName == request.fileID.utf8Start) && hasNames(of: request)
            && !isNoted.load(ordering: .relaxed)
    }
}

/// A call site that has an observer, a key path as a string, an actor for its handlers, a comparison of values, or a
/// key path with a part that has no name.
@safe private class NamedCallSite: CallSite, @unchecked Sendable {
    private let observerName: String?
    private let keyPathText: String?
    private let unfinished: String?
    /// The actor, which the handlers hold; a call site may outlive them, and then does not use it.
    unowned(unsafe) private let actor: (any Actor)?
    /// Identifies the actor while it lives; afterwards, it differs from an actor of another type at the same address.
    private let actorIdentity: [ObjectIdentifier]
    private let comparison: AnyObject?

    init(
        _ keyPath: AnyKeyPath, _ request: borrowing RegistrationRequest, keeping: Keeping,
        comparing equality: AnyObject?, unfinished: String?
    ) {
        comparison = equality
        self.unfinished = unfinished
        observerName = request.observer
        keyPathText = request.text
        unsafe actor = request.isolation
        actorIdentity = Self.identity(of: request.isolation)
        super.init(keyPath, request, keeping: keeping)
    }

    private static func identity(of actor: (any Actor)?) -> [ObjectIdentifier] {
        actor.map { [ObjectIdentifier($0), ObjectIdentifier(Swift.type(of: $0))] } ?? []
    }

    final override var observer: String? { observerName }
    final override var text: String? { keyPathText }
    final override var unfinishedText: String? { unfinished }
    final override fileprivate var isolation: (any Actor)? { unsafe actor }
    final override var equality: AnyObject? { comparison }

    override fileprivate func hasNames(of request: borrowing RegistrationRequest) -> Bool {
        observerName == request.observer && keyPathText == request.text
            && actorIdentity == Self.identity(of: request.isolation)
    }
}

extension RegistrationRequest {
    fileprivate var isNamed: Bool { observer != nil || text != nil || isolation != nil || options.contains(.distinct) }

    /// The call site of a registration with this request.
    ///
    /// - Returns: The last call site, if it serves the request, or a new one.
    borrowing func callSite(
        after last: CallSite?, at keyPath: AnyKeyPath, keeping: Keeping, comparing equality: AnyObject?
    ) -> CallSite {
        if let last, last.serves(self, at: keyPath) { return last }
        // The name of a registration does not change.
        let unfinished = text == nil ? PropertyNames.unfinishedText(of: keyPath) : nil
        return isNamed || unfinished != nil
            ? NamedCallSite(keyPath, self, keeping: keeping, comparing: equality, unfinished: unfinished)
            : CallSite(keyPath, self, keeping: keeping)
    }

    /// How its registrations at a property keep their last value, if they compare values.
    func keeping(_ type: Any.Type) -> Keeping { isDistinct ? keeping(Keeping(type), of: type) : .nothing }

    /// How its registrations at a watch keep their last value, if they compare values or requested old ones.
    func keeping(_ subject: WatchSubject) -> Keeping {
        isDistinct || needs.contains(.old) ? keeping(subject.keeping, of: subject.valueType) : .nothing
    }

    /// How values of a type are kept, if their natural form is `natural`.
    private func keeping(_ natural: Keeping, of type: Any.Type) -> Keeping {
        // An action always needs an old value, and nil may stand for an object that has died.
        givesWholes && type is AnyClass ? .value : natural
    }

    /// Whether each call has the old and the new whole value, even if only some elements change.
    var givesWholes: Bool { form == .values }

    /// Whether its registrations are called with distinct values only; inboxes and sequences compare values themselves.
    var isDistinct: Bool { options.contains(.distinct) && [.handlers, .sharedHandlers, .values].contains(form) }

    /// Whether its registrations fill an inbox, which makes the first call itself.
    var isOfInbox: Bool { form == .inboxes }
}
