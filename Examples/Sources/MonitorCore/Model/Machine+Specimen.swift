// A machine of which everything is known.

extension Machine {
    /// Makes a machine that lacks nothing, to check key paths against before the first sample.
    ///
    /// What stands behind a nil or is asked of the elements of an empty list cannot be checked. So nothing is nil here,
    /// and there are two elements in each list, for operators that compare them.
    static func specimen() -> Machine {
        let machine = Machine()
        let sampler = Sampler(machine)
        var snapshot = Snapshot()
        snapshot.memory = MemoryReading(total: 2, available: 1, swapUsed: 1)
        snapshot.load = LoadAverage(one: 1, five: 1, fifteen: 1)
        snapshot.problems = (1...2).map { FileProblem(path: "file \($0)", reason: "missing") }
        // Times are known between two samples.
        for time: UInt64 in 1...2 {
            snapshot.times = ProcessorTimes(total: 2 * time, idle: time)
            snapshot.processes = (1...2).map { pid in
                ProcessRecord(
                    pid: pid, name: "process", isKernelThread: false, ticks: time, startTime: 1, residentBytes: 1)
            }
            sampler.apply(snapshot)
        }
        return machine
    }
}
