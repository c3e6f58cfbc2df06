// What the short programs keep and call, on inputs that they do not have themselves.
import KeyValueCoding
import KeyValueObserving
import KeyValueObservingHistory
import Synchronization
import Testing

@testable import bank
@testable import configuration
@testable import screen
@testable import tasks
@testable import todo

@Suite struct StateTests {
    @Test func `all changes of a list can be undone and redone`() throws {
        let list = TodoList()
        let undoManager = KeyValueUndoManager()
        undoManager.track(list, \.items)
        var states = [list.items]
        func record(_ change: (ObservedMutableArray<String>) -> Void) {
            change(list.mutable(\.items))
            states.append(list.items)
        }
        record { $0.append(contentsOf: ["c", "a", "b"]) }
        record { $0.sort() }
        record { $0.swapAt(0, 2) }
        record { $0.removeFirst() }
        record { $0.value = ["z"] }
        for state in states.dropLast().reversed() {
            try undoManager.undo()
            #expect(list.items == state)
        }
        for state in states.dropFirst() {
            try undoManager.redo()
            #expect(list.items == state)
        }
        try undoManager.redo()
        #expect(list.items == ["z"])
    }

    @Test func `a change after an undo ends what can be redone`() throws {
        let list = TodoList()
        let undoManager = KeyValueUndoManager()
        undoManager.track(list, \.items)
        list.items = ["a"]
        try undoManager.undo()
        list.items = ["b"]
        try undoManager.redo()
        #expect(list.items == ["b"])
        try undoManager.undo()
        #expect(list.items == [])
    }

    @Test func `a setting is a number, a truth value or a text, with spaces or without`() throws {
        let configuration = Configuration()
        try configuration.apply("  server.host=a b = c  ")
        try configuration.apply("server.port =65535")
        try configuration.apply("isVerbose= true")
        #expect(configuration.server.host == "a b = c")
        #expect(configuration.server.port == 65535)
        #expect(configuration.isVerbose)
        #expect(throws: NotASetting.self) { try configuration.apply("server.port") }
        #expect(throws: KeyValueCodingError.self) { try configuration.apply("server.port = none") }
    }

    @Test func `a threshold reports what crosses it, and ends with its object`() {
        let bank = Bank()
        bank.open("ada")
        let reports = Mutex<[Bool]>([])
        let observation = bank.observe(limit: 10) { isReached in reports.withLock { $0.append(isReached) } }
        for amount in [9, 1, 5, -6, 1] { bank.deposit(amount, to: "ada") }
        #expect(reports.withLock { $0 } == [true, false, true])
        observation.invalidate()
        bank.deposit(-10, to: "ada")
        #expect(reports.withLock { $0.count } == 3)
    }

    @Test func `a screen draws the view model that it shows last`() {
        var drawn: [String] = []
        let screen = Screen { drawn.append($0) }
        let (first, second) = (ViewModel(), ViewModel())
        screen.show(first)
        screen.show(second)
        drawn = []
        first.user = User(name: "Ada")
        #expect(drawn == [])
        second.user = User(name: "Bob")
        #expect(drawn == ["title: Hello, Bob", "messages: 0"])
    }

    @MainActor
    @Test func `downloads count up to what was expected`() async {
        let downloads = Downloads()
        let bar = ProgressBar()
        bar.show(downloads)
        await downloads.start(["a", "bc"]) { $0.count }
        #expect(bar.lines == ["0 of 2", "1 of 2", "2 of 2", "finished"])
        #expect(downloads.sizes == ["a": 1, "bc": 2])
    }
}
