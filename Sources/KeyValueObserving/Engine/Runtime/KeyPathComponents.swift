// What a key path is made of, read from its memory: the standard library does not say.
import CKeyValueObserving
import Synchronization

/// The components of a key path, as far as two key paths can be compared by them.
///
/// `\Base.age` and `\Derived.age` are unequal although they name one property, and the standard library has no way to
/// say so. Their components are the same, though: a computed property is identified by its accessor or method
/// descriptor, a stored one by its offset.
///
/// The layout of a key path object is the standard library's own affair (docs/ABI/KeyPaths.md of Swift's repository).
/// ``isLayoutKnown`` tries what is known of it on key paths made for that purpose. Where the outcome is another one,
/// and in the plain form, nothing is read: then key paths are compared by `==` and by what they read, and paths are
/// evaluated after each change.
@usableFromInline
struct KeyPathComponents {
    enum Component: Hashable {
        /// A property with accessors, or a subscript. What a subscript is given is not part of it.
        case computed(id: UInt)
        /// A stored property of a struct or class, by the bits that hold its offset.
        case stored(UInt32)
        /// `?`, `!`, or the wrapping that follows a `?`.
        case optional(UInt32)
    }

    /// What a subscript is given.
    struct Arguments {
        /// Where they lie, counted in bytes from the first component.
        let place: Range<Int>
        /// The functions that destroy, copy, compare and hash them.
        let witnesses: UInt
        let words: ContiguousArray<UInt>
    }

    private(set) var components: ContiguousArray<Component> = []
    private(set) var arguments: ContiguousArray<Arguments> = []
    /// Whether it was written where types are generic.
    private(set) var isGeneric = false

    /// Whether a subscript is given something, so that the components do not say all.
    var hasArguments: Bool { !arguments.isEmpty }

    /// Reads a key path; nil if it has components that are not known here, or if the layout is not known.
    init?(_ keyPath: AnyKeyPath) {
        guard Self.isLayoutKnown else { return nil }
        self.init(reading: keyPath)
    }

    private init?(reading keyPath: AnyKeyPath) {
        guard let components = Self.read(keyPath, noting: { _ in }) else { return nil }
        self = components
    }

    private init() {}

    /// Identifies the property of a key path with one component, if that has accessors.
    var property: UInt? {
        guard components.count == 1, case .computed(let id) = components[0] else { return nil }
        return id
    }

    /// The first class on the way of a key path whose objects cannot be observed, although the key path goes on to a
    /// property of theirs that can be set.
    static func unobservableOwner(in keyPath: AnyKeyPath) -> Any.Type? {
        isLayoutKnown ? readUnobservableOwner(in: keyPath) : nil
    }

    private static func readUnobservableOwner(in keyPath: AnyKeyPath) -> Any.Type? {
        var found: Any.Type?
        _ = read(keyPath) { owner in
            if found == nil, owner is AnyClass, !(owner is any KeyValueObservable.Type) { found = owner }
        }
        return found
    }

    /// The properties that key paths lead through one after the other; nil if they are made of anything else.
    static func properties(of keyPaths: [AnyKeyPath]) -> ContiguousArray<UInt>? {
        var properties: ContiguousArray<UInt> = []
        for keyPath in keyPaths {
            guard let components = Self(keyPath)?.components else { return nil }
            for component in components {
                switch component {
                case .computed(let id): properties.append(id)
                case .optional: break
                case .stored: return nil
                }
            }
        }
        return properties
    }

    /// The hash of what a key path without arguments leads through; nil if the components do not say all.
    var hashOfWhole: Int? { hasArguments ? nil : components.hashValue }

    /// Whether two key paths are known to lead the same way, if they start at the same object.
    static func areSame(_ left: AnyKeyPath, _ right: AnyKeyPath) -> Bool {
        left === right
            || type(of: left).valueType == type(of: right).valueType
                && KeyPathName(left).isSame(as: KeyPathName(right))
    }

    /// The same for key paths whose names have the same hash.
    ///
    /// - Parameters:
    ///   - left: One of them.
    ///   - right: The other one.
    ///   - areWhole: Whether the components of both say all.
    /// - Returns: Whether they are equal.
    static func areEqual(_ left: AnyKeyPath, _ right: AnyKeyPath, areWhole: Bool) -> Bool {
        let (leftType, rightType) = (type(of: left), type(of: right))
        if leftType != rightType {
            guard leftType.valueType == rightType.valueType else { return false }
            if areWhole { return Self(left)?.components == Self(right)?.components }
            let (left, right) = (KeyPathRoot.highest(left), KeyPathRoot.highest(right))
            return type(of: left) == type(of: right) && areEqual(left, right, areWhole: false)
        }
        if !areWhole, let arguments = Self(left), let others = Self(right),
            arguments.hasArguments(ofOtherTypesThan: others)
        {
            return false
        }
        return left == right
    }

    /// Whether two unequal key paths may be two ways to write one property.
    ///
    /// Between a class and a subclass the components decide that. From a protocol or a generic context it takes a
    /// reading.
    static func mayBeSame(_ left: AnyKeyPath, _ right: AnyKeyPath) -> Bool {
        guard type(of: left).valueType == type(of: right).valueType else { return false }
        if areSame(left, right) { return true }
        guard let left = Self(left), let right = Self(right) else { return false }
        return left.isGeneric != right.isGeneric && !left.hasArguments && !right.hasArguments
    }
}

#if KEY_VALUE_OBSERVING_PLAIN
extension KeyPathComponents {
    static let isLayoutKnown = false
    private static func read(_ keyPath: AnyKeyPath, noting noteOwner: (Any.Type) -> Void) -> Self? { nil }
    private func hasArguments(ofOtherTypesThan other: Self) -> Bool { false }
}
#else
// MARK: - Reading

extension KeyPathComponents {
    /// The layout, as of Swift 5.0 to 6.3. A key path object holds, after the two words of every object:
    ///
    ///     word 0      a C string for Objective-C, or null
    ///     word 1      flags and, in the low 24 bits, the size of what follows
    ///     word 2…     the components: each a 32-bit header, padded to a word where pointers follow, then its
    ///                 contents, then, if it is not the last, the type it leads to
    private enum Layout {
        static let sizeMask: UInt = 0x00FF_FFFF
        static let kindMask: UInt32 = 0x7F00_0000
        static let structKind: UInt32 = 0x0100_0000
        static let computedKind: UInt32 = 0x0200_0000
        static let classKind: UInt32 = 0x0300_0000
        static let optionalKind: UInt32 = 0x0400_0000
        static let settable: UInt32 = 0x0040_0000
        static let storedMutable: UInt32 = 0x0080_0000
        static let hasArguments: UInt32 = 0x0008_0000
        /// Arguments that another library passes on have one word more.
        static let passesOnArguments: UInt32 = 0x0000_0010
        static let payloadMask: UInt32 = 0x00FF_FFFF
        static let storedOffsetMask: UInt32 = 0x007F_FFFF
        /// A stored offset from here up is not in the header.
        static let firstOutOfLineOffset: UInt32 = 0x007F_FFFC
    }

    /// How far a stored property of a class lies from the start of the object; nil if its key path does not say.
    static func offsetOfStoredProperty(_ keyPath: AnyKeyPath) -> UInt? {
        isLayoutKnown ? unsafe statedOffset(keyPath) : nil
    }

    /// The same, given that the layout is known.
    @inline(__always)
    @unsafe private static func statedOffset(_ keyPath: AnyKeyPath) -> UInt? {
        guard unsafe sizeOfComponents(keyPath) == MemoryLayout<UInt32>.size else { return nil }
        let start = unsafe Unmanaged.passUnretained(keyPath).toOpaque()
        let header = unsafe start.load(fromByteOffset: 4 * MemoryLayout<UInt>.size, as: UInt32.self)
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

    /// How many bytes the components of a key path take, after the four words before them.
    @unsafe static func sizeOfComponents(_ keyPath: AnyKeyPath) -> Int {
        let start = unsafe Unmanaged.passUnretained(keyPath).toOpaque()
        return unsafe Int(start.load(fromByteOffset: 3 * MemoryLayout<UInt>.size, as: UInt.self) & Layout.sizeMask)
    }

    /// Reads a key path.
    ///
    /// - Parameters:
    ///   - keyPath: The key path.
    ///   - noteOwner: Is given the type that each property on the way belongs to, if that can be set.
    /// - Returns: What it is made of.
    private static func read(_ keyPath: AnyKeyPath, noting noteOwner: (Any.Type) -> Void) -> Self? {
        // The object is kept alive by the caller, and what is read lies within the size it states.
        let start = unsafe Unmanaged.passUnretained(keyPath).toOpaque()
        let size = unsafe sizeOfComponents(keyPath)
        guard size < 1 << 15 else { return nil }
        let bytes = unsafe UnsafeRawBufferPointer(start: start + 4 * MemoryLayout<UInt>.size, count: size)
        var words = (0..<(size / MemoryLayout<UInt>.size)).map {
            unsafe bytes.load(fromByteOffset: $0 * MemoryLayout<UInt>.size, as: UInt.self)
        }
        // A last component may be a header alone.
        if size % MemoryLayout<UInt>.size == MemoryLayout<UInt32>.size {
            words.append(UInt(unsafe bytes.load(fromByteOffset: size - MemoryLayout<UInt32>.size, as: UInt32.self)))
        }
        return read(words, noting: noteOwner)
    }

    private static func read(_ words: [UInt], noting noteOwner: (Any.Type) -> Void) -> Self? {
        guard MemoryLayout<UInt>.size == 8 else { return nil }
        var read = Self()
        var owner: UInt?
        var index = 0
        while index < words.count {
            let header = UInt32(truncatingIfNeeded: words[index])
            index += 1
            let isSettable =
                switch header & Layout.kindMask {
                case Layout.classKind: header & Layout.storedMutable != 0
                case Layout.computedKind: header & Layout.settable != 0
                default: false
                }
            if isSettable, let owner { noteOwner(unsafe unsafeBitCast(owner, to: Any.Type.self)) }
            switch header & Layout.kindMask {
            case Layout.structKind, Layout.classKind:
                guard header & Layout.storedOffsetMask < Layout.firstOutOfLineOffset else { return nil }
                read.components.append(.stored(header & (Layout.kindMask | Layout.storedOffsetMask)))
            case Layout.optionalKind:
                read.components.append(.optional(header & Layout.payloadMask))
            case Layout.computedKind:
                guard index < words.count else { return nil }
                read.components.append(.computed(id: words[index]))
                index += header & Layout.settable != 0 ? 3 : 2
                if header & Layout.hasArguments != 0 {
                    // The size of the arguments, and what knows their types.
                    guard header & Layout.passesOnArguments == 0, index + 1 < words.count,
                        words[index] % UInt(MemoryLayout<UInt>.size) == 0,
                        words[index] < words.count * MemoryLayout<UInt>.size
                    else { return nil }
                    let (witnesses, next) = (words[index + 1], index + 2 + Int(words[index]) / MemoryLayout<UInt>.size)
                    guard next <= words.count else { return nil }
                    if witnesses == kvo_generic_key_path_arguments() {
                        read.isGeneric = true
                    } else {
                        let place = (index + 2) * MemoryLayout<UInt>.size..<next * MemoryLayout<UInt>.size
                        read.arguments.append(
                            Arguments(
                                place: place, witnesses: witnesses, words: ContiguousArray(words[(index + 2)..<next])))
                    }
                    index = next
                }
            default:
                return nil
            }
            // The type a component leads to, unless it is the last.
            guard index < words.count else { break }
            owner = words[index]
            index += 1
        }
        return index == words.count ? read : nil
    }

    // MARK: Arguments

    /// Whether some arguments are certain to have other types than those of another key path.
    ///
    /// Swift compares arguments as those of the left key path's types, and reads what is not there if the right one's
    /// are smaller. Arguments of the same types have the same size, unless one key path was written where types are
    /// generic: then its arguments end with the addresses of what describes the types.
    private func hasArguments(ofOtherTypesThan other: Self) -> Bool {
        arguments.count != other.arguments.count
            || zip(arguments, other.arguments).contains { left, right in
                let larger = left.words.count > right.words.count ? left.words : right.words
                return !larger.suffix(abs(left.words.count - right.words.count)).allSatisfy(Self.mayBeAddress)
            }
    }

    private static func mayBeAddress(_ word: UInt) -> Bool {
        word >= 4_096 && word % UInt(MemoryLayout<UInt>.size) == 0 && word >> 48 == 0
    }

    /// Whether the layout is the one above.
    ///
    /// It is tried once, or by several threads at once with the same result. A lazy constant would cost a call at each
    /// access in place.
    static var isLayoutKnown: Bool {
        let trial = trial.load(ordering: .relaxed)
        return _fastPath(trial != Trial.none) ? trial == Trial.passed : tryLayout()
    }

    private enum Trial {
        static let none: UInt8 = 0
        static let passed: UInt8 = 1
        static let failed: UInt8 = 2
    }

    private static let trial = Atomic<UInt8>(Trial.none)

    @inline(never)
    private static func tryLayout() -> Bool {
        let hasPassed = samplesComeOut
        trial.store(hasPassed ? Trial.passed : Trial.failed, ordering: .relaxed)
        return hasPassed
    }

    /// Whether the components of a few key paths come out as they must.
    private static var samplesComeOut: Bool {
        let single = Self(reading: \SampleBase.computed)
        guard let id = single?.property, id != 0 else { return false }
        return Self(reading: \SampleDerived.computed)?.components == single?.components
            && Self(reading: \SampleDerived.other)?.components != single?.components
            && Self(reading: \SampleDerived.other)?.property != nil
            && Self(reading: \SampleDerived.link.computed)?.components != single?.components
            && Self(reading: \SampleDerived.link.computed)?.components.last == single?.components.last
            && Self(reading: \SampleDerived.link.computed)?.components.count == 2
            && Self(reading: \SampleDerived.maybe?.computed)?.components.count == 4
            && Self(reading: \SampleDerived.maybe?.computed)?.components[2] == single?.components.first
            && Self(reading: \SampleDerived.pair.second)?.components.count == 2
            && Self(reading: \SampleDerived.pair.first)?.components
                != Self(reading: \SampleDerived.pair.second)?.components
            && readUnobservableOwner(in: \SampleDerived.link.computed) == SampleBase.self
            && readUnobservableOwner(in: \SampleDerived.maybe?.first) == SampleBase.self
            && readUnobservableOwner(in: \SampleDerived.link.link) == nil
            && readUnobservableOwner(in: \SampleDerived.pair.second) == nil
            && Self(reading: \SampleDerived.[3])?.hasArguments == true
            && single?.hasArguments == false
            && Self(reading: \SampleDerived.first)?.components == [.stored(Layout.classKind | 16)]
            && Self(reading: \SampleDerived.second)?.components == [.stored(Layout.classKind | 24)]
    }
}
#endif
