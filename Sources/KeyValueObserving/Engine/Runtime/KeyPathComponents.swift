// What a key path is made of, by which two of them are compared: the standard library does not say.

/// The components of a key path, as far as two key paths can be compared by them.
///
/// `\Base.age` and `\Derived.age` are unequal although they name one property, and the standard library has no way to
/// say so. Their components are the same, though: a computed property is identified by its accessor or method
/// descriptor, a stored one by its offset.
///
/// They are read from the key path's memory: see `KeyPathComponents+Reading.swift`. ``isLayoutKnown`` tries what is known
/// of that. Where the outcome is another one, and in the plain form, nothing is read: then key paths are compared by `==`
/// and by what they read, and paths are evaluated after each change.
@usableFromInline
package struct KeyPathComponents {
    package enum Component: Hashable {
        /// A property with accessors, or a subscript. What a subscript is given is not part of it.
        case computed(id: UInt)
        /// A stored property of a struct or class, by the bits that hold its offset.
        case stored(UInt32)
        /// `?`, `!`, or the wrapping that follows a `?`.
        case optional(UInt32)
    }

    /// What a subscript is given.
    package struct Arguments {
        /// Where they lie, counted in bytes from the first component.
        package let place: Range<Int>
        /// The functions that destroy, copy, compare and hash them.
        package let witnesses: UInt
        package let words: ContiguousArray<UInt>
    }

    package internal(set) var components: ContiguousArray<Component> = []
    package internal(set) var arguments: ContiguousArray<Arguments> = []
    /// Whether it was written where types are generic.
    package internal(set) var isGeneric = false

    /// Whether a subscript is given something, so that the components do not say all.
    var hasArguments: Bool { !arguments.isEmpty }

    /// Reads a key path; nil if it has components that are not known here, or if the layout is not known.
    init?(_ keyPath: AnyKeyPath) {
        guard Self.isLayoutKnown, let components = Self.read(keyPath, noting: { _ in }) else { return nil }
        self = components
    }

    init() {}

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

    /// Whether a key path leads to a property of another object than it starts at; false where that cannot be told.
    package static func leadsToOtherObject(_ keyPath: AnyKeyPath) -> Bool {
        guard isLayoutKnown else { return false }
        var found = false
        _ = read(keyPath) { owner in found = found || owner is AnyClass }
        return found
    }

    static func readUnobservableOwner(in keyPath: AnyKeyPath) -> Any.Type? {
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
    static func read(_ keyPath: AnyKeyPath, noting noteOwner: (Any.Type) -> Void) -> Self? { nil }
    private func hasArguments(ofOtherTypesThan other: Self) -> Bool { false }
}
#else
extension KeyPathComponents {
    /// Whether some arguments are certain to have other types than those of another key path.
    ///
    /// Swift compares arguments as those of the left key path's types, and reads what is not there if the right one's
    /// are smaller.
    private func hasArguments(ofOtherTypesThan other: Self) -> Bool {
        zip(arguments, other.arguments).contains { Self.areOfOtherTypes($0.words, $1.words) }
    }

    /// Whether the arguments of two subscripts are certain to have different types.
    ///
    /// Arguments of the same types have the same size, unless one key path was written where types are generic: then its
    /// arguments end with the addresses of what describes the types.
    package static func areOfOtherTypes(_ left: ContiguousArray<UInt>, _ right: ContiguousArray<UInt>) -> Bool {
        let longer = left.count > right.count ? left : right
        return !longer.suffix(abs(left.count - right.count)).allSatisfy(mayBeAddress)
    }

    private static func mayBeAddress(_ word: UInt) -> Bool {
        word >= 4_096 && word % UInt(MemoryLayout<UInt>.size) == 0 && word >> 48 == 0
    }
}
#endif
