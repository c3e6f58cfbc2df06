// The compiler's metadata about a class: its superclasses and its overrides.

/// Determines whether a class may override a property that a superclass declares.
///
/// An observer of such a property observes the result of its getter. If no class in between overrides the property,
/// that is the value that the superclass stores, and the property is as simple as one of the object's own class.
///
/// A class's descriptor lists its overrides; see `ClassDescriptor` and `MethodOverrideDescriptor` in
/// `include/swift/ABI/Metadata.h` of Swift's repository. A key path identifies an overridable property by the
/// descriptor of its getter, which is in that list. ``isLayoutKnown`` checks this on sample classes. If the outcome
/// differs, for generic classes and those with a resilient superclass, and on Apple's platforms, where Objective-C has
/// other overrides, every subclass counts as overriding every property.
package enum PropertyOverrides {
    #if canImport(ObjectiveC) || !_pointerBitWidth(_64)
    package static let isLayoutKnown = false
    static func mayExist(of keyPath: AnyKeyPath, in type: AnyClass, below base: AnyClass) -> Bool { type != base }
    #else
    /// Whether a class, or one between it and its superclass `base`, may override a property of `base`.
    ///
    /// - Returns: False only if the property is not overridden.
    static func mayExist(of keyPath: AnyKeyPath, in type: AnyClass, below base: AnyClass) -> Bool {
        type != base && (!isLayoutKnown || areListed(of: keyPath, in: type, below: base))
    }

    package static func areListed(of keyPath: AnyKeyPath, in type: AnyClass, below base: AnyClass) -> Bool {
        guard let getter = KeyPathComponents(keyPath)?.property else { return true }
        var type: AnyClass = type
        while type != base {
            guard let superclass = _getSuperclass(type), !overrides(type, getter) else { return true }
            type = superclass
        }
        return false
    }

    private enum Layout {
        /// The offset of the descriptor's address in a class.
        static let descriptor = 40
        static let kindMask: UInt32 = 0x1F
        static let classKind: UInt32 = 16
        static let isGeneric: UInt32 = 1 << 7
        static let initializationMask: UInt32 = 3 << 16
        static let singletonInitialization: UInt32 = 1 << 16
        static let hasResilientSuperclass: UInt32 = 1 << 29
        static let hasOverrides: UInt32 = 1 << 30
        static let hasMethods: UInt32 = 1 << 31
        /// The sizes of a descriptor's parts in bytes.
        static let fixedPart = 44
        static let singletonPart = 12
        static let methodsPart = 8
        static let method = 8
        static let override = 12
    }

    /// Whether a class overrides a getter, or whether that is unknown.
    private static func overrides(_ type: AnyClass, _ getter: UInt) -> Bool {
        let metadata = unsafe unsafeBitCast(type, to: UnsafeRawPointer.self)
        let descriptor = unsafe metadata.load(fromByteOffset: Layout.descriptor, as: UnsafeRawPointer?.self)
        return unsafe descriptor.map { unsafe lists($0, getter) } ?? true
    }

    /// Whether the descriptor of a class lists an override of a getter, or whether that is unknown.
    package static func lists(_ descriptor: UnsafeRawPointer, _ getter: UInt) -> Bool {
        let flags = unsafe descriptor.load(as: UInt32.self)
        guard flags & Layout.kindMask == Layout.classKind, flags & Layout.isGeneric == 0,
            flags & Layout.hasResilientSuperclass == 0
        else { return true }
        guard flags & Layout.hasOverrides != 0 else { return false }
        var next = unsafe descriptor + Layout.fixedPart
        switch flags & Layout.initializationMask {
        case 0: break
        case Layout.singletonInitialization: unsafe next += Layout.singletonPart
        default: return true
        }
        if flags & Layout.hasMethods != 0 {
            let count = unsafe Int(next.load(fromByteOffset: 4, as: UInt32.self))
            unsafe next += Layout.methodsPart + count * Layout.method
        }
        let count = unsafe Int(next.load(as: UInt32.self))
        let overrides = unsafe next + MemoryLayout<UInt32>.size
        return (0..<count).contains { index in
            guard let method = unsafe target(of: overrides + index * Layout.override + 4) else { return true }
            return UInt(bitPattern: method) == getter
        }
    }

    /// The target of a relative reference: the place at that distance, or the address stored there.
    @unsafe private static func target(of reference: UnsafeRawPointer) -> UnsafeRawPointer? {
        let distance = unsafe Int(reference.load(as: Int32.self))
        guard distance != 0 else { return nil }
        let place = unsafe reference + (distance & ~1)
        return unsafe distance & 1 == 0 ? place : place.load(as: UnsafeRawPointer?.self)
    }

    /// Whether the overrides of the samples are found, and no others.
    package static let isLayoutKnown = RuntimeAssumption.outcome {
        !areListed(of: \Sample.number, in: DerivedSample.self, below: Sample.self)
            && areListed(of: \Sample.number, in: OverridingSample.self, below: Sample.self)
            && areListed(of: \Sample.number, in: LastSample.self, below: Sample.self)
            && areListed(of: \Sample.maybe, in: LastSample.self, below: Sample.self)
            && !areListed(of: \Sample.maybe, in: OverridingSample.self, below: Sample.self)
            && !areListed(of: \Sample.pair, in: LastSample.self, below: Sample.self)
    }
    #endif
}

#if !canImport(ObjectiveC) && _pointerBitWidth(_64)
private class Sample {
    var number: Int {
        get { 1 }
        set {}
    }
    var maybe: Sample? { nil }
    var pair: (Int, Int) {
        get { (1, 2) }
        set {}
    }

    func method() {}
}

private class DerivedSample: Sample {
    var other: Int {
        get { 1 }
        set {}
    }

    override func method() {}
}

private class OverridingSample: DerivedSample {
    override var number: Int {
        get { 2 }
        set {}
    }
}

private final class LastSample: OverridingSample {
    override func method() {}

    override var maybe: Sample? { nil }
}
#endif

extension PropertyOverrides {
    /// The nearest superclass that is not observable, as for the class of a foreign object; nil if there is none.
    static func foreignClass(above type: AnyClass) -> AnyClass? {
        var next: AnyClass? = superclass(of: type)
        while let found = next, found is any KeyValueObservable.Type { next = superclass(of: found) }
        return next
    }

    static func superclass(of type: AnyClass) -> AnyClass? {
        #if canImport(ObjectiveC)
        class_getSuperclass(type)
        #else
        _getSuperclass(type)
        #endif
    }
}
