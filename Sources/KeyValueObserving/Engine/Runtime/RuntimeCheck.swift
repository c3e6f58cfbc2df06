// Whether what the files of this folder know of Swift is true with this toolchain.

#if !KEY_VALUE_OBSERVING_PLAIN
import CKeyValueObserving

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

    /// What is seen of it, and what is seen if it is true.
    package var findings: (found: String, expected: String) {
        switch self {
        case .storagePlace: (Self.places, "at 24: 2 for 1, then 2")
        case .accessInPlace: (Self.addresses, "at 24: 1, distance 0")
        case .keyPathComponents: ("\(KeyPathComponents.isLayoutKnown)", "true")
        case .keyPathRoot: ("\(KeyPathRoot.isCopyRight)", "true")
        #if os(Linux)
        case .currentActor: (Self.actors, "16 bytes, as 16; current: false")
        #endif
        #if !canImport(ObjectiveC)
        case .propertyOverrides: ("\(PropertyOverrides.isLayoutKnown)", "true")
        case .rootReference: (Self.references, "at first true, in deinit false, then false")
        #endif
        }
    }

    // The number lies behind the two words of every object and the registrar.
    private static var places: String {
        let object = SampleObserved()
        let place = StoragePlace(in: object, at: { SampleObserved.storage }, of: { \SampleObserved.number })
        var other = 2
        place.exchange(&other)
        let again = StoragePlace<Int>(of: place.property, in: object).read()
        return "at \(place.property.rawValue): \(object.number) for \(other), then \(again)"
    }

    private static var addresses: String {
        let (object, storage) = (SampleObserved(), SampleObserved.storage)
        let address = unsafe KeyPathComponents.address(of: storage, in: object)
        let distance = unsafe KeyPathComponents.addressByFollowing(storage, from: object) - address
        let offset = KeyPathComponents.offsetOfStoredProperty(storage) ?? 0
        return "at \(offset): \(unsafe address.load(as: Int.self)), distance \(distance)"
    }

    #if os(Linux)
    // No code runs on an actor that has just been made.
    private static var actors: String {
        let sizes = unsafe (MemoryLayout<UnownedSerialExecutor>.size, MemoryLayout<kvo_executor>.size)
        return "\(sizes.0) bytes, as \(sizes.1); current: \(SampleActor().isCurrent ?? true)"
    }
    #endif

    #if !canImport(ObjectiveC)
    private static var references: String {
        var object: SampleEnding? = SampleEnding()
        let reference = object.map(SampleReference.init)
        let wasThere = reference?.object === object
        object?.reference = reference
        object = nil
        let (inDeinit, after) = (reference?.wasThereInDeinit ?? true, reference?.object != nil)
        return "at first \(wasThere), in deinit \(inDeinit), then \(after)"
    }
    #endif
}

private final class SampleObserved: KeyValueObservable {
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
