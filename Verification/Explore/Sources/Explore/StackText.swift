// Where a thread is, for people.
import Foundation

/// The functions that a thread is in.
enum StackText {
    /// The innermost functions of the library and of the scenario, one a line.
    static func current() -> String {
        let names = Thread.callStackSymbols.compactMap { symbol -> String? in
            // A symbol stands between the program's name and an offset.
            guard let start = symbol.range(of: "$s"),
                let end = symbol[start.lowerBound...].firstIndex(where: { $0 == "+" || $0 == " " || $0 == ")" })
            else { return nil }
            return String(symbol[start.lowerBound..<end])
        }
        return names.map(demangled).filter {
            $0.contains("KeyValueObserving.") && !$0.contains("Scheduling") && !$0.contains("withLock")
        }
        .prefix(7).map { "    \($0)" }.joined(separator: "\n")
    }

    private static func demangled(_ name: String) -> String {
        typealias Demangle =
            @convention(c) (
                UnsafePointer<CChar>, Int, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?, UInt32
            ) -> UnsafeMutablePointer<CChar>?
        guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "swift_demangle") else { return name }
        let demangle = unsafeBitCast(symbol, to: Demangle.self)
        guard let text = demangle(name, name.utf8.count, nil, nil, 0) else { return name }
        defer { free(text) }
        return String(cString: text)
    }
}
