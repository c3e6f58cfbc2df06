// Tracing that the environment asks for: D19.
import Foundation
import KeyValueObserving
@_spi(Inspector) import KeyValueObservingTrace
import TestSupport
import Testing

extension TraceTests {
    @Suite("D19 The environment")
    struct EnvironmentTests {
        @Test("D19 A change of an observed property, which is printed if the environment asks for it")
        func change() {
            let cart = Cart()
            let first = cart.observe(\.count, options: [.old, .new]) { cart, change in cart.price = 90 }
            let second = cart.observe(\.price, options: [.old, .new]) { _, _ in }
            let third = cart.observe(\.tags, options: [.old, .new]) { _, _ in }
            cart.count = 41
            cart.mutable(\.tags).append("x")
            #expect(cart.price == 90)
            withExtendedLifetime((first, second, third)) {}
        }

        #if os(Linux)
        @Test(
            "D19 With KEY_VALUE_OBSERVING_TRACE=1 a program that links the product prints a line for each change",
            .enabled(if: hasReflectionMetadata),
            arguments: ["1", "0", ""])
        func printed(value: String) throws {
            let process = Process()
            process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
            process.arguments = [
                "--testing-library", "swift-testing", "--filter", "TraceTests/EnvironmentTests/change",
            ]
            process.environment = ProcessInfo.processInfo.environment.merging(
                ["KEY_VALUE_OBSERVING_TRACE": value]
            ) { _, new in new }
            let output = Pipe()
            process.standardError = output
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            let lines = text.split(separator: "\n").filter { $0.hasPrefix("KeyValueObserving: ") }
            #expect(
                lines
                    == (value == "1"
                        ? [
                            "KeyValueObserving: count of Cart: 0 → 41",
                            """
                            KeyValueObserving: price of Cart: 0 → 90, in the handler registered at \
                            KeyValueObservingTraceTests/EnvironmentTests.swift:14 for count of Cart
                            """,
                            "KeyValueObserving: tags of Cart, insertion at 0: · → [\"x\"]",
                        ] : []))
        }
        #endif
    }
}
