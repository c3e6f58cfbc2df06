// A binding in one direction.
import Synchronization

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
    /// How many changes have arrived.
    private let arrivals = Atomic(0)

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
        let arrival = arrive(from: source)
        // A change of elements carries only these.
        let whole = message.unretainedElements == nil ? message.values.new(as: Value.self) : nil
        let value = whole ?? message.values.whole(as: Value.self) ?? value(of: source)
        if isLast(arrival) { set(target) { target[keyPath: targetKeyPath] = value } }
    }

    /// Ends it, as its target is gone.
    @usableFromInline
    func endWithTarget() { token?.invalidate() }

    /// Notes that a change is about to be passed on, and has the other handlers called before, as they would be inside
    /// the set of the target.
    ///
    /// - Returns: The number of the change.
    @usableFromInline
    func arrive(from source: Source) -> Int {
        bindingSite.checkIsolation(subject.name, of: source)
        let number = arrivals.add(1, ordering: .relaxed).newValue
        Delivery.completeAll()
        return number
    }

    /// Whether a change may still be passed on.
    ///
    /// If a handler that was called before has changed the source again, that change has been passed on meanwhile, and
    /// this one must not overwrite it.
    @usableFromInline
    func isLast(_ arrival: Int) -> Bool { arrivals.load(ordering: .relaxed) == arrival && !hasEnded }

    @usableFromInline
    func value(of source: Source) -> Value { subject.value(of: source) }

    @usableFromInline
    func set(_ target: Target, _ body: () -> Void) { bindingSite.tracing(target, targetKeyPath, body) }
}
