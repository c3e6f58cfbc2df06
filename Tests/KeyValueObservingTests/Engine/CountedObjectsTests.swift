// The list of the paths that depend on a property.
import KeyValueObserving
import Testing

@Suite("A list whose entries are counted")
struct CountedObjectsTests {
    private final class Entry {}

    // The list is kept in another way from nine on.
    @Test("6.2 An entry stays until it was removed as often as it was inserted", arguments: [1, 3, 8, 9, 30])
    func counts(_ count: Int) {
        let entries = (0..<count).map { _ in Entry() }
        var list = CountedObjects<Entry>()
        #expect(list.isEmpty)
        for entry in entries + entries { list.insert(entry) }
        for entry in entries { list.remove(entry) }
        #expect(Set(list.unique.map(ObjectIdentifier.init)) == Set(entries.map(ObjectIdentifier.init)))
        #expect(list.unique.count == count)
        for entry in entries.dropLast() { list.remove(entry) }
        #expect(list.unique.map(ObjectIdentifier.init) == entries.suffix(1).map(ObjectIdentifier.init))
        list.remove(entries[count - 1])
        #expect(list.isEmpty)
        // It need not be there.
        list.remove(entries[0])
        #expect(list.unique.isEmpty)
    }
}
