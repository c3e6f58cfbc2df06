// A screen that shows what its view model says, and a view model that follows the signed-in user.
import KeyValueObserving

final class User: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var name: String
    @Observed var messages = 0

    init(name: String) { self.name = name }
}

final class ViewModel: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var user: User?
    // Computed from observed properties, so it can be observed itself.
    var title: String { user.map { "Hello, \($0.name)" } ?? "Signed out" }
}

final class Screen {
    private(set) lazy var kvo = KVOController(observer: self)
    private let draw: (String) -> Void

    init(draw: @escaping (String) -> Void) { self.draw = draw }

    /// Shows a view model instead of the one before it.
    func show(_ model: ViewModel) {
        kvo.unobserveAll()
        kvo.observe(model, \.title, options: [.initial, .new], action: Screen.titleDidChange)
        // The path follows the user: the messages of one who signed out are no longer seen.
        kvo.observe(model, \.user?.messages, options: .new, action: Screen.messagesDidChange)
    }

    // The methods are named, not called, so nothing keeps the screen alive.
    private func titleDidChange(_ change: KeyValueObservedChange<String>) {
        draw("title: \(change.requiredNewValue)")
    }

    private func messagesDidChange(_ change: KeyValueObservedChange<Int?>) {
        if let count = change.requiredNewValue { draw("messages: \(count)") }
    }
}
