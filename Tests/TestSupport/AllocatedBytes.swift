// How much memory a program uses, for processes of their own in which nothing else runs.
import Foundation

/// The bytes that the program has allocated and not given back; 0 where the C library does not say.
package func allocatedBytes() -> Int {
    _ = firstReading
    return reading()
}

/// How many more bytes are allocated after `body` than before it.
package func bytesKept(by body: () -> Void) -> Int {
    let before = allocatedBytes()
    body()
    return allocatedBytes() - before
}

/// The first reading leaves 16 KB of its own behind, which the next one would take for those of a test.
private let firstReading = reading()

private func reading() -> Int {
    let report = heapReport()
    // The last numbers are those of all threads' memory together.
    func size(_ name: String) -> Int {
        guard let place = report.range(of: name, options: .backwards),
            let start = report.range(of: "size=\"", range: place.upperBound..<report.endIndex)
        else { return 0 }
        return Int(report[start.upperBound...].prefix { $0.isNumber }) ?? 0
    }
    return size("<system type=\"current\"") + size("<total type=\"mmap\"")
        - size("<total type=\"fast\"") - size("<total type=\"rest\"")
}

/// What `malloc_info` of the GNU C library writes.
private func heapReport() -> String {
    #if canImport(Glibc)
    typealias Function = @convention(c) (CInt, UnsafeMutablePointer<FILE>) -> CInt
    guard let symbol = unsafe dlsym(nil, "malloc_info") else { return "" }
    var text: UnsafeMutablePointer<CChar>?
    var count = 0
    guard let file = unsafe open_memstream(&text, &count) else { return "" }
    // That is its type in C.
    _ = unsafe unsafeBitCast(symbol, to: Function.self)(0, file)
    unsafe fclose(file)
    defer { unsafe free(text) }
    return unsafe text.map { unsafe String(cString: $0) } ?? ""
    #else
    return ""
    #endif
}
