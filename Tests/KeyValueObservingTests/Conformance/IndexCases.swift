// Conformance cases of elements that are observed by index. #35: collections are values, which cannot be observed.
import KeyValueObserving
import Testing

@Suite("Conformance: elements by index")
struct IndexCases {
    private final class Row: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var number = 0
        @Observed var rows: [Row] = []
    }

    @Test("#32 An element that is observed by its index delivers its changes, until it is removed")
    func byIndex() {
        let table = Row()
        table.rows = [Row(), Row()]
        var told: [Int?] = []
        let token = table.observe(\.rows[1].number, options: .new) { told.append($1.newValue) }
        table.rows[1].number = 1
        table.rows[0].number = 2
        token.invalidate()
        table.rows[1].number = 3
        #expect(told == [1])
    }

    @Test("#34 Observing an element that is not there traps as the array does")
    func missingElement() async {
        await #expect(processExitsWith: .failure) { _ = Row().observe(\.rows[0].number) { _, _ in } }
    }
}
