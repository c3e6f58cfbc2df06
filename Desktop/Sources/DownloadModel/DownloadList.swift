// The list of downloads and its commands.
package import KeyValueObserving
package import KeyValueObservingHistory

/// The downloads of a window.
///
/// One thread changes the list and the selection, and other threads read them for the totals.
package final class DownloadList: KeyValueObservable, @unchecked Sendable {
    /// The values that the status line shows.
    package struct Totals: Equatable, Sendable, CustomStringConvertible {
        package var running = 0
        package var done = 0
        package var speed = 0

        package var description: String { "\(running) running, \(done) done, \(Bytes(speed)) a second" }
    }

    package let keyValueRegistrar = KeyValueRegistrar()
    @ObservedShared package var items: [Download] = []
    @ObservedShared package var selection: Download?

    package init() {}

    package var totals: Totals {
        items.reduce(into: Totals()) { totals, item in
            let transfer = item.transfer
            totals.running += transfer.state == .running ? 1 : 0
            totals.done += transfer.state == .done ? 1 : 0
            totals.speed += transfer.speed
        }
    }
}

/// The commands of a user for a list, with undo.
package struct DownloadCommands {
    package let list: DownloadList
    package let undoManager = KeyValueUndoManager(levelsOfUndo: 100)

    package init(of list: DownloadList) {
        self.list = list
        undoManager.track(list, eachOf: \.items, \.name, coalescing: .seconds(1))
    }

    /// Adds a download at the end, and selects it; does nothing for a blank address.
    package func add(_ address: String) {
        let address = address.filter { !$0.isWhitespace }
        if address.isEmpty { return }
        let download = Download(address: address)
        undoManager.group(named: "Add") { list.mutable(\.items).append(download) }
        list.selection = download
    }

    /// Removes the selected download, and selects the next one.
    package func remove() {
        guard let index else { return }
        undoManager.group(named: "Remove") { _ = list.mutable(\.items).remove(at: index) }
        list.selection = list.items.indices.contains(index) ? list.items[index] : list.items.last
    }

    /// Moves the selected download by a number of places.
    package func move(by offset: Int) {
        guard let index, list.items.indices.contains(index + offset) else { return }
        let items = list.mutable(\.items)
        undoManager.group(named: "Move") {
            // Rows move in one call.
            withKeyValueTransaction { items.insert(items.remove(at: index), at: index + offset) }
        }
    }

    /// Pauses or resumes the selected download.
    package func pauseOrResume() {
        list.selection?.transfer.pauseOrResume()
    }

    package func undo() throws(KeyValueUndoError) {
        try undoManager.undo()
        deselectMissing()
    }

    package func redo() throws(KeyValueUndoError) {
        try undoManager.redo()
        deselectMissing()
    }

    private var index: Int? { list.items.firstIndex { $0 === list.selection } }

    private func deselectMissing() { if index == nil { list.selection = nil } }
}
