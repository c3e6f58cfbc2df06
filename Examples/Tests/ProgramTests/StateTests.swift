// What the short programs keep and call, on inputs that they do not have themselves.
import KeyValueCoding
import KeyValueObserving
import KeyValueObservingHistory
import Testing

@testable import configuration
@testable import todo

@Suite struct StateTests {
    @Test func `every command of a list can be undone and redone`() throws {
        let list = TodoList()
        let commands = Commands(of: list)
        var states = [list.lines]
        for line in ["add milk", "add bread", "done 1", "edit 2 apples", "sort", "clear", "add eggs", "remove 1"] {
            #expect(try commands.run(line) == nil)
            states.append(list.lines)
        }
        #expect(Set(states).count == states.count)
        for state in states.dropLast().reversed() {
            _ = try commands.run("undo")
            #expect(list.lines == state)
        }
        #expect(try commands.run("undo") == "nothing to undo")
        for state in states.dropFirst() {
            #expect(try commands.run("redo") == nil && list.lines == state)
        }
        #expect(try commands.run("redo") == "nothing to redo")
        #expect(try commands.run("done 9") == Commands.help)
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
}
