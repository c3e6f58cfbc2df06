// What follows observed properties in real windows.
import CGtk
import DownloadModel
import DownloadWindow
import Foundation
import Gtk
import GtkObserving
import KeyValueObserving
import KeyValueObservingHistory
import Synchronization
import Testing

@MainActor
@Suite("Windows", .serialized, .enabled("there is no display") { await MainLoop.hasDisplay })
struct WindowTests {
    @Test("What threads change is handled on the main thread, in order, and not after the token has ended")
    func executor() {
        let download = Download(address: "a")
        let received = Mutex<[Int]>([])
        let thisThread = pthread_self()
        let token = download.changes(of: \.transfer.received, options: .new).deliver(on: .glibMain) { change in
            #expect(pthread_self() == thisThread)
            received.withLock { $0.append(change.requiredNewValue) }
        }
        let thread = DispatchGroup()
        thread.enter()
        Thread.detachNewThread {
            for _ in 0..<100 { download.transfer.receive(1, in: 1) }
            thread.leave()
        }
        thread.wait()
        #expect(received.withLock { $0 } == [])
        MainLoop.turn()
        #expect(received.withLock { $0 } == Array(1...100))
        download.transfer.receive(1, in: 1)
        token.invalidate()
        MainLoop.turn()
        #expect(received.withLock { $0 }.count == 100 && download.observationInfo.isEmpty)
    }

    @Test("An entry and a property follow each other without an echo")
    func binding() {
        let (list, entry) = (DownloadList(), Widget.entry(placeholder: ""))
        let window = Window(in: nil, title: "Entry", width: 100, height: 100)
        window.setContent(entry)
        var (setCount, typedCount) = (0, 0)
        entry.on("changed") { typedCount += 1 }
        let token = entry.bindText(to: list, \.selection?.name) { list, name in
            setCount += 1
            list.selection?.name = name
        }
        #expect(!entry.isSensitive && entry.text == "")
        let (one, two) = (Download(address: "one"), Download(address: "two"))
        list.selection = one
        MainLoop.turn()
        #expect(entry.text == "one" && entry.isSensitive)
        (setCount, typedCount) = (0, 0)
        entry.type(" typed")
        MainLoop.turn()
        #expect(one.name == "one typed" && setCount == 1 && typedCount == 1)
        typedCount = 0
        one.name = "elsewhere"
        MainLoop.turn()
        #expect(entry.text == "elsewhere" && setCount == 1)
        list.selection = two
        MainLoop.turn()
        #expect(entry.text == "two" && one.name == "elsewhere" && setCount == 1)
        list.selection = nil
        MainLoop.turn()
        #expect(entry.text == "" && !entry.isSensitive && two.name == "two")
        token.invalidate()
        list.selection = one
        MainLoop.turn()
        entry.type("late")
        #expect(one.name == "elsewhere" && list.observationInfo.isEmpty)
        window.destroy()
    }

    /// A row that counts how many of its kind there are.
    @MainActor
    private final class Row {
        static var count = 0
        let name: String
        init(_ name: String) {
            self.name = name
            Row.count += 1
        }
        isolated deinit { Row.count -= 1 }
    }

    @Test("Rows follow a list through changes of elements, transactions, undo and redo", arguments: 0..<20)
    func rows(seed: Int) throws {
        var state = UInt64(seed) &+ 1
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        let (list, undoManager) = (DownloadList(), KeyValueUndoManager())
        let window = Window(in: nil, title: "Rows", width: 100, height: 100)
        let rows = ListRows(in: ListBox()) { (download: Download) in
            (Row(download.name), Widget.label(download.name))
        }
        window.setContent(rows.box.widget)
        undoManager.track(list, \.items)
        let token = list.observe(\.items, options: [.initial, .new]) { _, change in rows.update(change) }
        func change() {
            let (items, count) = (list.mutable(\.items), list.items.count)
            switch random(8) {
            case 0, 1, 2: items.insert(Download(address: "\(random(1_000))"), at: random(count + 1))
            case 3 where count > 0: items.remove(at: random(count))
            case 4 where count > 0: items[random(count)] = Download(address: "r")
            case 5 where count > 1: items.insert(items.remove(at: random(count)), at: random(count))
            case 6 where count > 1: items.reverse()
            case 7: list.items = list.items.shuffled()
            default: break
            }
        }
        for _ in 0..<100 {
            switch random(6) {
            case 0: try undoManager.undo()
            case 1: try undoManager.redo()
            case 2: undoManager.group { for _ in 0...random(5) { change() } }
            case 3: withKeyValueTransaction { for _ in 0...random(5) { change() } }
            default: change()
            }
            try #require(rows.elements.elementsEqual(list.items, by: ===) && rows.box.count == list.items.count)
        }
        #expect(Row.count == list.items.count)
        token.invalidate()
        window.destroy()
    }

    @Test("A row that moves keeps what it is made of, and can be selected")
    func move() throws {
        let list = DownloadList()
        let commands = DownloadCommands(of: list)
        var madeCount = 0
        let rows = ListRows(in: ListBox()) { (download: Download) in
            madeCount += 1
            return (madeCount, Widget.label(download.name))
        }
        let window = Window(in: nil, title: "Rows", width: 100, height: 100)
        window.setContent(rows.box.widget)
        let token = list.observe(\.items, options: [.initial, .new]) { _, change in rows.update(change) }
        for name in ["a", "b", "c"] { commands.add(name) }
        rows.box.selectedIndex = 2
        commands.move(by: -2)
        rows.box.selectedIndex = 0
        #expect(rows.box.selectedIndex == 0)
        try commands.undo()
        rows.box.selectedIndex = 2
        #expect(rows.box.selectedIndex == 2 && madeCount == 3)
        token.invalidate()
        window.destroy()
    }

    @Test("A thousand windows are opened and closed while threads work: nothing stays observed, and memory is flat")
    func windows() throws {
        let list = DownloadList()
        list.items = (0..<5).map { Download(address: "\($0)") }
        let simulation = Simulation(of: list, threads: 2, every: 0.001)
        func open(_ count: Int) {
            for _ in 0..<count {
                var controller: DownloadController? = DownloadController(of: list, in: nil)
                weak let kept = controller
                MainLoop.turn()
                controller?.close()
                controller = nil
                MainLoop.turn()
                #expect(kept == nil)
            }
        }
        open(100)
        let before = try residentPages()
        open(900)
        let pages = try residentPages() - before
        print("900 windows: \(pages * 4) KiB more")
        #expect(pages < 4_000, "\(pages) pages")
        simulation.stop()
        MainLoop.turn()
        #expect(list.observationInfo.isEmpty && list.items.allSatisfy(\.observationInfo.isEmpty))
    }

    private func residentPages() throws -> Int {
        let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return Int(fields[1]) ?? 0
    }

    @Test("A thousand rows with a hundred changes a second are drawn meanwhile, and rows are removed while they change")
    func load() {
        let list = DownloadList()
        list.items = (0..<1_000).map { Download(address: "\($0)", size: 1_000_000_000) }
        var controller: DownloadController? = DownloadController(of: list, in: nil)
        let window = controller?.window
        MainLoop.turn()
        let isOver = Atomic(false)
        let thread = DispatchGroup()
        thread.enter()
        Thread.detachNewThread {
            for number in 0..<300 where !isOver.load(ordering: .relaxed) {
                let items = list.items
                items[number * 7 % items.count].transfer.receive(1_000_000, in: 1)
                Thread.sleep(forTimeInterval: 0.01)
            }
            thread.leave()
        }
        let (start, first) = (ContinuousClock.now, window?.frameCount ?? 0)
        for _ in 0..<30 {
            list.mutable(\.items).remove(at: 0)
            for _ in 0..<15 {
                MainLoop.turn()
                g_usleep(1_000)
            }
        }
        let count = (window?.frameCount ?? 0) - first
        print("1,000 rows, 100 changes a second: \(count) frames in \(start.duration(to: .now))")
        #expect(count > 0 && list.items.count == 970)
        isOver.store(true, ordering: .relaxed)
        thread.wait()
        controller?.close()
        controller = nil
        MainLoop.turn()
        #expect(list.observationInfo.isEmpty)
    }
}
