// A binding in both directions.

/// Sets each of two properties whenever the other one changes, until they agree.
///
/// They agree if one of them is what is made of the other one. So a conversion may lose something, or make nothing.
///
/// Its two registrations own it, and it owns neither of the objects.
final class TwoWayBinding<
    Left: KeyValueObservable, Right: KeyValueObservable, LeftValue: Equatable, RightValue: Equatable
>:
    @unchecked Sendable
{
    private weak let left: Left?
    private weak let right: Right?
    private let leftKeyPath: ReferenceWritableKeyPath<Left, LeftValue>
    private let rightKeyPath: ReferenceWritableKeyPath<Right, RightValue>
    private let makeRight: (LeftValue) -> RightValue?
    private let makeLeft: (RightValue) -> LeftValue?
    private let site: BindingSite
    /// The two directions are never called one inside the other.
    private let runner = RunnerNumber.next()
    /// The token of the two registrations, once they are made.
    private let token = Guarded<WeakReference<KeyValueObservation>?>(nil)

    init(
        _ left: Left, _ leftKeyPath: ReferenceWritableKeyPath<Left, LeftValue>, _ right: Right,
        _ rightKeyPath: ReferenceWritableKeyPath<Right, RightValue>, _ site: BindingSite,
        makeRight: @escaping (LeftValue) -> RightValue?, makeLeft: @escaping (RightValue) -> LeftValue?
    ) {
        self.left = left
        self.right = right
        self.leftKeyPath = leftKeyPath
        self.rightKeyPath = rightKeyPath
        self.site = site
        self.makeRight = makeRight
        self.makeLeft = makeLeft
    }

    /// Registers on both objects, and gives the right one the left one's value.
    func begin() -> KeyValueObservation {
        // An object that is being deinitialized is bound to nothing.
        guard let left, let right else { return KeyValueObservation([]) }
        let token = KeyValueObservation([
            observe(left, leftKeyPath, for: right) { $0.passFromLeft() },
            observe(right, rightKeyPath, for: left) { $0.passFromRight() },
        ])
        self.token.withLock { $0 = WeakReference(token) }
        passFromLeft(first: true)
        return token
    }

    private func observe<Object: KeyValueObservable, Value>(
        _ object: Object, _ keyPath: KeyPath<Object, Value>, for other: AnyObject,
        pass: @escaping (TwoWayBinding) -> Void
    ) -> KeyValueObservation {
        let direction = Direction(self)
        let request = RegistrationRequest(
            [], observer: TypeName.of(other), isolation: nil, site.fileID, site.line, runner: runner,
            notifier: { TypedRegistration<Object, Value>.notify($0) })
        return object.register(
            .keyPath(keyPath), TypedRegistration<Object, Value> { _, _ in pass(direction.binding) }, request)
    }

    /// What a handler has of the binding.
    ///
    /// An object that dies releases its handler, which ends the other direction.
    private final class Direction {
        let binding: TwoWayBinding

        init(_ binding: TwoWayBinding) {
            self.binding = binding
        }

        deinit {
            binding.end()
        }
    }

    private func passFromLeft(first isFirst: Bool = false) {
        guard let left, let right else { return end() }
        pass(left, leftKeyPath, to: right, rightKeyPath, making: makeRight, back: isFirst ? nil : makeLeft)
    }

    private func passFromRight() {
        guard let left, let right else { return end() }
        pass(right, rightKeyPath, to: left, leftKeyPath, making: makeLeft, back: makeRight)
    }

    /// Sets the target to what is made of the source's value, unless they agree already.
    private func pass<Source: AnyObject, Value: Equatable, Target: AnyObject, Output: Equatable>(
        _ source: Source, _ keyPath: KeyPath<Source, Value>, to target: Target,
        _ targetKeyPath: ReferenceWritableKeyPath<Target, Output>, making make: (Value) -> Output?,
        back makeBack: ((Output) -> Value?)?
    ) {
        site.checkIsolation(PropertyNames.text(of: keyPath), of: source)
        if hasEnded { return }
        let (value, known) = (source[keyPath: keyPath], target[keyPath: targetKeyPath])
        guard let output = make(value), !agree(output, known) else { return }
        if let back = makeBack?(known), agree(back, value) { return }
        site.tracing(target, targetKeyPath) { target[keyPath: targetKeyPath] = output }
    }

    /// Whether two values are equal; a value that is unequal to itself, such as `Double.nan`, agrees with its copy.
    private func agree<Value: Equatable>(_ left: Value, _ right: Value) -> Bool {
        left == right || isSameCopy(left, right)
    }

    private var hasEnded: Bool {
        guard let known = token.withLock({ $0.map(\.object) }) else { return false }
        return known?.isInvalidated ?? true
    }

    private func end() { token.withLock { $0?.object }?.invalidate() }
}
