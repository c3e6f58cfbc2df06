// What a key path is made of, read from its memory.
#if !KEY_VALUE_OBSERVING_PLAIN
import CKeyValueObserving

// The layout of a key path object is the standard library's own affair (docs/ABI/KeyPaths.md of Swift's repository).
extension KeyPathComponents {
    /// The layout, as of Swift 5.0 to 6.3. A key path object holds, after the two words of every object:
    ///
    ///     word 0      a C string for Objective-C, or null
    ///     word 1      flags and, in the low 24 bits, the size of what follows
    ///     word 2…     the components: each a 32-bit header, padded to a word where pointers follow, then its
    ///                 contents, then, if it is not the last, the type it leads to
    enum Layout {
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
    static func read(_ keyPath: AnyKeyPath, noting noteOwner: (Any.Type) -> Void) -> Self? {
        words(of: keyPath).flatMap { words in
            read(words) { noteOwner(unsafe unsafeBitCast($0, to: Any.Type.self)) }
        }
    }

    /// The memory of a key path's components; nil if they are so many that the layout is likely to be another one.
    ///
    /// A last component may be a header alone, which is half a word.
    package static func words(of keyPath: AnyKeyPath) -> [UInt]? {
        // The object is kept alive by the caller, and what is read lies within the size it states.
        let start = unsafe Unmanaged.passUnretained(keyPath).toOpaque()
        let size = unsafe sizeOfComponents(keyPath)
        guard size < 1 << 15 else { return nil }
        let bytes = unsafe UnsafeRawBufferPointer(start: start + 4 * MemoryLayout<UInt>.size, count: size)
        return stride(from: 0, to: size, by: MemoryLayout<UInt>.size).map { place in
            place + MemoryLayout<UInt>.size <= size
                ? unsafe bytes.load(fromByteOffset: place, as: UInt.self)
                : UInt(unsafe bytes.load(fromByteOffset: place, as: UInt32.self))
        }
    }

    /// Reads the components of a key path.
    ///
    /// - Parameters:
    ///   - words: The memory that they take.
    ///   - noteOwner: Is given the address of the type that each property on the way belongs to, if that can be set.
    /// - Returns: What they are; nil if some are not known here.
    package static func read(_ words: [UInt], noting noteOwner: (UInt) -> Void) -> Self? {
        var read = Self()
        var owner: UInt?
        var index = 0
        while index < words.count {
            let header = UInt32(truncatingIfNeeded: words[index])
            index += 1
            if isSettable(header), let owner { noteOwner(owner) }
            switch header & Layout.kindMask {
            case Layout.structKind, Layout.classKind:
                guard header & Layout.storedOffsetMask < Layout.firstOutOfLineOffset else { return nil }
                read.components.append(.stored(header & (Layout.kindMask | Layout.storedOffsetMask)))
            case Layout.optionalKind:
                read.components.append(.optional(header & Layout.payloadMask))
            case Layout.computedKind:
                guard let next = read.readComputed(words, from: index, header) else { return nil }
                index = next
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

    /// Reads a component after its header.
    ///
    /// - Returns: Where the next one begins; nil if this one is not known.
    private mutating func readComputed(_ words: [UInt], from start: Int, _ header: UInt32) -> Int? {
        guard start < words.count else { return nil }
        components.append(.computed(id: words[start]))
        // What identifies it, the getter, and the setter.
        let end = start + (header & Layout.settable != 0 ? 3 : 2)
        guard header & Layout.hasArguments != 0 else { return end }
        // The size of the arguments, what knows their types, and the arguments.
        let first = end + 2
        guard header & Layout.passesOnArguments == 0, first <= words.count else { return nil }
        let (size, unit) = (words[end], UInt(MemoryLayout<UInt>.size))
        guard size % unit == 0, size / unit <= words.count - first else { return nil }
        let (witnesses, next) = (words[end + 1], first + Int(size / unit))
        if witnesses == kvo_generic_key_path_arguments() {
            isGeneric = true
        } else {
            let place = first * MemoryLayout<UInt>.size..<next * MemoryLayout<UInt>.size
            arguments.append(
                Arguments(place: place, witnesses: witnesses, words: ContiguousArray(words[first..<next])))
        }
        return next
    }

    /// Whether a component is a property of an object that can be set.
    private static func isSettable(_ header: UInt32) -> Bool {
        switch header & Layout.kindMask {
        case Layout.classKind: header & Layout.storedMutable != 0
        case Layout.computedKind: header & Layout.settable != 0
        default: false
        }
    }
}
#endif
