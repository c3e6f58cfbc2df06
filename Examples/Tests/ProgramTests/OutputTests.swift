// What the short programs print: Expected has a file for each.
import Foundation
import Testing

@Suite struct OutputTests {
    private func output(
        of program: String, _ arguments: String..., input: String = "", status: Int32 = 0
    ) throws -> String {
        let process = Process()
        process.executableURL = Bundle.module.bundleURL.deletingLastPathComponent().appending(path: program)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        let typed = Pipe()
        process.standardInput = typed
        try process.run()
        try typed.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try typed.fileHandleForWriting.close()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == status)
        return output
    }

    @Test(arguments: [("configuration", 1), ("streams", 0)])
    func `each program prints what is expected`(program: String, status: Int32) throws {
        let file = Bundle.module.bundleURL.appending(path: "Expected/\(program).txt")
        #expect(try output(of: program, status: status) == String(contentsOf: file, encoding: .utf8))
    }

    @Test func `the screen of a list is drawn when one of its lines changes`() throws {
        let input = "add milk\nadd bread\ndone 1\nfilter\nundo\nredo\n"
        let file = Bundle.module.bundleURL.appending(path: "Expected/todo.txt")
        #expect(try output(of: "todo", input: input) == String(contentsOf: file, encoding: .utf8))
    }

    @Test func `configuration takes settings as arguments, and ends with 1 if it could not apply one`() throws {
        #expect(try output(of: "configuration", "isVerbose=true") == "isVerbose: false → true\n")
        #expect(
            try output(of: "configuration", "server.host=example.org", "isVerbose=1", status: 1)
                == "server.host: localhost → example.org\nerror: "
                + "Configuration has a Bool at \"isVerbose\", and 1 of type Int was given. "
                + "A number is not treated as a Bool.\n")
    }
}
