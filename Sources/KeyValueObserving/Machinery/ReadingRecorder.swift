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
    ///   - property: The property.
    ///   - wrapped: Gives the property's key path.
    ///   - storage: Gives the key path of its storage.
    @usableFromInline
    static func report<Object: KeyValueObservable>(
        _ object: Object, _ property: PropertyIdentity, wrapped: () -> AnyKeyPath, storage: () -> AnyKeyPath
    ) {
        guard let recorder = current else { return }
        recorder.spiral.note(object, property) { PropertyNames.name(ofStorage: storage()) ?? "\(wrapped())" }
        recorder.note(object, property) { (wrapped(), storage()) }
    }

    /// Takes note of a property that is being read, before it is read.
    func note<Object: KeyValueObservable>(
        _ object: Object, _ property: PropertyIdentity, _ keyPaths: () -> (wrapped: AnyKeyPath, storage: AnyKeyPath)
    ) {
        preconditionFailure("a subclass takes note")
    }

    /// Evaluates `body` with this recorder listening.
    final func recording<Result>(_ body: () -> Result) -> Result {
        Self.replaced(by: self, body)
    }

    /// Runs code whose reading is of no interest to the evaluation in progress: handlers, questions to classes.
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

/// Recognizes a getter that leads back to itself, before the stack ends.
///
/// A property that is read again and again, each time deeper in the stack, is read by a getter that waits for itself.
private struct ReadingSpiral {
    private var object: ObjectIdentifier?
    private var property = PropertyIdentity(rawValue: 0)
    private var depth: UInt = 0
    private var turns = 0
    private var names: [String] = []
    private var readsSinceReset = 0

    /// So many turns, each deeper than the one before, are no honest recursion through one property.
    private static let limit = 2_000

    mutating func note(_ object: AnyObject, _ property: PropertyIdentity, name: () -> String) {
        readsSinceReset += 1
        let here = stackDepth()
        guard self.object == ObjectIdentifier(object), self.property == property else {
            // Another property: it becomes the one that is watched if the watched one has not come up for long.
            if self.object == nil || readsSinceReset > Self.limit { watch(object, property, here) }
            return note(name)
        }
        guard here > depth else { return watch(object, property, here) }
        depth = here
        turns += 1
        readsSinceReset = 0
        note(name)
        guard turns < Self.limit else {
            fatalError(
                """
                A getter of \(type(of: object)) waits for itself: \(names.reversed().joined(separator: " → ")) is read \
                over and over by the same evaluation. Break the cycle of computed properties.
                """)
        }
    }

    private mutating func watch(_ object: AnyObject, _ property: PropertyIdentity, _ here: UInt) {
        self.object = ObjectIdentifier(object)
        self.property = property
        depth = here
        turns = 0
        readsSinceReset = 0
    }

    /// Keeps the names of the properties on the last turn before the trap.
    private mutating func note(_ name: () -> String) {
        guard turns == Self.limit - 1, names.count < 16 else { return }
        let name = name()
        if !names.contains(name) { names.append(name) }
    }

    /// How far the stack has grown, in bytes from the end of memory; every platform's stack grows downwards.
    private func stackDepth() -> UInt {
        var marker: UInt8 = 0
        return unsafe withUnsafeMutablePointer(to: &marker) { UInt.max - UInt(bitPattern: $0) }
    }
}
