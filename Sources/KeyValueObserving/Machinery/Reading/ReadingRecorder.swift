// Which observed properties are read while a key path is evaluated.
public import CKeyValueObserving

/// Wants to know which observed properties are read on its thread while a key path is evaluated.
///
/// The getter of every observed property reports to the recorder of its thread, if there is one.
@usableFromInline
class ReadingRecorder {
    // Only its thread uses a recorder, and no access lasts while other code runs.
    @exclusivity(unchecked) private var spiral = ReadingSpiral()
    /// What is expected to be read, from the start.
    @exclusivity(unchecked) final var expected: ContiguousArray<PathRead> = []
    /// How many reads came as expected.
    @exclusivity(unchecked) private final var expectedCount = 0
    /// Tells the accessor that reports from others; 0 if nothing does.
    @exclusivity(unchecked) private(set) final var reader: UInt = 0

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
    @inline(__always)
    static func report<Object: KeyValueObservable, Value>(
        _ object: Object, wrapped: () -> ReferenceWritableKeyPath<Object, Value>,
        storage: () -> ReferenceWritableKeyPath<Object, Observed<Value>>
    ) {
        guard let recorder = unsafe current else { return }
        let table = object.keyValueRegistrar.tableAddress
        let reader = plainFunction(of: storage)
        if unsafe recorder._withUnsafeGuaranteedRef({ $0.isExpected(table, readBy: reader) }) { return }
        unsafe report(object, in: table, to: recorder, readBy: reader, wrapped: wrapped, storage: storage)
    }

    /// Tells it of a property that is not known by what reads it to be the one that is expected.
    @inline(never)
    private static func report<Object: KeyValueObservable, Value>(
        _ object: Object, in table: UInt, to recorder: Unmanaged<ReadingRecorder>, readBy reader: UInt,
        wrapped: () -> ReferenceWritableKeyPath<Object, Value>,
        storage: () -> ReferenceWritableKeyPath<Object, Observed<Value>>
    ) {
        unsafe recorder._withUnsafeGuaranteedRef { recorder in
            if reader != 0, recorder.noteAlike(object, readBy: reader) { return }
            let property = PropertyIdentity(of: object, storage: storage(), wrapped: wrapped())
            if recorder.isExpected(table, property) { return }
            unsafe recorder.reader = reader
            defer { unsafe recorder.reader = 0 }
            unsafe recorder.spiral.note(object, property) {
                PropertyNames.name(ofStorage: storage()) ?? "\(wrapped())"
            }
            recorder.note(object, property, Value.self) { (wrapped(), storage()) }
        }
    }

    /// Tells the recorder of this thread that a property is being read through a view, which does not know its key path.
    static func report<Object: KeyValueObservable, Value>(
        _ object: Object, _ property: PropertyIdentity,
        viewed storage: ReferenceWritableKeyPath<Object, Observed<Value>>
    ) {
        guard let recorder = unsafe current?.takeUnretainedValue(),
            !recorder.isExpected(object.keyValueRegistrar.tableAddress, property)
        else { return }
        unsafe recorder.spiral.note(object, property) { PropertyNames.name(ofStorage: storage) ?? "\(storage)" }
        recorder.note(object, property, Value.self) { (nil, storage) }
    }

    /// Tells the recorder of this thread that a property is being read that notifies by hand.
    static func report<Object: KeyValueObservable, Value>(_ object: Object, byHand keyPath: KeyPath<Object, Value>) {
        guard let recorder = unsafe current?.takeUnretainedValue() else { return }
        let property = PropertyIdentity(byHand: keyPath)
        if recorder.isExpected(object.keyValueRegistrar.tableAddress, property) { return }
        unsafe recorder.spiral.note(object, property) { "\(keyPath)" }
        recorder.note(object, property, Value.self) { (keyPath, nil) }
    }

    /// Expects certain reads, of which nothing is to be noted as long as they come in that order.
    final func expect(_ reads: ContiguousArray<PathRead>) {
        unsafe expected = reads
        unsafe expectedCount = 0
    }

    /// Expects the same reads once more.
    final func expectAgain() { unsafe expectedCount = 0 }

    /// Takes the read that is expected next for the one that came.
    final func agree() { unsafe expectedCount += 1 }

    /// How many reads came as expected.
    final var agreed: Int { unsafe expectedCount }

    /// Whether a read is the one that is expected next.
    ///
    /// What comes as expected ends with what is expected, so no getter that waits for itself goes on like that.
    private final func isExpected(_ table: UInt, _ property: PropertyIdentity) -> Bool {
        isExpected { $0.place.isOf(table) && $0.place.property == property }
    }

    /// The same by what gives the key path of the property's storage.
    ///
    /// A function that captures nothing gives the same key path each time, so the property need not be found out.
    private final func isExpected(_ table: UInt, readBy reader: UInt) -> Bool {
        reader != 0 && isExpected { $0.place.isOf(table) && $0.shape.reader == reader }
    }

    @inline(__always)
    private final func isExpected(_ isIt: (PathRead) -> Bool) -> Bool {
        guard unsafe expectedCount < expected.count, unsafe isIt(expected[expectedCount]) else { return false }
        unsafe expectedCount += 1
        return true
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

    /// Takes note of a property that is being read, if all there is to know of it is known from another object.
    func noteAlike<Object: KeyValueObservable>(_ object: Object, readBy reader: UInt) -> Bool { false }

    /// Tells the recorder of this thread that a key path that was put together goes on with another one.
    ///
    /// It cannot be seen in the components of the whole.
    static func continues(with part: AnyKeyPath) { unsafe current?.takeUnretainedValue().noteContinuation(part) }

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

    /// The recorder of this thread, which its `recording` holds.
    private static var current: Unmanaged<ReadingRecorder>? {
        unsafe kvo_recording().map { unsafe Unmanaged<ReadingRecorder>.fromOpaque($0) }
    }

    private static func replaced<Result>(by recorder: ReadingRecorder?, _ body: () -> Result) -> Result {
        let outer = unsafe kvo_recording()
        // The caller of `recording` keeps the recorder alive until this returns.
        unsafe kvo_set_recording(recorder.map { unsafe Unmanaged.passUnretained($0).toOpaque() })
        defer { unsafe kvo_set_recording(outer) }
        return withExtendedLifetime(recorder, body)
    }
}

/// The address of a closure's function, if it captures nothing; 0 if it captures something.
@_silgen_name("kvo_get_plain_function")
private func plainFunction<Object: KeyValueObservable, Value>(
    of closure: () -> ReferenceWritableKeyPath<Object, Observed<Value>>
) -> UInt
