// What changes know of the registrations that are told of them.

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
@safe class RegistrationOrigin: ChangeOrigin, @unchecked Sendable {
    let teller: RegistrationTerms.Teller
    /// Where the file's name begins, which ends with a zero.
    private let fileName: UnsafePointer<UInt8>
    private let lineNumber: UInt32
    private let optionBits: UInt8
    private let skipsEqualValues: Bool
    private let isNamed: Bool

    fileprivate init(_ keyPath: AnyKeyPath, _ terms: borrowing RegistrationTerms) {
        teller = terms.teller
        unsafe fileName = terms.fileID.utf8Start
        skipsEqualValues = terms.skipsEqualValues
        isNamed = terms.isNamed
        lineNumber = UInt32(clamping: terms.line)
        // There are four.
        optionBits = UInt8(truncatingIfNeeded: terms.options.rawValue)
        super.init(keyPath: keyPath)
    }

    /// What the handler is told.
    final var options: KeyValueObservingOptions { KeyValueObservingOptions(rawValue: UInt(optionBits)) }
    /// What must be read for it, which is more where equal values are skipped.
    final var needs: KeyValueObservingOptions { skipsEqualValues ? options.union([.old, .new]) : options }
    final var line: UInt { UInt(lineNumber) }
    final var fileID: String { unsafe String(cString: fileName) }
    /// The observer's type, for a registration made through a controller.
    var observer: String? { nil }

    /// Whether it is the origin of a registration with these terms.
    final func serves(_ terms: borrowing RegistrationTerms, at keyPath: AnyKeyPath) -> Bool {
        guard self.keyPath === keyPath, lineNumber == terms.line, options == terms.options,
            skipsEqualValues == terms.skipsEqualValues, unsafe fileName == terms.fileID.utf8Start
        else { return false }
        return !isNamed && !terms.isNamed || observer == terms.observer && text == terms.text
    }
}

/// The origin of a registration that has a name of its observer, or of its key path.
@safe private final class NamedOrigin: RegistrationOrigin, @unchecked Sendable {
    private let observerName: String?
    private let keyPathText: String?

    override init(_ keyPath: AnyKeyPath, _ terms: borrowing RegistrationTerms) {
        observerName = terms.observer
        keyPathText = terms.text
        super.init(keyPath, terms)
    }

    override var observer: String? { observerName }
    override var text: String? { keyPathText }
}

extension RegistrationTerms {
    fileprivate var isNamed: Bool { observer != nil || text != nil }

    /// A new origin of registrations with these terms.
    borrowing func origin(at keyPath: AnyKeyPath) -> RegistrationOrigin {
        isNamed ? NamedOrigin(keyPath, self) : RegistrationOrigin(keyPath, self)
    }
}
