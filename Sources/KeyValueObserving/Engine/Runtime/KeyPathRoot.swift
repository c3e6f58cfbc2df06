// A key path as the superclasses of its root would write it.
import CKeyValueObserving

/// Makes the key paths that the superclasses of a key path's root would write.
///
/// A class compares the key path it is asked about with its own, and the key path of an inherited computed property
/// starts at another class. Swift has no way to compare key paths that start at different classes, and none to give a key
/// path another root. So this copies the key path object, as an object of the type that key paths from the other root
/// have. Such key paths are only compared: the superclasses above the one that declares the property do not have it.
///
/// In the plain form there are none. There a class that answers for an inherited computed property compares it with the
/// key paths of the subclasses too, or calls `accessValue(for:)` in its getter.
package enum KeyPathRoot {
    #if KEY_VALUE_OBSERVING_PLAIN
    static func inherited(_ keyPath: AnyKeyPath) -> [AnyKeyPath] { [] }
    static func written(_ keyPath: AnyKeyPath, byClassesOf type: AnyClass) -> [AnyKeyPath] { [keyPath] }
    static func highest(_ keyPath: AnyKeyPath) -> AnyKeyPath { keyPath }
    #else
    /// A key path as the highest observable superclass of its root would write it.
    static func highest(_ keyPath: AnyKeyPath) -> AnyKeyPath {
        guard isCopyRight, let root = type(of: keyPath).rootType as? AnyClass,
            let highest = observableClasses(from: root).last, highest != root, KeyPathComponents(keyPath) != nil
        else { return keyPath }
        return copy(keyPath, rootedAt: highest)
    }

    /// The key paths of a computed property from the superclasses of its root, nearest first.
    static func inherited(_ keyPath: AnyKeyPath) -> [AnyKeyPath] {
        guard let root = rootOfCopyable(keyPath), let superclass = _getSuperclass(root) else { return [] }
        return observableClasses(from: superclass).map { copy(keyPath, rootedAt: $0) }
    }

    /// The key paths of a computed property as a class and its superclasses would write it, nearest first.
    ///
    /// - Parameters:
    ///   - keyPath: The key path, of that class or a superclass.
    ///   - type: The class.
    /// - Returns: The key paths, among them the given one; only that if it cannot be copied.
    static func written(_ keyPath: AnyKeyPath, byClassesOf type: AnyClass) -> [AnyKeyPath] {
        guard let root = rootOfCopyable(keyPath) else { return [keyPath] }
        let classes = observableClasses(from: type)
        let keyPaths = classes.map { $0 == root ? keyPath : copy(keyPath, rootedAt: $0) }
        // It may start at a superclass that is not observable itself.
        return classes.contains { $0 == root } ? keyPaths : keyPaths + [keyPath]
    }

    private static func rootOfCopyable(_ keyPath: AnyKeyPath) -> AnyClass? {
        isCopyRight && KeyPathComponents(keyPath)?.property != nil ? type(of: keyPath).rootType as? AnyClass : nil
    }

    /// A class and its superclasses, as far as they are observable, nearest first.
    private static func observableClasses(from type: AnyClass) -> [AnyClass] {
        var classes: [AnyClass] = []
        var next: AnyClass? = type
        while let found = next, found is any KeyValueObservable.Type {
            classes.append(found)
            next = _getSuperclass(found)
        }
        return classes
    }

    package static func copy(_ keyPath: AnyKeyPath, rootedAt root: AnyClass) -> AnyKeyPath {
        func openAll<Root, NewRoot, Value>(_: Root.Type, _: NewRoot.Type, _: Value.Type) -> AnyKeyPath {
            let type: AnyClass =
                keyPath is ReferenceWritableKeyPath<Root, Value>
                ? ReferenceWritableKeyPath<NewRoot, Value>.self : KeyPath<NewRoot, Value>.self
            return unsafe copy(keyPath, as: type)
        }
        func openValue<Root, NewRoot>(_ root: Root.Type, _ newRoot: NewRoot.Type) -> AnyKeyPath {
            func open<Value>(_ value: Value.Type) -> AnyKeyPath { openAll(root, newRoot, value) }
            return _openExistential(type(of: keyPath).valueType, do: open)
        }
        func openRoot<NewRoot>(_ newRoot: NewRoot.Type) -> AnyKeyPath {
            func open<Root>(_ root: Root.Type) -> AnyKeyPath { openValue(root, newRoot) }
            return _openExistential(type(of: keyPath).rootType, do: open)
        }
        return _openExistential(root as Any.Type, do: openRoot)
    }

    /// Copies a key path as an object of `type`; only its arguments may hold what is counted.
    @unsafe private static func copy(_ keyPath: AnyKeyPath, as type: AnyClass) -> AnyKeyPath {
        let header = 2 * MemoryLayout<UInt>.size
        let start = header + 2 * MemoryLayout<UInt>.size
        let size = unsafe start + KeyPathComponents.sizeOfComponents(keyPath)
        let original = unsafe Unmanaged.passUnretained(keyPath).toOpaque()
        let metadata = unsafe unsafeBitCast(type, to: UnsafeMutableRawPointer.self)
        let object = unsafe swift_allocObject(metadata, size, MemoryLayout<UInt>.alignment - 1)
        unsafe (object + header).copyMemory(from: original + header, byteCount: size - header)
        for arguments in KeyPathComponents(keyPath)?.arguments ?? [] {
            let place = start + arguments.place.lowerBound
            unsafe kvo_copy_arguments(arguments.witnesses, original + place, object + place, arguments.place.count)
        }
        return unsafe Unmanaged<AnyKeyPath>.fromOpaque(object).takeRetainedValue()
    }

    /// Key paths of a subclass of `SampleBase`, and those that it writes for the same.
    package static var samples: [(keyPath: AnyKeyPath, highest: AnyKeyPath)] {
        // Too long to lie within a string's two words.
        let name = String(repeating: "name", count: 8)
        return [
            (\SampleDerived.computed, \SampleBase.computed),
            (\SampleDerived.link, \SampleBase.link),
            (\SampleDerived.[3], \SampleBase.[3]),
            (\SampleDerived.link[name], \SampleBase.link[name]),
        ]
    }

    /// Whether a way to copy key paths copies the samples rightly.
    package static func copies(_ copy: (AnyKeyPath, _ root: AnyClass) -> AnyKeyPath) -> Bool {
        samples.allSatisfy { copy($0.keyPath, SampleBase.self) == $0.highest }
    }

    package static let isCopyRight = KeyPathComponents.isLayoutKnown && copies(copy(_:rootedAt:))
    #endif
}
