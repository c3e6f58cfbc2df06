// Accesses in place by accessors that call the engine themselves, and what else goes on meanwhile: 20.2.
import KeyValueObserving
import TestSupport
import Testing

@Suite("20.2 Accesses in place by accessors that call the engine themselves")
struct AccessorAccessTests {
    private let sheet = AccessorSheet()
    private let log = Log()

    @Test("3.5 16.3 Where all properties are observed, what is computed from the property may be announced meanwhile")
    func pairOfComputedWhereAllAreObserved() {
        let token = sheet.observeAnyProperty { [log] in log.add($1 == \AccessorSheet.cells ? "cells" : "other") }
        sheet.cells.change { cells in
            sheet.changeValue(for: \.sum) {}
            cells = [4]
        }
        #expect(log.take() == ["other", "cells"])
        withExtendedLifetime(token) {}
    }

    @Test("3.5 A change that is announced by a protocol's key path meanwhile belongs to the access")
    func pairOfProtocolWithinAnAccess() {
        let token = sheet.observe(\.cells, options: [.old, .new]) { [log] in log.add($1) }
        sheet.cells.change { cells in
            announceCells(of: sheet)
            cells = [3]
        }
        #expect(log.take() == ["[]→[3]"])
        withExtendedLifetime(token) {}
    }

    @Test("3.5 9.1 An access that waits for a task ends on another thread, and notifies there")
    func otherThread() async {
        await withTaskExecutorPreference(ThreadForEachJob()) {
            let (sheet, cells, sum) = (AccessorSheet(), Chain<[Int]>(), Chain<Int>())
            let tokens = [
                sheet.observe(\.cells, options: [.old, .new]) { cells.add($1) },
                sheet.observe(\.sum, options: [.old, .new]) { sum.add($1) },
            ]
            for number in 1...3 {
                await sheet.cells.changeWaiting { value in
                    await Task.detached {}.value
                    sheet.factor += 1
                    value.append(number)
                }
            }
            #expect(cells.breaks(from: [], to: [1, 2, 3]) == "")
            #expect(sum.breaks(from: 0, to: 24) == "")
            withExtendedLifetime(tokens) {}
        }
    }

    @Test("3.5 9.1 So it is where nobody observes the object when the access begins")
    func otherThreadUnobserved() async {
        await withTaskExecutorPreference(ThreadForEachJob()) {
            let sheet = AccessorSheet()
            await sheet.cells.changeWaiting { value in
                await Task.detached {}.value
                value.append(1)
            }
            let cells = Chain<[Int]>()
            let token = sheet.observe(\.cells, options: [.old, .new]) { cells.add($1) }
            sheet.cells.append(2)
            #expect(cells.breaks(from: [1], to: [1, 2]) == "")
            withExtendedLifetime(token) {}
        }
    }

    @Test("10.2 10.3 In a transaction, an access comes with the old value, also after a call before it")
    func inTransaction() {
        let token = sheet.observe(\.cells, options: [.old, .new, .prior]) { [log] in log.add($1) }
        withKeyValueTransaction {
            sheet.cells.append(1)
            sheet.cells.append(2)
            #expect(log.take() == ["prior []→·"])
        }
        #expect(log.take() == ["[]→[1, 2]"])
        withExtendedLifetime(token) {}
    }
}
