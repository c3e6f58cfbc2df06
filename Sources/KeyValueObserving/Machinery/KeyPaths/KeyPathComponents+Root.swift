// A property's key path as its class's superclass would write it.
import CKeyValueObserving

extension KeyPathComponents {
    /// The key paths of a computed property from the superclasses of its root, nearest first.
    ///
    /// A computed property does not tell which class declares it, and a key path cannot be given another root. So this
    /// copies the key path object with the class it has for the other root. The key paths are meant to be compared:
    /// the superclasses above the one that declares the property do not have it.
    static func inherited(_ keyPath: AnyKeyPath) -> [AnyKeyPath] {
        guard let components = KeyPathComponents(keyPath),
            case .computed(_, let arguments)? = components.components.first,
            components.components.count == 1, arguments.isEmpty, var root = type(of: keyPath).rootType as? AnyClass
        else { return [] }
        var keyPaths: [AnyKeyPath] = []
        while let superclass = _getSuperclass(root) {
            root = superclass
            guard superclass is any KeyValueObservable.Type else { break }
            keyPaths.append(copy(keyPath, rootedAt: superclass))
        }
        return keyPaths
    }

    static func copy(_ keyPath: AnyKeyPath, rootedAt root: AnyClass) -> AnyKeyPath {
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

    /// Copies a key path without arguments, whose contents need no counting of references, as an object of `type`.
    @unsafe private static func copy(_ keyPath: AnyKeyPath, as type: AnyClass) -> AnyKeyPath {
        let header = 2 * MemoryLayout<UInt>.size
        let size = unsafe header + 2 * MemoryLayout<UInt>.size + sizeOfComponents(keyPath)
        let original = unsafe Unmanaged.passUnretained(keyPath).toOpaque()
        let metadata = unsafe unsafeBitCast(type, to: UnsafeMutableRawPointer.self)
        let object = unsafe swift_allocObject(metadata, size, MemoryLayout<UInt>.alignment - 1)
        unsafe (object + header).copyMemory(from: original + header, byteCount: size - header)
        return unsafe Unmanaged<AnyKeyPath>.fromOpaque(object).takeRetainedValue()
    }
}
