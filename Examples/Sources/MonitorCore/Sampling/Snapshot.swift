// What one look at a proc tree shows.

/// One sample, before it is applied to the model.
package struct Snapshot: Equatable, Sendable {
    package var memory: MemoryReading?
    package var load: LoadAverage?
    package var times: ProcessorTimes?
    /// What is running, by process identifier; nil if that could not be found out.
    package var processes: [ProcessRecord]?
    /// The files that could not be read or understood, in the order of reading.
    package var problems: [FileProblem] = []

    package init() {}

    /// What `read` returns, or nil and one more problem.
    mutating func noting<Value>(_ read: () throws(FileProblem) -> Value?) -> Value? {
        do {
            return try read()
        } catch {
            problems.append(error)
            return nil
        }
    }
}
