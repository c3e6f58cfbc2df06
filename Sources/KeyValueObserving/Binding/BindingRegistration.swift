// A binding in one direction, and the place where a binding was made.

/// A registration that sets a property of a target whenever a source changes.
///
/// It holds neither the source nor the target.
@usableFromInline
final class BindingRegistration<Source: KeyValueObservable, Target: AnyObject, Value>: Registration, @unchecked Sendable
{
    private let subject: ObservedSubject<Source, Value>
    private let reference: RootReference<Target>
    @usableFromInline let targetKeyPath: ReferenceWritableKeyPath<Target, Value>
    private let bindingSite: BindingSite
    /// The token, which ends with the target; set once, before the first call.
    weak var token: KeyValueObservation?

    init(
        _ subject: ObservedSubject<Source, Value>, to target: Target,
        _ targetKeyPath: ReferenceWritableKeyPath<Target, Value>, _ site: BindingSite
    ) {
        self.subject = subject
        reference = RootReference(target)
        self.targetKeyPath = targetKeyPath
        bindingSite = site
        super.init()
    }

    @usableFromInline var target: Target? { reference.object }

    /// Passes a change on to the targets of a call site, one after the other.
    @inlinable
    static func notify(_ message: borrowing ChangeMessage) {
        let source = message.object
        message.forEachRegistration { binding in
            let binding = unsafe unsafeDowncast(binding, to: Self.self)
            source.with { unsafe binding.pass(message, of: unsafeDowncast($0, to: Source.self)) }
        }
    }

    @inlinable
    func pass(_ message: borrowing ChangeMessage, of source: Source) {
        guard let target else { return endWithTarget() }
        checkIsolation(of: source)
        // A change of elements carries only the elements.
        let whole =
            message.isOfElements ? message.values.whole(as: Value.self) : message.newValue(as: Value.self)
        let value = whole ?? value(of: source)
        if isTraced {
            set(target) { target[keyPath: targetKeyPath] = value }
        } else {
            target[keyPath: targetKeyPath] = value
        }
    }

    @usableFromInline var isTraced: Bool { EngineTrace.isOn }

    @usableFromInline func endWithTarget() { token?.invalidate() }

    @usableFromInline
    func checkIsolation(of source: Source) { bindingSite.checkIsolation(subject.name, of: source) }

    @usableFromInline func value(of source: Source) -> Value { subject.value(of: source) }

    @usableFromInline
    func set(_ target: Target, _ body: () -> Void) { bindingSite.tracing(target, targetKeyPath, body) }
}

/// The place where a binding was made, and the actor that both of its ends belong to.
struct BindingSite {
    /// Held weakly, as a handler that does not use its actor does not hold it.
    weak let actor: (any Actor)?
    let fileID: StaticString
    let line: UInt

    init(_ actor: (any Actor)?, _ fileID: StaticString, _ line: UInt) {
        (self.actor, self.fileID, self.line) = (actor, fileID, line)
    }

    /// Traps if the calling code, which is about to set a target, does not run on the actor.
    func checkIsolation(_ name: @autoclosure () -> String, of object: AnyObject) {
        guard let actor else { return }
        actor.checkIsCurrent(fileID, line) {
            """
            \(name()) of \(TypeName.of(object)) was changed outside \(TypeName.of(actor)), and the binding that was made \
            at \(fileID):\(line) belongs to it. Change the object on the actor, or set the other one in a handler of \
            \(actor.deliveringCall).
            """
        }
    }

    /// Sets a target, and reports that if tracing is on.
    func tracing(_ target: AnyObject, _ keyPath: AnyKeyPath, _ set: () -> Void) {
        guard EngineTrace.isOn else { return set() }
        let name = EngineTrace.Name { PropertyNames.text(of: keyPath) }
        EngineTrace.during({ $0.begin(.binding, of: target, name, at: (fileID, line), cause: EngineTrace.cause) }, set)
    }
}
