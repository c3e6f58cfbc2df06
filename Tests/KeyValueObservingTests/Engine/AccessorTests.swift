// Properties whose class writes the accessors, and has them call the engine as the macro's accessors do: 20.2.
import Foundation
import KeyValueObserving
import TestSupport
import Testing

@Suite("20.2 Accessors that call the engine themselves")
struct AccessorTests {
    private let sheet = AccessorSheet()
    private let log = Log()

    @Test("20.2 Old value, priors, willSet, the store, didSet, new value, observers: in this order")
    func order() {
        let token = sheet.observe(\.title, options: [.old, .new, .prior]) { $0.note(text(of: $1)) }
        sheet.title = "a"
        #expect(sheet.takeNotes() == ["prior →·", "willSet a", "didSet a", "→a"])
        withExtendedLifetime(token) {}
    }

    @Test("2.6 20.2 So it is for an access in place, which is one change")
    func orderInPlace() {
        let token = sheet.observe(\.cells, options: [.old, .new, .prior]) { $0.note(text(of: $1)) }
        sheet.cells.append(1)
        #expect(sheet.takeNotes() == ["prior []→·", "didSet 1", "[]→[1]"])
        withExtendedLifetime(token) {}
    }

    @Test("4.2 20.2 A property that notifies by hand: sets and accesses are silent, and announcing them notifies once")
    func byHand() {
        let token = sheet.observe(\.quiet, options: [.old, .new]) { [log] in log.add($1) }
        sheet.quiet = [1]
        sheet.quiet.append(2)
        #expect(log.take() == [])
        sheet.changeValue(for: \.quiet) {
            sheet.quiet = []
            sheet.quiet.append(3)
        }
        #expect(log.take() == ["[1, 2]→[3]"])
        sheet.quiet.append(4)
        sheet.quiet = []
        #expect(log.take() == [])
        sheet.changeValue(for: \.quiet) {}
        #expect(log.take() == ["[]→[]"])
        withExtendedLifetime(token) {}
    }

    @Test("4.4 20.2 A view of it announces the elements")
    func view() {
        let token = sheet.observe(\.quiet, options: [.old, .new]) { [log] in log.addToMany($1) }
        sheet.mutable(\.quiet).append(1)
        sheet.quiet = [2]
        sheet.mutable(\.quiet).remove(at: 0)
        #expect(log.take() == ["insertion [0] ·→[1]", "removal [0] [2]→·"])
        withExtendedLifetime(token) {}
    }

    @Test(
        "3.5 20.2 Who registers after sets and accesses that nobody observed is notified of the next one, and only once"
    )
    func observedLater() {
        sheet.cells = [1]
        sheet.cells.append(2)
        let token = sheet.observe(\.cells, options: [.old, .new]) { [log] in log.add($1) }
        sheet.cells.append(3)
        sheet.cells = []
        #expect(log.take() == ["[1, 2]→[1, 2, 3]", "[1, 2, 3]→[]"])
        withExtendedLifetime(token) {}
    }

    @Test("10.2 20.2 In a transaction, sets and accesses are one change, also of what is computed from the property")
    func inTransaction() {
        let tokens = [
            sheet.observe(\.cells, options: [.old, .new]) { [log] in log.add($1) },
            sheet.observe(\.sum, options: [.old, .new]) { [log] in log.add($1, as: "sum") },
        ]
        withKeyValueTransaction {
            sheet.cells = [1]
            sheet.cells.append(2)
            sheet.quiet.append(3)
        }
        #expect(log.take() == ["[]→[1, 2]", "sum 0→6"])
        withExtendedLifetime(tokens) {}
    }

    @Test(
        "3.5 20.2 Observers of what is computed from it are called when an access ends, whatever else changes meanwhile"
    )
    func computed() async {
        await #expect(processExitsWith: .success) {
            let (sheet, sums) = (AccessorSheet(), Chain<Int>())
            let token = sheet.observe(\.sum, options: [.old, .new]) { sums.add($1) }
            sheet.cells = [1]
            sheet.cells.change {
                sheet.factor = 2
                $0.append(2)
                sheet.factor = 3
            }
            #expect(sums.breaks(from: 0, to: 9) == "")
            withExtendedLifetime(token) {}
        }
    }
}
