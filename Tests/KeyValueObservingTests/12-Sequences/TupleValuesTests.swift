// Values of several key paths as one sequence.
import KeyValueObserving
import Testing

@Suite("12.1 Values of several key paths")
struct TupleValuesTests {
    @Test("12.1 values(of:_:) gives a tuple now and after each change of one of them, and one for a transaction")
    func tuples() async throws {
        let person = Person()
        var iterator = person.values(of: \.age, \.name).makeAsyncIterator()
        person.age = 1
        withKeyValueTransaction {
            person.name = "Ann"
            person.age = 2
        }
        var told: [String] = []
        for _ in 0..<3 {
            let (age, name) = try #require(await iterator.next())
            told.append("\(age) \(name)")
        }
        #expect(told == ["0 ", "1 ", "2 Ann"])
    }
}
