// Properties whose class writes the accessors, and has them call the engine as the macro's accessors do: 20.2.
import Foundation
import KeyValueObserving
import TestSupport
import Testing

@Suite("20.2 Accessors that call the engine themselves")
struct AccessorTests {
    private let sheet = AccessorSheet()
    private let log = Log()

    // MARK: Own code

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

    @Test("4.2 20.2 So it is where nobody has observed the object before the accesses")
    func byHandFromTheBeginning() {
        sheet.quiet.append(1)
        sheet.quiet = [2]
        let token = sheet.observe(\.quiet, options: [.old, .new]) { [log] in log.add($1) }
        sheet.changeValue(for: \.quiet) { sheet.quiet.append(3) }
        #expect(log.take() == ["[2]→[2, 3]"])
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

    // MARK: What reads the property

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

    @Test("3.5 4.2 20.2 So it is where the property notifies by hand: what else has changed is delivered then")
    func computedFromSilent() async {
        await #expect(processExitsWith: .success) {
            let (sheet, sums, log) = (AccessorSheet(), Chain<Int>(), Log())
            sheet.cells = [1]
            let token = sheet.observe(\.sum, options: [.old, .new]) {
                sums.add($1)
                log.add("sum")
            }
            sheet.quiet.change {
                sheet.factor = 5
                log.add("set")
                $0.append(3)
            }
            #expect(log.take() == ["set", "sum"])
            #expect(sums.breaks(from: 1, to: 20) == "")
            sheet.quiet.change { $0 = [] }
            #expect(log.take() == [])
            withExtendedLifetime(token) {}
        }
    }

    @Test("3.5 5.1 20.2 A getter that changes the property in place leaves every observer with the value it has")
    func changedByGetter() {
        let tokens = [
            sheet.observe(\.sum, options: [.old, .new]) { [log] in log.add($1, as: "sum") },
            sheet.observe(\.shortened, options: [.old, .new]) { [log] in log.add($1, as: "shortened") },
            sheet.observe(\.cells, options: [.old, .new]) { [log] in log.add($1, as: "cells") },
        ]
        sheet.cells = [1, 2, 3]
        #expect(log.take() == ["sum 0→3", "shortened 0→2", "cells []→[1, 2]"])
        #expect(sheet.cells == [1, 2])
        withExtendedLifetime(tokens) {}
    }

    // MARK: Changes that are announced within an access

    @Test("3.5 20.2 A change that is announced within an access to the property belongs to the access")
    func pairWithinAnAccess() async {
        await #expect(processExitsWith: .success) {
            let (sheet, log) = (AccessorSheet(), Log())
            let token = sheet.observe(\.cells, options: [.old, .new]) { log.add($1) }
            sheet.cells.change { cells in
                sheet.changeValue(for: \.cells) { cells = [3] }
                cells = [4]
            }
            #expect(log.take() == ["[]→[4]"])
            withExtendedLifetime(token) {}
        }
    }

    @Test("3.5 20.2 An unmatched did within an access to the property ends nothing before the access")
    func surplusDidWithinAnAccess() async {
        await #expect(processExitsWith: .success) {
            let (sheet, log) = (AccessorSheet(), Log())
            let token = sheet.observe(\.cells, options: [.old, .new]) { log.add($1) }
            sheet.cells.change { cells in
                cells = [3]
                sheet.didChangeValue(for: \.cells)
                cells = [4]
            }
            #expect(log.take() == ["[]→[4]"])
            sheet.cells = [5]
            #expect(log.take() == ["[4]→[5]"])
            withExtendedLifetime(token) {}
        }
    }

    @Test(
        "3.5 4.2 20.2 A change of a property that notifies by hand, announced within an access to it, ends with the access"
    )
    func pairWithinASilentAccess() async {
        await #expect(processExitsWith: .success) {
            let (sheet, quiet, sum) = (AccessorSheet(), Chain<[Int]>(), Chain<Int>())
            let tokens = [
                sheet.observe(\.quiet, options: [.old, .new]) { quiet.add($1) },
                sheet.observe(\.sum, options: [.old, .new]) { sum.add($1) },
            ]
            sheet.quiet.change { cells in
                sheet.changeValue(for: \.quiet) { cells = [3] }
                cells = [4]
            }
            #expect(quiet.breaks(from: [], to: [4]) == "")
            #expect(sum.breaks(from: 0, to: 4) == "")
            sheet.quiet = [5]
            sheet.quiet.append(6)
            #expect(quiet.breaks(from: [], to: [4]) == "")
            withExtendedLifetime(tokens) {}
        }
    }

    @Test("3.5 4.2 20.2 An access to it may wait for a task and go on on another thread")
    func silentOnAnotherThread() async {
        await #expect(processExitsWith: .success) {
            await withTaskExecutorPreference(ThreadForEachJob()) {
                let (sheet, sum) = (AccessorSheet(), Chain<Int>())
                let token = sheet.observe(\.sum, options: [.old, .new]) { sum.add($1) }
                await sheet.quiet.changeWaiting { value in
                    await Task.detached {}.value
                    sheet.factor += 1
                    value.append(3)
                }
                #expect(sum.breaks(from: 0, to: 6) == "")
                withExtendedLifetime(token) {}
            }
        }
    }
}
