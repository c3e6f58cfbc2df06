// Every way to observe, with every option: what arrives, and that nothing arrives afterwards.
import KeyValueObserving
import TestSupport
import Testing

@Suite("1 2 10 11 12 13 16 Every form, place and holder")
struct CellTests {
    // #2 #4 #54 #328 #336 #378 #382 #385 A21
    // #26
    @Test(
        "2.1 10.1 10.2 11.1 12.1 16.1 16.2 16.4 What arrives of changes, in their order, and when the object is gone",
        .enabled(if: hasReflectionMetadata),
        .timeLimit(.minutes(2)), arguments: CellRow.ofChanges)
    func changes(row: CellRow) async throws {
        let run = CellRun(row.cell)
        var cask: Cask? = Cask()
        weak let weakCask = cask
        try await run.inPlace { [cask] in
            try run.register(#require(cask), row.options)
            cask?.change()
            #expect(row.cell.place == .here || run.log.lines == [])
        }
        cask = nil
        #expect(weakCask == nil && run.hasEnded)
        #expect(await run.arrived() == row.lines)
    }

    // #380
    @Test(
        "13.3 What arrives of changes that are ignored, and of others", .enabled(if: hasReflectionMetadata),
        .timeLimit(.minutes(2)),
        arguments: CellRow.ofIgnored)
    func ignored(row: CellRow) async throws {
        let run = CellRun(row.cell)
        var cask: Cask? = Cask()
        try await run.inPlace { [cask] in
            try run.register(#require(cask))
            cask?.turn(1)
            run.ignoring { cask?.turn(2) }
            cask?.turn(3)
        }
        cask = nil
        #expect(await run.arrived() == row.lines)
    }

    // #5 #13 #21 #330 #332 #333 #341 #381 #325 #326 #334
    @Test(
        "1.2 1.6 11.2 12.3 B1 B4 B5 Nothing arrives after the end, also of what waits, and the handler is released",
        .timeLimit(.minutes(2)), arguments: CellEnd.ofCells)
    func ends(cell: Cell, end: CellEnd) async throws {
        let run = CellRun(cell)
        let cask = Cask()
        try await run.inPlace {
            try run.register(cask)
            cask.turn(1)
            let before = run.log.lines
            #expect(before.isEmpty == (cell.place != .here))
            run.end(end, cask)
            cask.turn(2)
            #expect(run.log.lines == before && (end == .observerDies || cask.observationInfo.isEmpty))
            _ = run.log.take()
        }
        #expect(await run.arrived() == [])
        #expect(cask.observationInfo.isEmpty && cask.parts[0].observationInfo.isEmpty && run.hasEnded)
    }

    @Test(
        "11.2 Nothing arrives after the end, though the object is gone and changes wait",
        .timeLimit(.minutes(2)),
        arguments: CellEnd.ofCells.filter {
            $0.0.place != .here && $0.1 != .unobserveKeyPaths && $0.1 != .unobserveObject
        })
    func endsAfterDeath(cell: Cell, end: CellEnd) async throws {
        let run = CellRun(cell)
        let cask = Guarded<Cask?>(Cask())
        try await run.inPlace {
            try run.register(#require(cask.withLock { $0 }))
            cask.withLock { $0 }?.turn(1)
            cask.withLock { $0 = nil }
            run.end(end, nil)
        }
        #expect(await run.arrived() == [])
    }

    @Test(
        "11.4 12.4 The policy bounds what waits; old is what was told last", .enabled(if: hasReflectionMetadata),
        .timeLimit(.minutes(2)),
        arguments: Cell.all.filter { $0.place != .here })
    func policy(cell: Cell) async throws {
        let run = CellRun(cell, policy: .bufferingNewest(1))
        var cask: Cask? = Cask()
        try await run.inPlace { [cask] in
            try run.register(#require(cask))
            for number in 1...3 { cask?.turn(number) }
        }
        cask = nil
        let isOfLevel = cell.subject == .level
        let line =
            switch cell.form {
            case .values, .valuesReading: isOfLevel ? "level 3" : "marks [1, 2, 3]"
            default: isOfLevel ? "level 0→3" : "marks []→[1, 2, 3]"
            }
        #expect(await run.arrived() == [line])
    }

    // #333
    @Test(
        "B7 A controller that retains holds the object until the end",
        arguments: Cell.all.filter { $0.holder == .controller })
    func retaining(cell: Cell) throws {
        let run = CellRun(cell, retaining: true)
        weak var weakCask: Cask?
        do {
            let cask = Cask()
            weakCask = cask
            try run.register(cask)
        }
        #expect(weakCask != nil)
        run.end(.unobserveAll, nil)
        #expect(weakCask == nil)
    }

    @Test(
        "D1 What is listed says what is observed, and where it is delivered for whom",
        .enabled(if: hasReflectionMetadata), arguments: Cell.all)
    func listing(cell: Cell) throws {
        let (run, cask) = (CellRun(cell), Cask())
        try run.register(cask, [])
        let list = cask.observationInfo
        let place: String? =
            switch cell.place {
            case .here: nil
            case .actor: "handler in actor Recorder"
            case .executor: "handler on an executor or queue (Pump)"
            case .mainActor: "handler on the main actor"
            case .asynchronous: "handler on an executor or queue (Runner)"
            case .taskExecutor, .asynchronousTask: "handler on an executor or queue (EventLoop)"
            case .iterator, .stream: "sequence"
            }
        let observer = cell.holder.isController ? place.map { "\($0) for Witness" } ?? "Witness" : place
        #expect(list.allSatisfy { $0.observer == observer })
        switch cell.form {
        case .expression, .onChangeReading, .valuesReading:
            #expect(list.map(\.keyPath) == list.map { "the expression at \($0.fileID):\($0.line)" } && list.count == 1)
        default:
            #expect(list.map(\.keyPath) == (cell.subject == .both ? ["level", "marks"] : ["\(cell.subject)"]))
        }
    }

    @Test(
        "11.3 .prior traps elsewhere, and names the key path and the call that takes it",
        .enabled(if: hasReflectionMetadata),
        arguments: Cell.withPriors)
    func prior(cell: Cell) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [cell] in
            try CellRun(cell).register(Cask(), .prior)
        }
        #expect(
            words("level", "of Cask", ".prior", "observe(_:options:changeHandler:)", missingIn: message(of: result))
                == [])
    }
}
