// A list without repetitions.
import KeyValueObserving
import Testing

@Suite("A list without repetitions")
struct DistinctObjectsTests {
    private final class Entry {}

    // From nine on they are found by their identities.
    @Test("5.2 An object is in the list once, however many there are", arguments: [1, 8, 9, 10, 30])
    func distinct(_ count: Int) {
        let entries = (0..<count).map { _ in Entry() }
        var list = DistinctObjects<Entry>()
        for entry in entries {
            let isNew = list.append(entry)
            #expect(isNew)
        }
        for entry in entries {
            let isNew = list.append(entry)
            #expect(!isNew && list.contains(entry))
        }
        #expect(list.elements.elementsEqual(entries, by: ===))
        #expect(!list.contains(Entry()))
        #expect(DistinctObjects(list.elements).contains(entries[0]))
    }

    @Test("5.2 The last one can be taken back, and added again", arguments: [1, 8, 9, 10, 30])
    func removeLast(_ count: Int) {
        let entries = (0..<count).map { _ in Entry() }
        var list = DistinctObjects(ContiguousArray(entries))
        list.removeLast()
        #expect(list.elements.count == count - 1)
        #expect(!list.contains(entries[count - 1]))
        let isNew = list.append(entries[count - 1])
        #expect(isNew)
        #expect(list.elements.elementsEqual(entries, by: ===))
    }
}
