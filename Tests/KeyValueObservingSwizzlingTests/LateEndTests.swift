// Objects observed for the first time in a deinit whose end goes unnoticed: 15.3.
#if !canImport(ObjectiveC)
import ForeignClasses
import KeyValueObserving
import KeyValueObservingSwizzling
import TestSupport
import Testing

// What is kept of such objects belongs to the whole program, so each test has a process of its own.
@Suite("15.3 The end of an object that goes unnoticed", .enabled(if: RuntimeAssumption.objectClasses.holds))
struct LateEndTests {
    @Test("15.3 What lies beside such an object ends at the latest with the next one that ends after its deinit")
    func endsWithNext() async {
        await #expect(processExitsWith: .success) {
            let witness = Witness()
            endLate(Int8.self) { object in
                _ = object.companion { Held(witness) }
                object.value = 1
                #expect(witness.count == 1)
            }
            endLate(Int16.self) { $0.value = 1 }
            #expect(witness.count == 0)
            endLate(UInt8.self) { outer in
                _ = outer.companion { Held(witness) }
                endLate(UInt16.self) { $0.value = 1 }
                outer.value = 2
                endLate(UInt32.self) { $0.value = 1 }
                #expect(witness.count == 1)
            }
            endLate(UInt64.self) { $0.value = 1 }
            #expect(witness.count == 0)
        }
    }

    @Test("15.3 No other object has anything of it: its memory is kept as long as something lies beside it")
    func memoryIsKept() async {
        await #expect(processExitsWith: .success) { endBeforeOthers(Int8.self, times: 6) }
    }

    @Test("15.3 1.6 Such objects leave no memory")
    func noMemoryIsLeft() async {
        await #expect(processExitsWith: .success) {
            endLarge(Int8.self, times: 4)
            // Fewer than four of them.
            #expect(bytesKept { endLarge(Int16.self, times: 12) } < 4 * LargeEnding<Int8>.size)
        }
    }
}

/// Ends an object of a class that was unknown when its `deinit` began.
///
/// - Parameters:
///   - tag: The class has not been used with it before.
///   - body: Called in the `deinit`.
private func endLate<Tag>(_ tag: Tag.Type, _ body: @escaping (LateEnding<Tag>) -> Void) {
    letGo(LateEnding<Tag> { object in (object as? LateEnding<Tag>).map(body) })
}

/// Ends an object of each of several classes, and looks whether others have what lies beside it.
private func endBeforeOthers<Tag>(_ tag: Tag.Type, times: Int) {
    let own = Held(Witness())
    endLate(tag) { object in _ = object.companion { own } }
    let others = (0..<100).map { _ in LateEnding<Tag> { _ in } }
    let witness = Witness()
    #expect(!others.contains { $0.companion { Held(witness) } === own })
    if times > 1 { endBeforeOthers(Tag?.self, times: times - 1) }
    #expect(witness.count == 100)
    withExtendedLifetime(others) {}
}

/// Ends a large object of each of several classes.
private func endLarge<Tag>(_ tag: Tag.Type, times: Int) {
    letGo(LargeEnding<Tag> { ($0 as? LargeEnding<Tag>)?.value = 1 })
    if times > 1 { endLarge(Tag?.self, times: times - 1) }
}

/// The same, with large objects.
private final class LargeEnding<Tag>: Ending, NotifyingSubclass {
    private typealias Piece = (Int, Int, Int, Int, Int, Int, Int, Int)
    private typealias Block = (Piece, Piece, Piece, Piece, Piece, Piece, Piece, Piece)
    private typealias Room = (Block, Block, Block, Block, Block, Block, Block, Block)
    private typealias Hall = (Room, Room, Room, Room, Room, Room, Room, Room)

    private var hall: Hall?

    static var size: Int { MemoryLayout<Hall>.size }

    override var value: Int {
        get { read(\.value, super.value) }
        set { changeValue(for: \.value) { super.value = newValue } }
    }
}
#endif
