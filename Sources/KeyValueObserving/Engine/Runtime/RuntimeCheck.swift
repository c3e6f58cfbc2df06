// Whether what the files of this folder know of Swift is true with this toolchain.

#if !KEY_VALUE_OBSERVING_PLAIN
/// What a file of this folder relies on: tried on samples, so that a test can say which file a new toolchain breaks.
package enum RuntimeCheck: String, CaseIterable, Sendable {
    case storagePlace = "StoragePlace.swift: a stored property stays where it is, at the distance its key path states"
    case accessInPlace = "AccessInPlace.swift: the key path of a property's storage states its offset"
    case keyPathComponents = "KeyPathComponents.swift: the layout of key paths"
    case keyPathRoot = "KeyPathRoot.swift: a copy of a key path with another root"
    #if os(Linux)
    case currentActor = "CurrentActor.swift: the layout of a reference to an executor"
    #endif
    #if !canImport(ObjectiveC)
    case propertyOverrides = "PropertyOverrides.swift: the layout of class descriptors"
    case rootReference = "RootReference.swift: no strong reference to an object in its deinit, nor after it"
    #endif

    /// Whether it is true.
    package var holds: Bool {
        switch self {
        case .storagePlace: Self.placesStay
        case .accessInPlace: Self.addressesAreRight
        case .keyPathComponents: KeyPathComponents.isLayoutKnown
        case .keyPathRoot: KeyPathRoot.isCopyRight
        #if os(Linux)
        case .currentActor: SampleActor.isLayoutKnown
        #endif
        #if !canImport(ObjectiveC)
        case .propertyOverrides: PropertyOverrides.isLayoutKnown
        case .rootReference: Self.referencesEnd
        #endif
        }
    }

    private static var placesStay: Bool {
        let object = SampleObserved()
        let place = StoragePlace(in: object, at: { SampleObserved.storage }, of: { \SampleObserved.number })
        var other = 2
        place.exchangeAtOnce(&other)
        return place.property.rawValue == SampleObserved.numberOffset && other == 1 && object.number == 2
            && StoragePlace<Int>(of: place.property, in: object).read() == 2
    }

    private static var addressesAreRight: Bool {
        let object = SampleObserved()
        let storage = SampleObserved.storage
        let address = unsafe KeyPathComponents.address(of: storage, in: object)
        let isFound = unsafe KeyPathComponents.addressByFollowing(storage, from: object) == address
        let value = unsafe address.load(as: Int.self)
        return KeyPathComponents.offsetOfStoredProperty(storage) == SampleObserved.numberOffset && isFound && value == 1
    }

    #if !canImport(ObjectiveC)
    private static var referencesEnd: Bool {
        var object: SampleEnding? = SampleEnding()
        guard let reference = object.map(SampleReference.init), reference.object === object else { return false }
        object?.reference = reference
        object = nil
        return !reference.wasThereInDeinit && reference.object == nil
    }
    #endif
}

private final class SampleObserved: KeyValueObservable {
    /// Behind the two words of every object and the registrar.
    static let numberOffset: UInt = 24

    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 1

    static var storage: ReferenceWritableKeyPath<SampleObserved, Observed<Int>> { \SampleObserved._number }
}

private final class SampleEnding {
    var reference: SampleReference?

    deinit {
        if let reference { reference.wasThereInDeinit = reference.object != nil }
    }
}

private final class SampleReference {
    private let reference: RootReference<SampleEnding>
    /// Whether the object was returned in its `deinit`.
    var wasThereInDeinit = true

    init(_ object: SampleEnding) { reference = RootReference(object) }

    var object: SampleEnding? { reference.object }
}
#endif
