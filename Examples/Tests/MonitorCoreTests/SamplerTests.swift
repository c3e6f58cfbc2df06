// From samples to the model, as an observer sees it.
import KeyValueObserving
import MonitorCore
import Testing

@Suite struct SamplerTests {
    private let machine = Machine()

    private func apply(_ change: (inout Snapshot) throws -> Void) rethrows {
        var snapshot = Snapshot()
        try change(&snapshot)
        Sampler(machine).apply(snapshot)
    }

    private func apply(memory text: String) throws {
        try apply { $0.memory = try MemoryReading(parsing: text) }
    }

    private func apply(busy: Int, idle: Int, _ records: ProcessRecord...) throws {
        try apply {
            $0.times = try ProcessorTimes(busy: busy, idle: idle)
            $0.processes = records
        }
    }

    @Test func `memory of the same size is the same object`() throws {
        try apply(memory: "MemTotal: 100 kB\nMemAvailable: 75 kB")
        let first = machine.memory
        try apply(memory: "MemTotal: 100 kB\nMemAvailable: 25 kB")
        #expect(machine.memory === first)
        #expect(machine.memory?.usedFraction == 0.75)
    }

    @Test func `memory of another size is another object, and paths follow it`() throws {
        try apply(memory: "MemTotal: 100 kB\nMemAvailable: 75 kB")
        let replaced = try #require(machine.memory)
        var told: [Double?] = []
        let observation = machine.observe(\.memory?.usedFraction, options: .new) { _, change in
            told.append(change.newValue ?? nil)
        }
        try apply(memory: "MemTotal: 200 kB\nMemAvailable: 100 kB")
        replaced.available = 0
        try apply(memory: "MemTotal: 200 kB\nMemAvailable: 50 kB")
        apply { _ in }
        #expect(machine.memory !== replaced)
        // The second update sets both properties; the fraction reads one of them.
        #expect(told == [0.5, 0.75, nil])
        observation.invalidate()
    }

    @Test func `more available than there is means none used`() throws {
        try apply(memory: "MemTotal: 100 kB\nMemAvailable: 175 kB")
        #expect(machine.memory?.usedFraction == 0)
    }

    @Test func `processor time is told between two samples`() throws {
        try apply(busy: 100, idle: 100)
        #expect(machine.processor?.busyFraction == nil)
        try apply(busy: 130, idle: 110)
        #expect(machine.processor?.busyFraction == 0.75)
    }

    @Test func `two samples in one tick leave what is known`() throws {
        try apply(busy: 100, idle: 100, try ProcessRecord(1, "a"))
        try apply(busy: 130, idle: 110, try ProcessRecord(1, "a", ticks: 10))
        try apply(busy: 130, idle: 110, try ProcessRecord(1, "a", ticks: 10))
        #expect(machine.processor?.busyFraction == 0.75)
        #expect(machine.busiest?.cpuFraction == 0.25)
    }

    @Test func `counters that are set back start again`() throws {
        try apply(busy: 100, idle: 100, try ProcessRecord(1, "a", ticks: 50))
        try apply(busy: 10, idle: 10, try ProcessRecord(1, "a", ticks: 5))
        #expect(machine.processor?.busyFraction == nil)
        #expect(machine.busiest == nil)
        try apply(busy: 20, idle: 10, try ProcessRecord(1, "a", ticks: 10))
        #expect(machine.processor?.busyFraction == 1)
        #expect(machine.busiest?.cpuFraction == 0.5)
    }

    @Test func `an idle counter that runs back is no work beyond all time`() throws {
        try apply(busy: 100, idle: 100)
        try apply(busy: 150, idle: 90)
        #expect(machine.processor?.busyFraction == 1)
    }

    @Test func `the busiest of equals is the first`() throws {
        try apply(busy: 0, idle: 0, try ProcessRecord(3, "a"), try ProcessRecord(5, "b"))
        try apply(busy: 10, idle: 0, try ProcessRecord(3, "a", ticks: 5), try ProcessRecord(5, "b", ticks: 5))
        #expect(machine.busiest?.pid == 3)
    }

    @Test func `an identifier that is used again is another process`() throws {
        try apply(busy: 0, idle: 0, try ProcessRecord(3, "a", startTime: 1))
        let first = machine.processes[0]
        try apply(busy: 0, idle: 0, try ProcessRecord(3, "b", startTime: 1))
        #expect(machine.processes[0] === first)
        #expect(first.name == "b")
        try apply(busy: 0, idle: 0, try ProcessRecord(3, "b", startTime: 2))
        #expect(machine.processes[0] !== first)
    }

    @Test func `processes that cannot be listed stay as they were`() throws {
        try apply(busy: 0, idle: 0, try ProcessRecord(3, "a"))
        apply { _ in }
        #expect(machine.processes.map(\.pid) == [3])
    }

    @Test func `of a process that stays, only what changes is set`() throws {
        try apply(busy: 0, idle: 0, try ProcessRecord(3, "a", pages: 1))
        let process = machine.processes[0]
        var told: [String] = []
        let observations = [
            process.observe(\.residentBytes, options: .new) { _, change in
                told.append("\((change.newValue ?? 0) / PageSize.bytes) pages")
            },
            process.observe(\.cpuFraction, options: .new) { _, change in
                told.append("cpu \((change.newValue ?? nil) ?? -1)")
            },
        ]
        try apply(busy: 10, idle: 0, try ProcessRecord(3, "a", ticks: 5, pages: 1))
        try apply(busy: 20, idle: 0, try ProcessRecord(3, "a", ticks: 10, pages: 2))
        try apply(busy: 30, idle: 0, try ProcessRecord(3, "a", ticks: 10, pages: 2))
        #expect(told == ["cpu 0.5", "2 pages", "cpu 0.0"])
        for observation in observations { observation.invalidate() }
    }
}
