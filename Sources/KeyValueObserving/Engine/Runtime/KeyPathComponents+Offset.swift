// Where a stored property lies, as its key path states it.
#if !KEY_VALUE_OBSERVING_PLAIN
import Synchronization

extension KeyPathComponents {
    /// How far a stored property of a class lies from the start of the object; nil if its key path does not say.
    static func offsetOfStoredProperty(_ keyPath: AnyKeyPath) -> UInt? {
        isLayoutKnown ? unsafe statedOffset(keyPath) : nil
    }

    /// The same, given that the layout is known.
    @inline(__always)
    @unsafe private static func statedOffset(_ keyPath: AnyKeyPath) -> UInt? {
        guard unsafe sizeOfComponents(keyPath) == MemoryLayout<UInt32>.size else { return nil }
        let start = unsafe Unmanaged.passUnretained(keyPath).toOpaque()
        return offset(statedBy: unsafe start.load(fromByteOffset: 4 * MemoryLayout<UInt>.size, as: UInt32.self))
    }

    /// The offset that the header of a component states; nil if it is none of a class, or not in the header.
    @inline(__always)
    package static func offset(statedBy header: UInt32) -> UInt? {
        let offset = header & Layout.storedOffsetMask
        guard header & Layout.kindMask == Layout.classKind, offset < Layout.firstOutOfLineOffset else { return nil }
        return UInt(offset)
    }

    /// The address of a stored property of an object.
    ///
    /// It is given no types, so that the accessors of all properties share it.
    @usableFromInline
    @unsafe static func address(of storage: AnyKeyPath, in object: AnyObject) -> UnsafeMutableRawPointer {
        guard trial.load(ordering: .relaxed) == Trial.passed, let offset = unsafe statedOffset(storage) else {
            return unsafe addressFoundSlowly(of: storage, in: object)
        }
        return unsafe Unmanaged.passUnretained(object).toOpaque() + Int(bitPattern: offset)
    }

    /// The same for the first key path, and for one that does not state how far the property lies from the start.
    @inline(never)
    @unsafe private static func addressFoundSlowly(
        of storage: AnyKeyPath, in object: AnyObject
    ) -> UnsafeMutableRawPointer {
        offsetOfStoredProperty(storage) != nil
            ? unsafe address(of: storage, in: object) : unsafe addressByFollowing(storage, from: object)
    }

    /// The address that a key path leads to.
    @unsafe static func addressByFollowing(_ storage: AnyKeyPath, from object: AnyObject) -> UnsafeMutableRawPointer {
        func open<Object, Value>(_: Object.Type, _: Value.Type) -> UnsafeMutableRawPointer? {
            guard let object = object as? Object, let storage = storage as? ReferenceWritableKeyPath<Object, Value>
            else { return nil }
            return unsafe withUnsafeMutablePointer(to: &object[keyPath: storage]) { UnsafeMutableRawPointer($0) }
        }
        func openObject<Object>(_ type: Object.Type) -> UnsafeMutableRawPointer? {
            func openValue<Value>(_ value: Value.Type) -> UnsafeMutableRawPointer? { unsafe open(type, value) }
            return unsafe _openExistential(Swift.type(of: storage).valueType, do: openValue)
        }
        guard let address = unsafe _openExistential(type(of: storage).rootType, do: openObject) else {
            preconditionFailure("the key path of a wrapper's storage can be written, and starts at its object")
        }
        return unsafe address
    }
}
#endif
