// A key path as the superclasses of its root would write it.
import CKeyValueObserving

/// Makes the key paths that the superclasses of a key path's root would write.
///
/// A class compares the key path it is asked about with its own, and the key path of an inherited computed property
/// starts at another class. Nor does Swift compare key paths of two classes. It gives a key path no other root, so this
/// copies the key path object with the class it has for the other one. Such key paths are only compared: the superclasses
/// above the one that declares the property do not have it.
///
/// In the plain form there are none. There a class that answers for an inherited computed property compares it with the
/// key paths of the subclasses too, or calls `accessValue(for:)` in its getter.
enum KeyPathRoot {
    #if KEY_VALUE_OBSERVING_PLAIN
    static func inherited(_ keyPath: AnyKeyPath) -> [AnyKeyPath] { [] }
    static func written(_ keyPath: AnyKeyPath, byClassesOf type: AnyClass) -> [AnyKeyPath] { [keyPath] }
    static func highest(_ keyPath: AnyKeyPath) -> AnyKeyPath { keyPath }
    #else
    /// A key path as the highest observable superclass of its root would write it.
    static func highest(_ keyPath: AnyKeyPath) -> AnyKeyPath {
        guard isCopyRight, let root = type(of: keyPath).rootType as? AnyClass else { return keyPath }
        var highest: AnyClass = root
        while let superclass = _getSuperclass(highest), superclass is any KeyValueObservable.Type {
            highest = superclass
        }
        return highest == root || KeyPathComponents(keyPath) == nil ? keyPath : copy(keyPath, rootedAt: highest)
    }

    /// The key paths of a computed property from the superclasses of its root, nearest first.
    static func inherited(_ keyPath: AnyKeyPath) -> [AnyKeyPath] {
        guard let root = rootOfCopyable(keyPath), let superclass = _getSuperclass(root) else { return [] }
        return copies(of: keyPath, from: superclass)
    }

    /// The key paths of a computed property as a class and its superclasses would write it, nearest first.
    ///
    /// - Parameters:
    ///   - keyPath: The key path, of that class or a superclass.
    ///   - type: The class.
    /// - Returns: The key paths; just the given one if it cannot be copied.
    static func written(_ keyPath: AnyKeyPath, byClassesOf type: AnyClass) -> [AnyKeyPath] {
        rootOfCopyable(keyPath) == nil ? [keyPath] : copies(of: keyPath, from: type)
    }

    private static func rootOfCopyable(_ keyPath: AnyKeyPath) -> AnyClass? {
        isCopyRight && KeyPathComponents(keyPath)?.property != nil ? type(of: keyPath).rootType as? AnyClass : nil
    }

    private static func copies(of keyPath: AnyKeyPath, from type: AnyClass) -> [AnyKeyPath] {
        var keyPaths: [AnyKeyPath] = []
        var next: AnyClass? = type
        while let root = next, root is any KeyValueObservable.Type {
            keyPaths.append(copy(keyPath, rootedAt: root))
            next = _getSuperclass(root)
        }
        return keyPaths
    }

    private static func copy(_ keyPath: AnyKeyPath, rootedAt root: AnyClass) -> AnyKeyPath {
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

    /// Whether copies of a few key paths come out as they must.
    static let isCopyRight: Bool =
        KeyPathComponents.isLayoutKnown
        && copy(\SampleDerived.computed, rootedAt: SampleBase.self) == \SampleBase.computed
        && copy(\SampleDerived.link, rootedAt: SampleBase.self) == \SampleBase.link
        && copy(\SampleDerived.[3], rootedAt: SampleBase.self) == \SampleBase.[3]
        && copy(\SampleDerived.[3], rootedAt: SampleBase.self) != \SampleBase.[4]
        && copy(\SampleDerived.link[name], rootedAt: SampleBase.self) == \SampleBase.link[name]

    /// Too long to lie within a string's two words.
    private static var name: String { String(repeating: "name", count: 8) }
    #endif
}
