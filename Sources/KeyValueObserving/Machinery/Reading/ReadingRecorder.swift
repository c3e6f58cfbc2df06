// Which observed properties are read while a key path is evaluated.
public import CKeyValueObserving

/// Wants to know which observed properties are read on its thread while a key path is evaluated.
///
/// The getter of every observed property reports to the recorder of its thread, if there is one.
@usableFromInline
class ReadingRecorder {
    private var spiral = ReadingSpiral()

    /// Whether a recorder is listening on this thread.
    @inlinable
    static var isRecording: Bool {
        @inline(__always) get { unsafe kvo_recording() != nil }
    }

    /// Tells the recorder of this thread that a property is being read.
    ///
    /// - Parameters:
    ///   - object: The object that is read.
    ///   - wrapped: Gives the property's key path.
    ///   - storage: Gives the key path of its storage.
    @usableFromInline
    static func report<Object: KeyValueObservable, Value>(
        _ object: Object, wrapped: () -> ReferenceWritableKeyPath<Object, Value>,
        storage: () -> ReferenceWritableKeyPath<Object, Observed<Value>>
    ) {
        guard let recorder = current else { return }
        let property = PropertyIdentity(of: object, storage: storage(), wrapped: wrapped())
        recorder.spiral.note(object, property) { PropertyNames.name(ofStorage: storage()) ?? "\(wrapped())" }
        recorder.note(object, property, Value.self) { (wrapped(), storage()) }
    }

    /// Tells the recorder of this thread that a property is being read through a view, which does not know its key path.
    static func report<Object: KeyValueObservable, Value>(
        _ object: Object, _ property: PropertyIdentity,
        viewed storage: ReferenceWritableKeyPath<Object, Observed<Value>>
    ) {
        guard let recorder = current else { return }
        recorder.spiral.note(object, property) { PropertyNames.name(ofStorage: storage) ?? "\(storage)" }
        recorder.note(object, property, Value.self) { (nil, storage) }
    }

    /// Tells the recorder of this thread that a property is being read that notifies by hand.
    static func report<Object: KeyValueObservable, Value>(_ object: Object, byHand keyPath: KeyPath<Object, Value>) {
        guard let recorder = current else { return }
        let property = PropertyIdentity(byHand: keyPath)
        recorder.spiral.note(object, property) { "\(keyPath)" }
        recorder.note(object, property, Value.self) { (keyPath, nil) }
    }

    /// Takes note of a property that is being read, before it is read.
    ///
    /// - Parameters:
    ///   - object: The object that is read.
    ///   - property: Its property.
    ///   - type: The type of the property.
    ///   - keyPaths: Gives the key path of the property, if that is known, and that of its storage, if it has one.
    func note<Object: KeyValueObservable>(
        _ object: Object, _ property: PropertyIdentity, _ type: Any.Type,
        _ keyPaths: () -> (wrapped: AnyKeyPath?, storage: AnyKeyPath?)
    ) {
        preconditionFailure("a subclass takes note")
    }

    /// Tells the recorder of this thread that a key path that was put together goes on with another one.
    ///
    /// It cannot be seen in the components of the whole.
    static func continues(with part: AnyKeyPath) { current?.noteContinuation(part) }

    /// Takes note of the part of a key path that is read from here on.
    func noteContinuation(_ part: AnyKeyPath) {}

    /// Evaluates `body` with this recorder listening.
    final func recording<Result>(_ body: () -> Result) -> Result {
        Self.replaced(by: self, body)
    }

    /// Runs code whose reading is of no interest to the evaluation in progress: handlers, questions to classes.
    @usableFromInline
    static func suspended<Result>(_ body: () -> Result) -> Result {
        isRecording ? replaced(by: nil, body) : body()
    }

    private static var current: ReadingRecorder? {
        unsafe kvo_recording().map { unsafe Unmanaged<ReadingRecorder>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func replaced<Result>(by recorder: ReadingRecorder?, _ body: () -> Result) -> Result {
        let outer = unsafe kvo_recording()
        // The caller of `recording` keeps the recorder alive until this returns.
        unsafe kvo_set_recording(recorder.map { unsafe Unmanaged.passUnretained($0).toOpaque() })
        defer { unsafe kvo_set_recording(outer) }
        return withExtendedLifetime(recorder, body)
    }
}
