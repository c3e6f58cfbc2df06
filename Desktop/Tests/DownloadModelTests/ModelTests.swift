// The model of the window, without a window.
import DownloadModel
import KeyValueObserving
import KeyValueObservingHistory
import Synchronization
import Testing

@Suite("The downloads of a window")
struct ModelTests {
    private let list = DownloadList()
    private let commands: DownloadCommands

    init() { commands = DownloadCommands(of: list) }

    private var names: [String] { list.items.map(\.name) }

    @Test("Adding, moving and removing are steps with names, which are undone and redone")
    func undo() throws {
        for address in ["http://a/one.iso", " http://b/two.iso\n", "", "three"] { commands.add(address) }
        #expect(names == ["one.iso", "two.iso", "three"] && list.selection === list.items[2])
        commands.move(by: -2)
        commands.move(by: -1)
        #expect(names == ["three", "one.iso", "two.iso"], "it is the first already")
        commands.remove()
        #expect(names == ["one.iso", "two.iso"] && list.selection?.name == "one.iso")
        var steps: [String?] = []
        while let name = commands.undoManager.canUndo ? commands.undoManager.undoActionName : nil {
            steps.append(name)
            try commands.undo()
        }
        #expect(steps == ["Remove", "Move", "Add", "Add", "Add"] && names == [] && list.selection == nil)
        while commands.undoManager.canRedo { try commands.redo() }
        #expect(names == ["one.iso", "two.iso"])
    }

    @Test("A move is one call with two steps, and so is its undo")
    func move() throws {
        for name in ["a", "b", "c"] { commands.add(name) }
        var calls: [[KeyValueChange]] = []
        let token = list.observe(\.items) { _, change in calls.append(change.steps.map(\.kind)) }
        commands.move(by: -1)
        try commands.undo()
        #expect(calls == [[.removal, .insertion], [.removal, .insertion]] && names == ["a", "b", "c"])
        token.invalidate()
    }

    @Test("Totals count what runs and what is done, also after a change of the list")
    func totals() {
        let observed = Mutex<[DownloadList.Totals]>([])
        let token = list.observe(\.totals, options: [.initial, .new]) { _, change in
            observed.withLock { $0.append(change.requiredNewValue) }
        }
        commands.add("a")
        list.items[0].transfer.receive(1_000, in: 0.5)
        list.items[0].transfer.receive(100_000_000, in: 0.5)
        commands.remove()
        #expect(
            observed.withLock { $0 }.map(\.description) == [
                "0 running, 0 done, 0 bytes a second", "1 running, 0 done, 0 bytes a second",
                "1 running, 0 done, 2 KB a second", "0 running, 1 done, 0 bytes a second",
                "0 running, 0 done, 0 bytes a second",
            ])
        token.invalidate()
    }

    @Test("A download that is paused receives nothing, and one that is done stays so")
    func pause() {
        commands.add("a")
        commands.pauseOrResume()
        let download = list.items[0]
        download.transfer.receive(5, in: 1)
        #expect(download.transfer.received == 0 && download.transfer.description == "Paused")
        commands.pauseOrResume()
        download.transfer.receive(5, in: 1)
        #expect(download.transfer.description == "5 bytes of 100.0 MB, 5 bytes a second")
        download.transfer.receive(100_000_000, in: 1)
        commands.pauseOrResume()
        #expect(download.transfer.state == .done && download.transfer.fraction == 1)
    }

    @Test("Threads go on while the list changes, and the last totals are those of the list")
    func threads() {
        let last = Mutex(list.totals)
        let token = list.observe(\.totals, options: .new) { _, change in
            last.withLock { $0 = change.requiredNewValue }
        }
        let simulation = Simulation(of: list, threads: 4, every: 0.0005)
        for number in 0..<200 {
            commands.add("\(number)")
            if number % 3 == 0 { commands.remove() }
            if number % 7 == 0 { commands.move(by: -1) }
        }
        simulation.stop()
        #expect(last.withLock { $0 } == list.totals && list.items.count == 133)
        token.invalidate()
    }
}
