// What is read of the lists of overrides that the compiler writes down: made by hand, as no class of this toolchain has it.
#if !KEY_VALUE_OBSERVING_PLAIN && !canImport(ObjectiveC)
import KeyValueObserving
import Testing

@Suite("1.8 Reading which properties a class overrides")
struct OverrideListTests {
    private enum Flag {
        static let ofClass: UInt32 = 16
        static let isGeneric: UInt32 = 1 << 7
        static let singleton: UInt32 = 1 << 16
        static let foreign: UInt32 = 2 << 16
        static let hasResilientSuperclass: UInt32 = 1 << 29
        static let hasOverrides: UInt32 = 1 << 30
        static let hasMethods: UInt32 = 1 << 31
    }

    /// How an override refers to what it overrides.
    private enum Reference { case direct, indirect, nothing, indirectNothing }

    /// Whether a class with these flags, and these words before its overrides, may override a getter.
    private func lists(
        _ flags: UInt32, before: [UInt32] = [], _ references: [Reference], isThatGetter: Bool = true
    ) -> Bool {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 512, alignment: 8)
        defer { unsafe memory.deallocate() }
        unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: 512)
        let (method, address, nowhere) = (400, 408, 416)
        unsafe (memory + address).storeBytes(of: memory + method, as: UnsafeMutableRawPointer.self)
        unsafe memory.storeBytes(of: flags, as: UInt32.self)
        var place = 44
        for word in before + [UInt32(references.count)] {
            unsafe (memory + place).storeBytes(of: word, as: UInt32.self)
            place += 4
        }
        for reference in references {
            // The class, the method, and what takes its place.
            let distance =
                switch reference {
                case .direct: method - (place + 4)
                case .indirect: (address - (place + 4)) | 1
                case .nothing: 0
                case .indirectNothing: (nowhere - (place + 4)) | 1
                }
            unsafe (memory + place + 4).storeBytes(of: Int32(distance), as: Int32.self)
            place += 12
        }
        let getter = unsafe UInt(bitPattern: memory + method) + (isThatGetter ? 0 : 8)
        return unsafe PropertyOverrides.lists(memory, getter)
    }

    @Test("1.8 A class without overrides overrides nothing")
    func none() {
        #expect(!lists(Flag.ofClass, [.direct]))
        #expect(!lists(Flag.ofClass | Flag.hasOverrides, []))
    }

    @Test("1.8 A class overrides what its list refers to, and nothing else")
    func listed() {
        let flags = Flag.ofClass | Flag.hasOverrides
        #expect(lists(flags, [.direct]) && !lists(flags, [.direct], isThatGetter: false))
        #expect(lists(flags, [.indirect]) && !lists(flags, [.indirect], isThatGetter: false))
        #expect(!lists(flags, [.indirect, .direct], isThatGetter: false))
    }

    @Test("1.8 The list is found behind the other parts of a descriptor")
    func parts() {
        for isThatGetter in [true, false] {
            func overrides(_ flags: UInt32, _ before: [UInt32]) -> Bool {
                lists(Flag.ofClass | Flag.hasOverrides | flags, before: before, [.direct], isThatGetter: isThatGetter)
            }
            #expect(overrides(Flag.singleton, [9, 9, 9]) == isThatGetter)
            #expect(overrides(Flag.hasMethods, [9, 2, 9, 9, 9, 9]) == isThatGetter)
            #expect(overrides(Flag.singleton | Flag.hasMethods, [9, 9, 9, 9, 1, 9, 9]) == isThatGetter)
        }
    }

    @Test("1.8 A class that is described in a way that is not known may override everything")
    func unknown() {
        #expect(lists(17, []) && lists(17 | Flag.hasOverrides, [.direct], isThatGetter: false))
        #expect(lists(Flag.ofClass | Flag.isGeneric, []))
        #expect(lists(Flag.ofClass | Flag.hasResilientSuperclass, []))
        #expect(lists(Flag.ofClass | Flag.hasOverrides | Flag.foreign, []))
        #expect(lists(Flag.ofClass | Flag.hasOverrides, [.nothing], isThatGetter: false))
        #expect(lists(Flag.ofClass | Flag.hasOverrides, [.indirectNothing], isThatGetter: false))
    }

    @Test("1.8 A way to find overrides that gets one sample wrong is noticed", arguments: 0..<6)
    func samples(_ wrong: Int) {
        let sample = PropertyOverrides.samples[wrong]
        #expect(PropertyOverrides.samples.count == 6 && PropertyOverrides.isLayoutKnown)
        #expect(
            !PropertyOverrides.finds { keyPath, type, base in
                PropertyOverrides.areListed(of: keyPath, in: type, below: base)
                    != (keyPath == sample.keyPath && type == sample.type)
            })
    }

    @Test("1.8 What is no property with accessors, or not below the class, may be overridden")
    func other() {
        let samples = PropertyOverrides.samples
        #expect(PropertyOverrides.areListed(of: \Stored.number, in: Stored.self, below: Stored.self))
        #expect(PropertyOverrides.areListed(of: samples[0].keyPath, in: Stored.self, below: samples[0].type))
    }
}

private final class Stored {
    final let number = 1
}
#endif
