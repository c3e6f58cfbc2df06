// A table shows a list while groups are undone and redone: 10.2, 18.1.
import KeyValueObserving
import KeyValueObservingHistory
import TestSupport
import Testing

@Suite("10.2 18.1 The rows of a table while a group is undone")
struct TableStories {
    private final class Playlist: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var songs: [String] = []
    }

    /// Keeps rows of its own, which it takes from the changes alone.
    private final class List {
        private(set) var rows: [String] = []
        private(set) var callCount = 0

        func update(_ change: KeyValueObservedChange<[String]>) {
            callCount += 1
            change.apply(to: &rows)
        }
    }

    /// A view as toolkits have it: it asks its data source for the cells that are new, and how many rows there are, at the
    /// end of each batch of updates.
    private final class TableView {
        var dataSource: () -> [String] = { [] }
        /// A cell that is nil is to be asked for.
        private(set) var cells: [String?] = []
        private(set) var loadCount = 0
        private(set) var moveCount = 0

        func reload() {
            cells = dataSource()
            loadCount += cells.count
        }

        func performUpdates(_ updates: () -> Void) {
            updates()
            let rows = dataSource()
            #expect(cells.count == rows.count, "invalid update: the rows and the data source differ")
            guard cells.count == rows.count else { return }
            for row in cells.indices where cells[row] == nil {
                cells[row] = rows[row]
                loadCount += 1
            }
        }

        func insertRows(at positions: [Int]) { for row in positions { cells.insert(nil, at: row) } }
        func removeRows(at positions: [Int]) { for row in positions.reversed() { cells.remove(at: row) } }
        func reloadRows(at positions: [Int]) { for row in positions { cells[row] = nil } }

        func moveRow(at row: Int, to other: Int) {
            cells.insert(cells.remove(at: row), at: other)
            moveCount += 1
        }
    }

    /// Has a table show the songs of the model itself.
    private final class Screen {
        let table = TableView()
        private(set) lazy var kvo = KVOController(observer: self)

        func show(_ playlist: Playlist) {
            table.dataSource = { [unowned playlist] in playlist.songs }
            kvo.observe(playlist, \.songs, options: [.initial, .old, .new]) { screen, _, change in
                screen.update(change)
            }
        }

        private func update(_ change: KeyValueObservedChange<[String]>) {
            var steps = change.steps.isEmpty ? [change] : change.steps
            if steps.contains(where: { $0.kind == .setting }) { return table.reload() }
            table.performUpdates {
                while let step = steps.first {
                    steps.removeFirst()
                    // An element that is removed, and inserted at another place, has moved.
                    if step.kind == .removal, let next = steps.first, next.kind == .insertion,
                        step.positions.count == 1, step.oldValue == next.newValue
                    {
                        steps.removeFirst()
                        table.moveRow(at: step.positions[0], to: next.positions[0])
                        continue
                    }
                    switch step.kind {
                    case .insertion: table.insertRows(at: step.positions)
                    case .removal: table.removeRows(at: step.positions)
                    default: table.reloadRows(at: step.positions)
                    }
                }
            }
        }
    }

    private let playlist = Playlist()
    private let manager = KeyValueUndoManager()
    private let kept = Kept()

    /// Does several things to the list as one step.
    private func edit() {
        let songs = playlist.mutable(\.songs)
        manager.group(named: "Edit") {
            songs.insert("new", at: 1)
            songs.remove(at: 0)
            songs[1] = "B"
            // A move.
            songs.insert(songs.remove(at: 0), at: 2)
            songs.append(contentsOf: ["x", "y"])
            songs.removeAll { $0 == "x" }
        }
    }

    @Test("10.2 18.1 A table that takes its rows from the changes is called once, and has the rows of the model")
    func fromChanges() throws {
        playlist.songs = ["a", "b", "c", "d"]
        let list = List()
        playlist.observe(\.songs, options: [.initial, .new]) { _, change in list.update(change) }.store(in: kept)
        manager.track(playlist, \.songs)
        edit()
        #expect(list.rows == ["B", "c", "new", "d", "y"] && list.rows == playlist.songs)
        for _ in 0..<2 {
            let count = list.callCount
            try manager.undo()
            #expect(list.rows == ["a", "b", "c", "d"] && list.callCount == count + 1)
            try manager.redo()
            #expect(list.rows == playlist.songs && list.callCount == count + 2)
        }
    }

    @Test("10.2 18.1 A table that reads its model makes the steps in one batch, and loads the rows that are new")
    func fromModel() throws {
        playlist.songs = ["a", "b", "c", "d"]
        let screen = Screen()
        screen.show(playlist)
        manager.track(playlist, \.songs)
        edit()
        let table = screen.table
        #expect(table.cells == playlist.songs)
        for _ in 0..<2 {
            let (loads, moves) = (table.loadCount, table.moveCount)
            try manager.undo()
            #expect(table.cells == ["a", "b", "c", "d"] && table.moveCount == moves + 1)
            #expect(table.loadCount == loads + 2, "those that were removed and replaced come back, the others stay")
            try manager.redo()
            #expect(table.cells == playlist.songs && table.moveCount == moves + 2)
        }
        // So it is in a transaction.
        withKeyValueTransaction { edit() }
        #expect(table.cells == playlist.songs)
    }

    @Test("10.2 18.1 A list that was set as a whole in the step is loaded again")
    func wholes() throws {
        playlist.songs = ["a", "b"]
        let screen = Screen()
        screen.show(playlist)
        manager.track(playlist, \.songs)
        manager.group {
            playlist.mutable(\.songs).append("c")
            playlist.songs = ["d"]
        }
        try manager.undo()
        #expect(screen.table.cells == ["a", "b"])
        try manager.redo()
        #expect(screen.table.cells == ["d"])
    }
}
