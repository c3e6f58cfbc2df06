// Downloads that run in tasks, and a model on the main actor that says how far they are.
import KeyValueObserving

@MainActor
final class Downloads: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed private(set) var sizes: [String: Int] = [:]
    @Observed private(set) var expected = 0

    /// Fetches each file in a task of its own; what arrives is stored on the main actor.
    func start(_ names: [String], fetch: @escaping @Sendable (String) async -> Int) async {
        expected += names.count
        await withTaskGroup(of: (String, Int).self) { group in
            for name in names {
                group.addTask { (name, await fetch(name)) }
            }
            for await (name, size) in group { sizes[name] = size }
        }
    }
}

@MainActor
final class ProgressBar {
    private lazy var kvo = KVOController(observer: self)
    private(set) var lines: [String] = []

    func show(_ downloads: Downloads) {
        // The handler runs on the main actor, where the model is changed.
        kvo.observe(downloads, reading: { "\($0.sizes.count) of \($0.expected)" }, options: .new) { bar, _, change in
            bar.lines.append(change.requiredNewValue)
        }
        kvo.observe(downloads, reading: { $0.sizes.count == $0.expected }, options: [.new, .distinct]) {
            bar, _, change in
            if change.requiredNewValue { bar.lines.append("finished") }
        }
    }
}
