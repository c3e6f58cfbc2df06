// What the registrations of one call site share.

/// The key path that a change carries.
///
/// Changes hold this and not the registration: a handler that keeps changes in what it captures would keep itself. And
/// they do not hold the key path itself: all threads use the same one, and counting references to it would make them
/// wait for one another.
@usableFromInline
class ChangeKeyPath {
    let keyPath: AnyKeyPath

    @usableFromInline
    init(keyPath: AnyKeyPath) {
        self.keyPath = keyPath
    }

    /// The key path as it was given, if that was a string.
    var text: String? { nil }
    /// Where the registration was made, if this belongs to one.
    var place: String? { nil }

    /// Ends the registrations of the call that this belongs to, if it belongs to one; traps if that has its token.
    func endObservation() {}

    /// The key path, for people.
    final var name: String { text ?? PropertyNames.text(of: keyPath) }
}

/// What the registrations share that one line of a program makes at one key path of one object.
@usableFromInline
@safe class CallSite: ChangeKeyPath, @unchecked Sendable {
    let notifier: RegistrationRequest.Notifier
    /// Where the file's name begins, which ends with a zero.
    private let fileName: UnsafePointer<UInt8>
    private let lineNumber: UInt32
    private let optionBits: UInt8
    private let needBits: UInt8
    private let form: RegistrationRequest.Form
    private let isIsolated: Bool

    fileprivate init(
        _ keyPath: AnyKeyPath, _ request: borrowing RegistrationRequest,
        notifier: @escaping RegistrationRequest.Notifier
    ) {
        self.notifier = notifier
        unsafe fileName = request.fileID.utf8Start
        form = request.form
        isIsolated = request.isolation != nil
        lineNumber = UInt32(clamping: request.line)
        // There are five options.
        optionBits = UInt8(truncatingIfNeeded: request.options.rawValue)
        needBits = UInt8(truncatingIfNeeded: request.needs.rawValue)
        super.init(keyPath: keyPath)
    }

    /// What the handlers asked for.
    final var options: KeyValueObservingOptions { KeyValueObservingOptions(rawValue: UInt(optionBits)) }
    /// What must be read for them, which may be more.
    final var needs: KeyValueObservingOptions { KeyValueObservingOptions(rawValue: UInt(needBits)) }
    final var line: UInt { UInt(lineNumber) }
    final var fileID: String { unsafe String(cString: fileName) }
    final override var place: String? { "\(fileID):\(line)" }

    override func endObservation() {
        fatalError(
            """
            endObservation() cannot end the observation of \(name) that was registered at \(fileID):\(line) without .initial. \
            Register with .initial, or end it by its token's invalidate() or its controller's unobserve(_:).
            """)
    }

    /// The observer's type, for a registration made through a controller.
    var observer: String? { nil }
    /// Whether it has the names that a request has: its observer, its key path as a string, the actor of its handlers.
    fileprivate func hasNames(of request: borrowing RegistrationRequest) -> Bool { !request.isNamed }
    /// The actor that the handlers belong to; to be asked while there are any.
    fileprivate var isolation: (any Actor)? { nil }

    /// Traps if the handlers belong to an actor that the calling code does not run on.
    @inline(__always)
    final func checkIsolation(of object: @autoclosure () -> AnyObject) {
        if _slowPath(isIsolated), let isolation { checkIsolation(isolation, of: object()) }
    }

    private final func checkIsolation(_ actor: any Actor, of object: AnyObject) {
        actor.checkIsCurrent {
            """
            \(name) of \(TypeName.of(object)) was changed outside \(TypeName.of(actor)), and the handler that was \
            registered at \(fileID):\(line) belongs to it. Change the object on the actor, register with \
            \(actor.deliveringCall), which calls the handler there, or mark the handler @Sendable if it may run anywhere.
            """
        }
    }

    /// Whether a registration with this request belongs here.
    final func serves(_ request: borrowing RegistrationRequest, at keyPath: AnyKeyPath) -> Bool {
        self.keyPath === keyPath && lineNumber == request.line && options == request.options
            && needs == request.needs && form == request.form && (unsafe fileName == request.fileID.utf8Start)
            && hasNames(of: request)
    }
}

/// A call site that names its observer, its key path as a string, or the actor of its handlers.
@safe private class NamedCallSite: CallSite, @unchecked Sendable {
    private let observerName: String?
    private let keyPathText: String?
    /// Held by the handlers; a call site may outlive them, and then does not use it.
    unowned(unsafe) private let actor: (any Actor)?
    /// Tells the actor from others while it lives, and from one of another type that has its address after that.
    private let actorIdentity: ActorIdentity?

    private struct ActorIdentity: Equatable {
        let address: ObjectIdentifier
        let type: ObjectIdentifier

        init(_ actor: any Actor) {
            address = ObjectIdentifier(actor)
            type = ObjectIdentifier(Swift.type(of: actor))
        }
    }

    override init(
        _ keyPath: AnyKeyPath, _ request: borrowing RegistrationRequest,
        notifier: @escaping RegistrationRequest.Notifier
    ) {
        observerName = request.observer
        keyPathText = request.text
        unsafe actor = request.isolation
        actorIdentity = request.isolation.map(ActorIdentity.init)
        super.init(keyPath, request, notifier: notifier)
    }

    final override var observer: String? { observerName }
    final override var text: String? { keyPathText }
    final override fileprivate var isolation: (any Actor)? { unsafe actor }

    override fileprivate func hasNames(of request: borrowing RegistrationRequest) -> Bool {
        observerName == request.observer && keyPathText == request.text
            && actorIdentity == request.isolation.map(ActorIdentity.init)
    }
}

/// A call site of registrations that their handlers can end, each its own.
@safe private final class SelfEndingCallSite: NamedCallSite, @unchecked Sendable {
    private let ending: SelfEnding

    init(_ keyPath: AnyKeyPath, _ request: borrowing RegistrationRequest, _ ending: SelfEnding) {
        self.ending = ending
        let notifier = request.notifier
        super.init(keyPath, request) { message in
            if ending.isRequested { message.skip() } else { notifier(message) }
        }
    }

    override func endObservation() { ending.end() }

    override fileprivate func hasNames(of request: borrowing RegistrationRequest) -> Bool { false }
}

extension RegistrationRequest {
    fileprivate var isNamed: Bool { observer != nil || text != nil || isolation != nil || ending != nil }

    /// The call site of a registration with this request.
    ///
    /// - Parameters:
    ///   - last: The call site of the registration before it, which may be the same.
    ///   - keyPath: Where it is made.
    /// - Returns: The last one, if it serves, or a new one.
    borrowing func callSite(after last: CallSite?, at keyPath: AnyKeyPath) -> CallSite {
        if let last, last.serves(self, at: keyPath) { return last }
        if let ending { return SelfEndingCallSite(keyPath, self, ending) }
        return isNamed
            ? NamedCallSite(keyPath, self, notifier: notifier) : CallSite(keyPath, self, notifier: notifier)
    }
}
