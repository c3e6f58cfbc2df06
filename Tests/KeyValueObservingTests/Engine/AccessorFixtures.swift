// An object whose accessors call the engine themselves.
import KeyValueObserving

/// Written as the macro writes it.
class AccessorSheet: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var factor = 1
    private var notes: [String] = []
    private var storedTitle = "" {
        willSet { note("willSet \(newValue)") }
        didSet { note("didSet \(storedTitle)") }
    }
    /// Without `oldValue`, Swift changes it in place.
    private var storedCells: [Int] = [] { didSet { note("didSet \(storedCells.count)") } }
    private var storedQuiet: [Int] = []

    var title: String {
        get {
            accessValue(for: \.title)
            return storedTitle
        }
        set {
            let change = AccessorChange(of: \.title, in: self)
            storedTitle = newValue
            change.end()
        }
    }

    var cells: [Int] {
        get {
            accessValue(for: \.cells)
            return storedCells
        }
        set {
            let change = AccessorChange(of: \.cells, in: self)
            storedCells = newValue
            change.end()
        }
        _modify {
            let access = AccessorAccess(to: \.cells, of: self)
            defer { access.end() }
            yield &storedCells
        }
    }

    /// Its class says that it notifies by hand.
    var quiet: [Int] {
        get {
            accessValue(for: \.quiet)
            return storedQuiet
        }
        set {
            let change = AccessorChange(of: \.quiet, in: self)
            storedQuiet = newValue
            change.end()
        }
        _modify {
            let access = AccessorAccess(to: \.quiet, of: self)
            defer { access.end() }
            yield &storedQuiet
        }
    }

    var sum: Int { (cells + quiet).reduce(0, +) * factor }

    func note(_ line: String) { notes.append(line) }

    func takeNotes() -> [String] {
        defer { notes = [] }
        return notes
    }

    class func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { keyPath != \AccessorSheet.quiet }
}

extension [Int] {
    @inline(never) mutating func change(_ body: (inout [Int]) -> Void) { body(&self) }
}
