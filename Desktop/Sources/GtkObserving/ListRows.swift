// Rows that follow a list.
package import Gtk
package import KeyValueObserving

/// The rows of a list box, one for each element of a list.
///
/// Each change of elements changes as many rows. A transaction, or the undo of a step, is one update, in which rows
/// that are removed and inserted again keep their widgets.
@MainActor
package final class ListRows<Element: AnyObject, Row> {
    package let box: ListBox
    private let makeRow: (Element) -> (row: Row, widget: Widget)
    private var rows: [(element: Element, row: Row)] = []
    /// Whether rows are being changed, so that a new selection of the box is not the user's.
    package private(set) var isUpdating = false

    /// - Parameters:
    ///   - box: A list box without rows.
    ///   - makeRow: Makes a row, which is kept while its element is in the list, and its widget.
    package init(in box: ListBox, _ makeRow: @escaping (Element) -> (row: Row, widget: Widget)) {
        (self.box, self.makeRow) = (box, makeRow)
    }

    package var elements: [Element] { rows.map(\.element) }

    /// Follows a change of the list, from a registration with `.new`.
    package func update(_ change: KeyValueObservedChange<[Element]>) {
        isUpdating = true
        defer { isUpdating = false }
        var steps = change.steps.isEmpty ? [change] : change.steps
        while let step = steps.first {
            steps.removeFirst()
            if step.kind == .removal, let next = steps.first, next.kind == .insertion, step.positions.count == 1,
                next.newValue?.count == 1, next.newValue?.first === rows[step.positions[0]].element
            {
                steps.removeFirst()
                move(from: step.positions[0], to: next.positions[0])
            } else {
                make(step)
            }
        }
    }

    /// Releases the rows, whose widgets are gone.
    package func end() { rows = [] }

    private func make(_ step: KeyValueObservedChange<[Element]>) {
        let new = step.newValue ?? []
        switch step.kind {
        case .insertion: for (index, element) in zip(step.positions, new) { insert(element, at: index) }
        case .removal: for index in step.positions.reversed() { remove(at: index) }
        case .replacement:
            for (index, element) in zip(step.positions, new) where rows[index].element !== element {
                remove(at: index)
                insert(element, at: index)
            }
        default:
            while !rows.isEmpty { remove(at: rows.count - 1) }
            for (index, element) in new.enumerated() { insert(element, at: index) }
        }
    }

    private func insert(_ element: Element, at index: Int) {
        let (row, widget) = makeRow(element)
        rows.insert((element, row), at: index)
        box.insert(widget, at: index)
    }

    private func remove(at index: Int) {
        rows.remove(at: index)
        box.remove(at: index)
    }

    private func move(from index: Int, to other: Int) {
        rows.insert(rows.remove(at: index), at: other)
        box.move(from: index, to: other)
    }
}
