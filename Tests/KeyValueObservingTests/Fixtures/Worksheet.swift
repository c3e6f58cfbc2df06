// A model with a property of every kind, and observers that log their deliveries.
import KeyValueObserving
import TestSupport

/// Has stored, computed, to-many and manual properties, a path, and a getter that sets what it reads.
class Worksheet: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var a = 0
    @Observed var b = 0
    @Observed var items: [String] = []
    @Observed var next: Worksheet?
    /// Notifies by hand.
    @Observed var quiet = 0
    private var storedCode = 0
    private var storedJobs: [String] = []
    /// How often the sum was evaluated.
    private(set) var evaluations = 0

    var sum: Int {
        evaluations += 1
        return a + b
    }
    var count: Int { items.count }
    /// Keeps `a` below 6.
    var limited: Int {
        if a > 5 { a = 5 }
        return a
    }
    var code: Int {
        get {
            accessValue(for: \.code)
            return storedCode
        }
        set { changeValue(for: \.code) { storedCode = newValue } }
    }
    var jobs: [String] {
        get {
            accessValue(for: \.jobs)
            return storedJobs
        }
        set { changeValue(for: \.jobs) { storedJobs = newValue } }
    }

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { keyPath != \Worksheet.quiet }
}

/// Observers of a sheet.
final class WorksheetObservers {
    let sheet = Worksheet()
    let log = Log()
    private(set) var tokens: [KeyValueObservation] = []

    init(_ names: String = "", _ options: KeyValueObservingOptions = [.old, .new]) { observe(names, options) }

    /// Registers at each of the names; the lines of their log begin with a word, if one is given, and the name.
    @discardableResult
    func observe(
        _ names: String, _ options: KeyValueObservingOptions = [.old, .new], as word: String? = nil
    ) -> KeyValueObservation? {
        for name in names.split(separator: " ").map(String.init) {
            let line = word.map { "\($0) \(name)" } ?? name
            switch name {
            case "a": observe(\.a, options, line)
            case "b": observe(\.b, options, line)
            case "items": observe(\.items, options, line)
            case "quiet": observe(\.quiet, options, line)
            case "code": observe(\.code, options, line)
            case "jobs": observe(\.jobs, options, line)
            case "sum": observe(\.sum, options, line)
            case "count": observe(\.count, options, line)
            case "limited": observe(\.limited, options, line)
            case "next.a": observe(\.next?.a, options, line)
            case "next.items": observe(\.next?.items, options, line)
            default: fatalError("a sheet has no \(name)")
            }
        }
        return tokens.last
    }

    private func observe<Value>(
        _ keyPath: KeyPath<Worksheet, Value>, _ options: KeyValueObservingOptions, _ line: String
    ) {
        tokens.append(
            sheet.observe(keyPath, options: options) { [log] _, change in
                log.add("\(line) \(toManyText(of: change).replacing("setting ", with: ""))")
            })
    }

    /// Keeps a registration as long as its own.
    func keep(_ token: KeyValueObservation) { tokens.append(token) }

    func take() -> [String] { log.take() }

    func endAll() { tokens = [] }
}
