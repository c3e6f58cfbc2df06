// A binding in both directions.

/// Sets each of two properties whenever the other one changes, until they agree.
///
/// Its two registrations own it, and it owns neither of the objects.
final class TwoWayBinding<
    Left: KeyValueObservable, Right: KeyValueObservable, LeftValue: Equatable, RightValue: Equatable
>: @unchecked Sendable {
    /// One end of the binding.
    struct End<Object: KeyValueObservable, Value: Equatable> {
        weak let object: Object?
        let keyPath: ReferenceWritableKeyPath<Object, Value>
    }

    private let left: End<Left, LeftValue>
    private let right: End<Right, RightValue>
    private let makeRight: (LeftValue) -> RightValue?
    private let makeLeft: (RightValue) -> LeftValue?
    private let site: BindingSite
    /// The two directions share it.
    private let baton = Baton()
    /// The token of the two registrations, once they are made.
    private let token = Guarded<WeakReference<KeyValueObservation>?>(nil)

    init(
        _ left: Left, _ leftKeyPath: ReferenceWritableKeyPath<Left, LeftValue>, _ right: Right,
        _ rightKeyPath: ReferenceWritableKeyPath<Right, RightValue>, _ site: BindingSite,
        makeRight: @escaping (LeftValue) -> RightValue?, makeLeft: @escaping (RightValue) -> LeftValue?
    ) {
        self.left = End(object: left, keyPath: leftKeyPath)
        self.right = End(object: right, keyPath: rightKeyPath)
        (self.makeRight, self.makeLeft, self.site) = (makeRight, makeLeft, site)
    }

    /// Registers on both objects, and sets the right property to the left one's value.
    func begin() -> KeyValueObservation {
        // An object that is being deinitialized cannot be bound.
        guard let leftObject = left.object, let rightObject = right.object else { return KeyValueObservation([]) }
        let token = KeyValueObservation([
            observe(leftObject, left.keyPath, for: rightObject) { $0.passFromLeft() },
            observe(rightObject, right.keyPath, for: leftObject) { $0.passFromRight() },
        ])
        self.token.withLock { $0 = WeakReference(token) }
        site.checkIsolation(PropertyNames.text(of: left.keyPath), of: leftObject)
        if baton.take() {
            // Changes that handlers make while the right property gets its first value are passed on at once.
            let first = output(of: left, to: right, making: makeRight, back: nil)
            baton.layDown()
            if let first { set(rightObject, right.keyPath, to: first) }
        } else {
            // Another thread is passing on changes.
            baton.handOver(Baton.Call(of: leftObject) { [self] in pass(left, to: right, making: makeRight, back: nil) })
        }
        return token
    }

    private func observe<Object: KeyValueObservable, Value>(
        _ object: Object, _ keyPath: KeyPath<Object, Value>, for other: AnyObject,
        pass: @escaping (TwoWayBinding) -> Void
    ) -> KeyValueObservation {
        let (direction, site) = (Direction(self), site)
        let registration = BatonRegistration<Object, Value>(sharing: baton) { object in
            site.checkIsolation(PropertyNames.text(of: keyPath), of: object)
        } _: { _, _ in
            pass(direction.binding)
        }
        return object.register(
            .keyPath(keyPath), registration,
            BatonRegistration<Object, Value>.request(
                [], observer: TypeName.of(other), isolation: nil, site.fileID, site.line))
    }

    /// A handler's reference to the binding.
    ///
    /// An object that dies releases its handler, which ends the other direction.
    private final class Direction {
        let binding: TwoWayBinding

        init(_ binding: TwoWayBinding) { self.binding = binding }

        deinit { binding.end() }
    }

    private func passFromLeft() { pass(left, to: right, making: makeRight, back: makeLeft) }

    private func passFromRight() { pass(right, to: left, making: makeLeft, back: makeRight) }

    /// Sets the target to the converted value of the source, unless they agree already.
    private func pass<Source, Value, Target, Output>(
        _ source: End<Source, Value>, to target: End<Target, Output>, making make: (Value) -> Output?,
        back makeBack: ((Output) -> Value?)?
    ) {
        guard source.object != nil, let other = target.object else { return end() }
        if hasEnded { return }
        if let output = output(of: source, to: target, making: make, back: makeBack) {
            set(other, target.keyPath, to: output)
        }
    }

    /// The converted value of the source; nil if it agrees with the target's value.
    private func output<Source, Value, Target, Output>(
        of source: End<Source, Value>, to target: End<Target, Output>, making make: (Value) -> Output?,
        back makeBack: ((Output) -> Value?)?
    ) -> Output? {
        guard let object = source.object, let other = target.object else { return nil }
        let (value, known) = (object[keyPath: source.keyPath], other[keyPath: target.keyPath])
        guard let output = make(value), !agree(output, known) else { return nil }
        if let back = makeBack?(known), agree(back, value) { return nil }
        return output
    }

    private func set<Target: AnyObject, Output>(
        _ target: Target, _ keyPath: ReferenceWritableKeyPath<Target, Output>, to value: Output
    ) {
        site.tracing(target, keyPath) { target[keyPath: keyPath] = value }
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
