// Applies the settings given as arguments, `configuration server.port=8080`, or a few of its own, and prints changes.
//
// The exit code is 1 if a setting could not be applied.
import Foundation
import KeyValueCoding
import KeyValueObserving

var lines = Array(CommandLine.arguments.dropFirst())
if lines.isEmpty {
    lines = ["server.port = 8080", "isVerbose = true", "server.prot = 1", "server.port = 70000", "server.host"]
}

let configuration = Configuration()
var observations: Set<KeyValueObservation> = []
for name in ["server.host", "server.port", "isVerbose"] {
    try configuration.observe(name, options: [.old, .new]) { _, change in
        print("\(name): \(change.requiredOldValue) → \(change.requiredNewValue)")
    }.store(in: &observations)
}

var exitCode: Int32 = 0
for line in lines {
    do {
        try configuration.apply(line)
    } catch {
        print("error: \(error)")
        exitCode = 1
    }
}
exit(exitCode)
