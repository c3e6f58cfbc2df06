// A binding in one direction.

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
        while let binding = message.next() {
            binding.with { binding in
                let binding = unsafe unsafeDowncast(binding, to: Self.self)
                source.with { unsafe binding.pass(message, of: unsafeDowncast($0, to: Source.self)) }
            }
        }
    }

    /// Passes a change on.
    @inlinable
    func pass(_ message: borrowing ChangeMessage, of source: Source) {
        guard let target else { return endWithTarget() }
        checkIsolation(of: source)
        // A change of elements carries only these.
        let whole = message.unretainedEdit == nil ? message.values.new(as: Value.self) : nil
        let value = whole ?? message.values.whole(as: Value.self) ?? value(of: source)
        if isReporting {
            set(target) { target[keyPath: targetKeyPath] = value }
        } else {
            target[keyPath: targetKeyPath] = value
        }
    }

    /// Ends it, as its target is gone.
    @usableFromInline
    func endWithTarget() { token?.invalidate() }

    @usableFromInline
    func checkIsolation(of source: Source) { bindingSite.checkIsolation(subject.name, of: source) }

    @usableFromInline
    func value(of source: Source) -> Value { subject.value(of: source) }

    @usableFromInline var isReporting: Bool { EngineTrace.isReporting }

    @usableFromInline
    func set(_ target: Target, _ body: () -> Void) { bindingSite.tracing(target, targetKeyPath, body) }
}
