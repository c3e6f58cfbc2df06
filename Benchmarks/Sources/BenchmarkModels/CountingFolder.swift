// A total over many objects.
public import KeyValueObserving

/// Objects with numbers, and their sum: read anew, or kept.
public final class CountingFolder: KeyValueObservable {
    /// Leads to the observers.
    public let keyValueRegistrar = KeyValueRegistrar()
    /// The objects.
    @Observed public var files: [ObservedModel] = []
    /// The sum that is kept.
    @Observed public private(set) var total = 0
    private var counted: [ObjectIdentifier: Int] = [:]
    private var counting: KeyValueObservation?

    /// An empty folder.
    public init() {}

    /// The sum, read anew.
    public var readTotal: Int { files.reduce(0) { $0 + $1.number } }

    /// Keeps the sum from here on.
    public func count() {
        counting = observe(eachOf: \.files, \.number, options: [.initial, .new]) { folder, file, change in
            let number = change.requiredNewValue
            folder.total += number - (folder.counted.updateValue(number, forKey: ObjectIdentifier(file)) ?? 0)
        } departure: { folder, file in
            folder.total -= folder.counted.removeValue(forKey: ObjectIdentifier(file)) ?? 0
        }
    }
}
