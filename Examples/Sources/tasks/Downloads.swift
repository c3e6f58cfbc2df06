// Downloads that run in tasks, and a model on the main actor that says how far they are.
import KeyValueObserving

@MainActor
final class Downloads: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed private(set) var sizes: [String: Int] = [:]
    @Observed private(set) var expected = 0
    var progress: String { "\(sizes.count) of \(expected)" }
    var isFinished: Bool { sizes.count == expected }

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
        kvo.observe(downloads, \.progress, options: .new) { bar, _, change in
            if let progress = change.newValue { bar.lines.append(progress) }
        }
        kvo.observe(downloads, \.isFinished, options: [.new, .distinct]) { bar, _, change in
            if change.newValue == true { bar.lines.append("finished") }
        }
    }
}
