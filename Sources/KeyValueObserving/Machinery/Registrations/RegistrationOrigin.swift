// What changes know of the registration that is told of them.

/// Where a change's key path is found.
///
/// Changes hold it and not the registration: a handler that keeps them in what it captures would keep itself.
@usableFromInline
class ChangeOrigin {
    let keyPath: AnyKeyPath

    @usableFromInline
    init(keyPath: AnyKeyPath) {
        self.keyPath = keyPath
    }

    /// The key path as it was given, if that was a string.
    var text: String? { nil }
}

/// What registrations have in common that one line of a program makes at one key path of one object.
///
/// They share it as long as they follow one another.
@usableFromInline
class RegistrationOrigin: ChangeOrigin, @unchecked Sendable {
    /// Tells the handlers of registrations of this origin of a change.
    ///
    /// It knows the types, and is compiled where they are known. It captures nothing: handlers are the registrations'.
    @usableFromInline typealias Teller = (_ delivered: inout DeliveredChange) -> Void

    let teller: Teller
    let fileID: StaticString
    private let skipsEqualValues: Bool
    private let lineNumber: UInt32
    /// What the handler is told.
    @usableFromInline let options: KeyValueObservingOptions

    @usableFromInline
    init(
        keyPath: AnyKeyPath, options: KeyValueObservingOptions, skipsEqualValues: Bool = false, fileID: StaticString,
        line: UInt, teller: @escaping Teller
    ) {
        self.teller = teller
        self.fileID = fileID
        self.skipsEqualValues = skipsEqualValues
        lineNumber = UInt32(clamping: line)
        self.options = options
        super.init(keyPath: keyPath)
    }

    /// What must be read for it, which is more where equal values are skipped.
    var needs: KeyValueObservingOptions { skipsEqualValues ? options.union([.old, .new]) : options }
    var line: UInt { UInt(lineNumber) }
    /// The observer's type, for a registration made through a controller.
    var observer: String? { nil }

    /// Whether a registration of `other` may share this.
    func serves(_ other: RegistrationOrigin) -> Bool {
        keyPath === other.keyPath && lineNumber == other.lineNumber && options == other.options
            && skipsEqualValues == other.skipsEqualValues && isSameFile(as: other) && observer == other.observer
            && text == other.text
    }

    private func isSameFile(as other: RegistrationOrigin) -> Bool {
        guard fileID.hasPointerRepresentation, other.fileID.hasPointerRepresentation else { return false }
        return unsafe fileID.utf8Start == other.fileID.utf8Start
    }
}

/// The origin of a registration that has a name of its observer, or of its key path.
@usableFromInline
final class NamedOrigin: RegistrationOrigin, @unchecked Sendable {
    private let observerName: String?
    private let keyPathText: String?

    @usableFromInline
    init(
        keyPath: AnyKeyPath, text: String?, options: KeyValueObservingOptions, observer: String?, fileID: StaticString,
        line: UInt, teller: @escaping Teller
    ) {
        observerName = observer
        keyPathText = text
        super.init(
            keyPath: keyPath, options: options, skipsEqualValues: false, fileID: fileID, line: line, teller: teller)
    }

    override var observer: String? { observerName }
    override var text: String? { keyPathText }
}
