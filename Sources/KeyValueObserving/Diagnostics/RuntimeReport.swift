// A report on the library's assumptions about the Swift runtime.

extension KeyValueDiagnostics {
    /// The library's assumptions about the Swift runtime, as text: each assumption, whether it holds in this program,
    /// and what the library does otherwise.
    ///
    /// Print it when you use a new compiler, or another platform, and add it to a report of a fault:
    ///
    /// ```swift
    /// print(KeyValueDiagnostics.runtimeReport)
    /// ```
    ///
    /// ```
    /// KeyValueObserving on Linux, x86_64
    /// holds  A key path lists its components in its memory.
    ///        Otherwise: Key paths are compared by ==, and paths are evaluated after each change.
    /// ```
    ///
    /// A line begins with `holds` or with `fails`. What `KeyValueObservingSwizzling` assumes is listed once the program has
    /// used a notifying subclass. The checks that have not been made yet are made now, once. It may be called at any time,
    /// from any thread.
    public static var runtimeReport: String {
        let lines = RuntimeAssumption.all.map {
            "\($0.holds ? "holds" : "fails")  \($0.sentence)\n       Otherwise: \($0.otherwise)\n"
        }
        return "KeyValueObserving on \(platform)\n" + lines.joined()
    }

    private static var platform: String {
        #if os(Linux)
        let system = "Linux"
        #elseif os(Windows)
        let system = "Windows"
        #elseif canImport(Darwin)
        let system = "an Apple platform"
        #else
        let system = "another system"
        #endif
        #if arch(x86_64)
        return "\(system), x86_64"
        #elseif arch(arm64)
        return "\(system), arm64"
        #else
        return "\(system), another architecture"
        #endif
    }
}
