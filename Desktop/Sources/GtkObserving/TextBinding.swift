// Entries that show a property and change it.
package import Gtk
package import KeyValueObserving

extension Widget {
    /// Keeps the text of an entry and a property equal; without a value the entry is empty and cannot be edited.
    ///
    /// The property is set while the user types; the entry shows other changes in the next turn of the main loop.
    /// Neither change comes back, because an equal value is not set.
    ///
    /// - Returns: A token. After its release, the entry neither follows the property nor changes it.
    package func bindText<Object: KeyValueObservable & Sendable>(
        to object: Object, _ keyPath: any KeyPath<Object, String?> & Sendable,
        set: @escaping @MainActor (Object, String) -> Void
    ) -> KeyValueObservation {
        isSensitive = object[keyPath: keyPath] != nil
        text = object[keyPath: keyPath] ?? ""
        // An entry whose text is set reports two changes, first to an empty text.
        let showing = Showing()
        let token = object.values(of: keyPath).deliverToWidgets { value in
            isSensitive = value != nil
            if text != value ?? "" { showing.make { text = value ?? "" } }
        }
        on("changed") { [weak object, weak token] in
            guard let object, token?.isInvalidated == false, !showing.isUnderWay,
                let value = object[keyPath: keyPath], value != text
            else { return }
            set(object, text)
        }
        return token
    }
}

/// Whether an entry is being set.
@MainActor
private final class Showing {
    private(set) var isUnderWay = false

    func make(_ body: () -> Void) {
        isUnderWay = true
        body()
        isUnderWay = false
    }
}
