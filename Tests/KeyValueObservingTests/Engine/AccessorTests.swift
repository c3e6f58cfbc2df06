// Properties whose class writes the accessors, and has them call the engine as the macro's accessors do: 20.2.
import Foundation
import KeyValueObserving
import TestSupport
import Testing

@Suite("20.2 Accessors that call the engine themselves")
struct AccessorTests {
    private let kept = Kept()
    private let sheet = AccessorSheet()
    private let log = Log()

    @Test("20.2 Old value, priors, willSet, the store, didSet, new value, observers: in this order")
    func order() {
        sheet.observe(\.title, options: [.old, .new, .prior]) { $0.note(text(of: $1)) }.store(in: kept)
        sheet.title = "a"
        #expect(sheet.takeNotes() == ["prior →·", "willSet a", "didSet a", "→a"])
    }

    @Test("2.6 20.2 So it is for an access in place, which is one change")
    func orderInPlace() {
        sheet.observe(\.cells, options: [.old, .new, .prior]) { $0.note(text(of: $1)) }.store(in: kept)
        sheet.cells.append(1)
        #expect(sheet.takeNotes() == ["prior []→·", "didSet 1", "[]→[1]"])
    }

    @Test("4.2 20.2 A property that notifies by hand: sets and accesses are silent, and announcing them notifies once")
    func byHand() {
        sheet.observe(\.quiet, options: [.old, .new]) { [log] in log.add($1) }.store(in: kept)
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
    }

    @Test("3.5 4.2 20.2 A change of it that is announced inside an access ends with the access, with both values")
    func announcedInside() {
        sheet.quiet = [1]
        sheet.observe(\.quiet, options: [.old, .new]) { [log] in log.add($1) }.store(in: kept)
        inPlace(&sheet.quiet) { quiet in
            quiet.append(2)
            sheet.changeValue(for: \.quiet) {}
        }
        inPlace(&sheet.quiet) { $0.append(3) }
        #expect(log.take() == ["[1]→[1, 2]"])
    }

    @Test("4.4 20.2 A view of it announces the elements")
    func view() {
        sheet.observe(\.quiet, options: [.old, .new]) { [log] in log.addToMany($1) }.store(in: kept)
        sheet.mutable(\.quiet).append(1)
        sheet.quiet = [2]
        sheet.mutable(\.quiet).remove(at: 0)
        #expect(log.take() == ["insertion [0] ·→[1]", "removal [0] [2]→·"])
    }

    @Test("3.5 20.2 A registration after unobserved sets and accesses is notified of the next one, once")
    func observedLater() {
        sheet.cells = [1]
        sheet.cells.append(2)
        sheet.observe(\.cells, options: [.old, .new]) { [log] in log.add($1) }.store(in: kept)
        sheet.cells.append(3)
        sheet.cells = []
        #expect(log.take() == ["[1, 2]→[1, 2, 3]", "[1, 2, 3]→[]"])
    }

    @Test("10.2 20.2 In a transaction, sets and accesses are one change, also of what is computed from the property")
    func inTransaction() {
        [
            sheet.observe(\.cells, options: [.old, .new]) { [log] in log.add($1) },
            sheet.observe(\.sum, options: [.old, .new]) { [log] in log.add($1, as: "sum") },
        ].store(in: kept)
        withKeyValueTransaction {
            sheet.cells = [1]
            sheet.cells.append(2)
            sheet.quiet.append(3)
        }
        #expect(log.take() == ["[]→[1, 2]", "sum 0→6"])
    }

    @Test("3.5 20.2 Observers of what is computed from it are called when an access ends, whatever else changes")
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

    @Test("4.2 A class's function about a property is called when that is first observed, not when it is set")
    func asked() {
        let sheet: AccessorSheet = AskedSheet()
        sheet.cells = [1]
        sheet.cells.append(2)
        #expect(AskedSheet.asked.take() == [])
        sheet.observe(\.factor) { _, _ in }.store(in: kept)
        _ = AskedSheet.asked.take()
        sheet.cells = [3]
        sheet.cells.append(4)
        #expect(AskedSheet.asked.take() == [])
        let token = sheet.observe(\.cells, options: .new) { [log] in log.add($1) }
        #expect(AskedSheet.asked.take() == ["true"])
        sheet.cells = [5]
        sheet.cells.append(6)
        #expect(log.take() == ["·→[5]", "·→[5, 6]"])
        token.invalidate()
        sheet.cells = []
        #expect(AskedSheet.asked.take() == [])
    }

    @Test(
        "3.4 20.2 A set of a property that nobody observes leaves a delivery alone",
        arguments: [false, true])
    func unobserved(inPlace isInPlace: Bool) {
        let sheet = AccessorSheet()
        [
            sheet.observe(\.factor) { [log] sheet, _ in
                if isInPlace { sheet.cells.append(1) } else { sheet.title = "a" }
                log.add("first")
            },
            sheet.observe(\.factor) { [log] _, _ in log.add("second") },
        ].store(in: kept)
        sheet.factor = 2
        #expect(log.take() == ["first", "second"])
    }
}

/// Notes when it is asked about its cells.
private final class AskedSheet: AccessorSheet {
    static let asked = Log()

    override class func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool {
        asked.add("\(keyPath == \AccessorSheet.cells)")
        return true
    }
}
