// The root of the model: what is known of the machine.
import KeyValueCoding
package import KeyValueObserving

/// A machine, as far as its samples show it.
///
/// Nothing here prints or names an observer: the sampler writes, and interested objects observe.
package final class Machine: KeyValueCodable {
    package let keyValueRegistrar = KeyValueRegistrar()

    /// The memory, or nil while nothing is known of it.
    ///
    /// An object has one total, so another total is another object.
    @Observed package var memory: Memory?
    /// The load averages, or nil while they are not known.
    @Observed package var load: LoadAverage?
    /// The processors together, or nil while nothing is known of them.
    @Observed package var processor: Processor?
    /// What is running, by process identifier.
    ///
    /// A process keeps its object from the sample it is first seen in to the one it is missing in.
    @Observed package var processes: [RunningProcess] = []
    /// The process that used most of the processors' time between the last two samples, if one used any.
    @Observed package var busiest: RunningProcess?
    /// The files that could not be read or understood in the last sample, in the order of reading.
    @Observed package var problems: [FileProblem] = []

    /// What is reachable by name; the load averages, parts of a struct, under keys of their own.
    package static var keyPathsByKey: [String: AnyKeyPath] {
        [
            "memory": \Machine.memory, "load1": \Machine.load?.one, "load5": \Machine.load?.five,
            "load15": \Machine.load?.fifteen, "processor": \Machine.processor, "processes": \Machine.processes,
            "busiest": \Machine.busiest, "problems": \Machine.problems,
        ]
    }

    package init() {}
}
