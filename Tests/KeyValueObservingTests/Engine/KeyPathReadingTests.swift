// What is read of the memory of key paths, and what is not: made by hand, as no key path of this toolchain has it.
#if !KEY_VALUE_OBSERVING_PLAIN
import KeyValueObserving
import Testing

@Suite("1.8 Reading key paths")
struct KeyPathReadingTests {
    private enum Header {
        static let ofStruct: UInt = 0x0100_0000
        static let computed: UInt = 0x0200_0000
        static let ofClass: UInt = 0x0300_0000
        static let optional: UInt = 0x0400_0000
        static let settable: UInt = 0x0040_0000
        static let mutable: UInt = 0x0080_0000
        static let arguments: UInt = 0x0008_0000
        static let passedOn: UInt = 0x0000_0010
        static let outOfLine: UInt = 0x007F_FFFC
    }

    private func components(_ words: [UInt]) -> ContiguousArray<KeyPathComponents.Component>? {
        KeyPathComponents.read(words, noting: { _ in })?.components
    }

    private func owners(_ words: [UInt]) -> [UInt] {
        var owners: [UInt] = []
        _ = KeyPathComponents.read(words) { owners.append($0) }
        return owners
    }

    // MARK: Components

    @Test("1.8 A property with accessors is what its first word says; its getter and setter follow")
    func computed() {
        #expect(components([Header.computed, 7, 8]) == [.computed(id: 7)])
        #expect(components([Header.computed | Header.settable, 7, 8, 9]) == [.computed(id: 7)])
        #expect(components([Header.computed, 7, 8, 1, Header.computed, 9, 8]) == [.computed(id: 7), .computed(id: 9)])
    }

    @Test("1.8 A key path that ends within a component is not read")
    func truncated() {
        #expect(components([Header.computed]) == nil)
        #expect(components([Header.computed, 7]) == nil)
        #expect(components([Header.computed | Header.settable, 7, 8]) == nil)
        #expect(components([Header.computed | Header.arguments, 7, 8]) == nil)
        #expect(components([Header.computed | Header.arguments, 7, 8, 0]) == nil)
    }

    @Test("1.8 A stored property is where it lies, if the header says that")
    func stored() {
        #expect(components([Header.ofClass | 16]) == [.stored(0x0300_0010)])
        #expect(components([Header.ofClass | Header.mutable | 16]) == [.stored(0x0300_0010)])
        #expect(components([Header.ofStruct | Header.outOfLine - 1]) == [.stored(0x017F_FFFB)])
        #expect(components([Header.ofStruct | Header.outOfLine]) == nil)
        #expect(components([Header.ofClass | Header.outOfLine + 1, 24]) == nil)
    }

    @Test("1.8 A component of a kind that is not known is not read, nor what comes after it")
    func unknownKind() {
        #expect(components([Header.optional | 1]) == [.optional(1)])
        #expect(components([0x0500_0000]) == nil)
        #expect(components([]) == [])
        #expect(components([Header.computed, 7, 8, 1, 0x0000_0000]) == nil)
    }

    @Test("1.8 The owner of each property that can be set is noted, apart from the first")
    func noted() {
        let (get, set) = (Header.computed, Header.computed | Header.settable)
        #expect(owners([set, 7, 8, 9]) == [])
        #expect(owners([get, 7, 8, 100, set, 7, 8, 9]) == [100])
        #expect(owners([set, 7, 8, 9, 100, get, 7, 8]) == [])
        #expect(owners([get, 7, 8, 100, Header.ofClass | Header.mutable | 16]) == [100])
        #expect(owners([get, 7, 8, 100, Header.ofClass | 16]) == [])
        #expect(owners([get, 7, 8, 100, Header.ofStruct | Header.mutable | 16]) == [])
        #expect(owners([get, 7, 8, 100, Header.optional | Header.settable]) == [])
    }

    // MARK: Arguments

    @Test("1.8 The arguments of a subscript are read where they lie, and what follows them is read too")
    func arguments() throws {
        let subscripting = Header.computed | Header.arguments
        let read = try #require(
            KeyPathComponents.read([subscripting, 7, 8, 16, 5, 1, 2, 100, Header.ofClass | 16], noting: { _ in }))
        #expect(read.components == [.computed(id: 7), .stored(0x0300_0010)])
        #expect(read.arguments.map(\.place) == [40..<56])
        #expect(read.arguments.map(\.words) == [[1, 2]] && read.arguments.map(\.witnesses) == [5])
        let settable = KeyPathComponents.read([subscripting | Header.settable, 7, 8, 9, 8, 5, 1], noting: { _ in })
        #expect(settable?.arguments.map(\.place) == [48..<56] && settable?.arguments.map(\.words) == [[1]])
        let empty = KeyPathComponents.read([subscripting, 7, 8, 0, 5], noting: { _ in })
        #expect(empty?.arguments.map(\.words) == [[]] && empty?.isGeneric == false)
    }

    @Test("1.8 Arguments whose size cannot be right are not read")
    func sizes() {
        let subscripting = Header.computed | Header.arguments
        #expect(components([subscripting, 7, 8, 8, 5, 1]) == [.computed(id: 7)])
        #expect(components([subscripting, 7, 8, 12, 5, 1, 2]) == nil)
        #expect(components([subscripting, 7, 8, 16, 5, 1]) == nil)
        #expect(components([subscripting, 7, 8, UInt.max - 7, 5, 1]) == nil)
        #expect(components([subscripting | Header.passedOn, 7, 8, 8, 5, 1]) == nil)
    }

    @Test("1.8 Arguments of different size have different types, unless what is more may describe types")
    func otherTypes() {
        let areOfOtherTypes = KeyPathComponents.areOfOtherTypes
        #expect(!areOfOtherTypes([1, 2], [3, 4]))
        #expect(areOfOtherTypes([1], [1, 2]) && areOfOtherTypes([1, 2], [1]))
        #expect(!areOfOtherTypes([1], [1, 4_096]) && !areOfOtherTypes([1, 4_096], [1]))
        #expect(areOfOtherTypes([1], [1, 4_088]) && areOfOtherTypes([1], [1, 4_097]))
        #expect(!areOfOtherTypes([1], [1, 1 << 47]) && areOfOtherTypes([1], [1, 1 << 48]))
        #expect(areOfOtherTypes([], [4_096, 1]))
    }

    // MARK: Memory

    @Test("1.8 The words of a key path are all that it states; half a word may be the last one")
    func words() {
        #expect(KeyPathComponents.words(of: \Readable.[.max])?.last == UInt(Int.max))
        #expect(KeyPathComponents.words(of: \Readable.number)?.count == 1)
        #expect(components(KeyPathComponents.words(of: \Readable.number) ?? []) == [.stored(0x0300_0010)])
    }

    @Test("1.8 A key path that is far too long to be one is not read", arguments: [1_023, 1_022])
    func longest(_ count: Int) {
        // Each part takes four words, and the last one as many as it has a setter.
        var keyPath: KeyPath<Readable, Readable> = \.next
        for _ in 1..<count { keyPath = keyPath.appending(path: \.next) }
        let words = KeyPathComponents.words(of: keyPath.appending(path: \.computed))
        #expect(words?.count == (count == 1_023 ? nil : 4 * count + 4))
    }

    @Test("9.1 The offset of a stored property is what its header states")
    func offsets() {
        #expect(KeyPathComponents.offset(statedBy: UInt32(Header.ofClass | Header.mutable | 24)) == 24)
        #expect(KeyPathComponents.offset(statedBy: UInt32(Header.ofClass | Header.outOfLine - 1)) == 0x007F_FFFB)
        #expect(KeyPathComponents.offset(statedBy: UInt32(Header.ofClass | Header.outOfLine)) == nil)
        #expect(KeyPathComponents.offset(statedBy: UInt32(Header.ofStruct | 24)) == nil)
        #expect(KeyPathComponents.offset(statedBy: UInt32(Header.computed)) == nil)
    }

    @Test("1.8 Whether a key path leads to another object is said by all its parts, not by the last one")
    func otherObjects() {
        #expect(!KeyPathComponents.leadsToOtherObject(\Readable.computed))
        #expect(!KeyPathComponents.leadsToOtherObject(\Readable.box.half))
        #expect(KeyPathComponents.leadsToOtherObject(\Readable.next.computed))
        #expect(KeyPathComponents.leadsToOtherObject(\Readable.next.box.half))
    }

    // MARK: Samples

    @Test("1.8 A way to read key paths that gets one sample wrong is noticed", arguments: 0..<12)
    func samples(_ wrong: Int) {
        let samples = KeyPathComponents.samples
        #expect(samples.count == 12 && KeyPathComponents.reads(KeyPathComponents.Reading.init))
        func reads(_ sample: AnyKeyPath?) -> Bool {
            KeyPathComponents.reads { keyPath in
                (keyPath == samples[wrong].keyPath ? sample : keyPath).flatMap(KeyPathComponents.Reading.init)
            }
        }
        #expect(!reads(nil))
        for other in samples where other.text != samples[wrong].text { #expect(!reads(other.keyPath)) }
    }

    @Test("4.1 A way to copy key paths that gets one sample wrong is noticed", arguments: 0..<4)
    func copies(_ wrong: Int) {
        let samples = KeyPathRoot.samples
        #expect(samples.count == 4 && KeyPathRoot.copies(KeyPathRoot.copy))
        #expect(
            !KeyPathRoot.copies { keyPath, root in
                keyPath == samples[wrong].keyPath ? keyPath : KeyPathRoot.copy(keyPath, rootedAt: root)
            })
    }
}

private final class Readable {
    struct Box {
        var whole = 2
        var half: Int {
            get { whole / 2 }
            set { whole = 2 * newValue }
        }
    }

    final let number = 1
    final var box = Box()

    final var next: Readable { self }
    final var computed: Int {
        get { 1 }
        set {}
    }
    final subscript(index: Int) -> Int { index }
}
#endif
