// A binding in one direction.
import Synchronization

/// Sets a property of a target whenever a source changes.
///
/// The source's registration owns it. It holds neither the source nor the target.
final class OneWayBinding<Source: KeyValueObservable, Target: AnyObject, Value, Output>: @unchecked Sendable {
    private let subject: ObservedSubject<Source, Value>
    private weak let target: Target?
    private let targetKeyPath: ReferenceWritableKeyPath<Target, Output>
    private let site: BindingSite
    private let transform: (Value) -> Output
    /// How many changes have arrived.
    private let arrivals = Atomic(0)
    private let token = Guarded(Token())

    private struct Token {
        weak var observation: KeyValueObservation?
        var isKnown = false
    }

    init(
        _ subject: ObservedSubject<Source, Value>, to target: Target,
        _ targetKeyPath: ReferenceWritableKeyPath<Target, Output>, _ site: BindingSite,
        transform: @escaping (Value) -> Output
    ) {
        self.subject = subject
        self.target = target
        self.targetKeyPath = targetKeyPath
        self.site = site
        self.transform = transform
    }

    /// Notes the token of the registration, so that the binding can end it.
    func note(_ observation: KeyValueObservation) {
        token.withLock { $0 = Token(observation: observation, isKnown: true) }
    }

    /// Whether the registration has ended.
    private var hasEnded: Bool {
        let token = token.withLock { $0 }
        return token.isKnown && token.observation?.isInvalidated ?? true
    }

    /// Passes a change on.
    ///
    /// The other handlers are called before, as they would be inside the set below. If one of them changes the source,
    /// that change is passed on meanwhile, and this one must not overwrite it.
    func pass(_ change: KeyValueObservedChange<Value>, of source: Source) {
        guard let target else {
            token.withLock { $0.observation }?.invalidate()
            return
        }
        site.checkIsolation(subject.name, of: source)
        let number = arrivals.add(1, ordering: .relaxed).newValue
        Delivery.completeAll()
        // A change of elements carries only these.
        let whole = change.kind == .setting ? change.newValue : nil
        let output = transform(whole ?? subject.value(of: source))
        guard arrivals.load(ordering: .relaxed) == number, !hasEnded else { return }
        site.tracing(target, targetKeyPath) { target[keyPath: targetKeyPath] = output }
    }
}
