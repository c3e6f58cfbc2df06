// A window of downloads.
package import DownloadModel
package import Gtk
import GtkObserving
import KeyValueObserving
import KeyValueObservingHistory

/// Shows a list of downloads in a window, which keeps it.
///
/// Its registrations end with the window.
@MainActor
package final class DownloadController {
    private let list: DownloadList
    private let commands: DownloadCommands
    package let window: Window
    private lazy var kvo = KVOController(observer: self)
    private let box = ListBox()
    private let rows: ListRows<Download, DownloadRow>
    private let (address, name) = (
        Widget.entry(placeholder: "Address").named("Address").width(240), Widget.entry(placeholder: "").named("Name")
    )
    private let (detail, bar) = (Widget.label(), Widget.progressBar().named("Progress of the selection"))
    private let status = Widget.label().named("Status").margins(6)
    private let menu = Menu("Edit")
    private var actions: [String: Action] = [:]

    /// Opens a window on a list.
    ///
    /// - Parameters:
    ///   - list: The list to show.
    ///   - application: The application that ends with its last window; nil for a window without an application.
    @discardableResult
    package init(of list: DownloadList, in application: Application?) {
        self.list = list
        commands = DownloadCommands(of: list)
        window = Window(in: application, title: "Downloads", width: 760, height: 480)
        rows = ListRows(in: box) { download in
            let row = DownloadRow(of: download)
            return (row, row.widget)
        }
        layOut()
        addActions()
        observe()
        window.keep(self)
        window.onDestroy { [unowned self] in end() }
        window.present()
    }

    package func close() { window.destroy() }

    /// Ends all registrations, because the widgets are gone.
    private func end() {
        kvo.unobserveAll()
        rows.end()
    }

    private func layOut() {
        let buttons = [("Pause", "pause"), ("Up", "up"), ("Down", "down"), ("Remove", "remove")]
        let side = Widget.box(
            vertical: true,
            [name, detail, bar, .box(vertical: false, buttons.map { .button($0.0, action: "win.\($0.1)") })])
        window.setBar(
            start: .box(vertical: false, [address, .button("Add", action: "win.add")]), end: menu.button)
        window.setContent(
            .box(vertical: true, [.paned(.scrolled(box.widget).width(400), side.margins(9)), status]))
    }

    private func addActions() {
        add("add") { [unowned self] in addAddress() }
        address.on("activate") { [unowned self] in addAddress() }
        add("pause") { [unowned self] in commands.pauseOrResume() }
        add("remove") { [unowned self] in commands.remove() }
        add("up") { [unowned self] in commands.move(by: -1) }
        add("down") { [unowned self] in commands.move(by: 1) }
        add("undo") { [unowned self] in try commands.undo() }
        add("redo") { [unowned self] in try commands.redo() }
        add("close") { [unowned self] in close() }
        box.onSelection { [unowned self] in
            if rows.isUpdating { return }
            let selected = box.selectedIndex.map { rows.elements[$0] }
            if selected !== list.selection { list.selection = selected }
        }
    }

    private func addAddress() {
        commands.add(address.text)
        address.text = ""
    }

    private func add(_ name: String, _ body: @escaping @MainActor () throws -> Void) {
        actions[name] = window.addAction(name) { [unowned self] in
            do { try body() } catch { status.setLabel("\(error)") }
        }
    }

    private func observe() {
        // This thread changes the list and the selection, so handlers are called synchronously on it.
        kvo.observe(list, \.items, options: [.initial, .new]) { controller, _, change in
            controller.rows.update(change)
            controller.select()
        }
        kvo.observe(list, \.selection, options: [.initial]) { controller, _, _ in controller.select() }
        kvo.observe(commands.undoManager, \.undoActionName, options: [.initial]) { controller, _, _ in
            controller.showMenu()
        }
        kvo.observe(commands.undoManager, \.redoActionName) { controller, _, _ in controller.showMenu() }
        // Other threads change the downloads.
        list.values(of: \.totals).labeled("totals").deliverToWidgets { [status] totals in
            status.setLabel("\(totals)")
        }.store(in: kvo)
        list.values(of: \.selection?.transfer).deliverToWidgets { [detail, bar] transfer in
            detail.setLabel(transfer?.description ?? "Nothing is selected")
            bar.setFraction(transfer?.fraction ?? 0)
        }.store(in: kvo)
        name.bindText(to: list, \.selection?.name) { list, name in list.selection?.name = name }.store(in: kvo)
    }

    private func select() {
        box.selectedIndex = rows.elements.firstIndex { $0 === list.selection }
        for name in ["pause", "remove", "up", "down"] { actions[name]?.setEnabled(list.selection != nil) }
    }

    private func showMenu() {
        let manager = commands.undoManager
        menu.setItems(
            [("Undo", manager.undoActionName, "undo"), ("Redo", manager.redoActionName, "redo")].map {
                verb, name, action in
                ([verb, name].compactMap(\.self).joined(separator: " "), "win.\(action)")
            })
        actions["undo"]?.setEnabled(manager.canUndo)
        actions["redo"]?.setEnabled(manager.canRedo)
    }
}
