// Follows a value with `for await`: an asynchronous sequence of values.
import KeyValueObserving

/// Prints a value of a machine each time that it is sampled.
package actor Follower {
    /// Nil when the last sample was taken: the sequence ends with the machine.
    private var machine: Machine? = Machine()

    /// Sets up a machine that nothing is known of.
    package init() {}

    /// Prints the share of the memory that is used, before the first sample and with each one.
    ///
    /// - Parameters:
    ///   - source: Where samples come from.
    ///   - samples: How many to take; a recording may have fewer.
    ///   - print: Takes the lines.
    ///   - pause: Called between two samples. Returns whether to go on.
    package func follow(
        _ source: ProcSource, samples: Int, to print: @escaping @Sendable (Line) -> Void,
        pause: @escaping @Sendable () async -> Bool
    ) async {
        guard let fractions = machine?.values(of: \.memory?.usedFraction) else { return }
        // It begins when the loop waits for the first time.
        Task { await sample(source, samples, pause) }
        for await fraction in fractions {
            print(Line("memory.usedFraction", fraction.map(Units.percent) ?? Units.unknown))
        }
    }

    private func sample(_ source: ProcSource, _ samples: Int, _ pause: @Sendable () async -> Bool) async {
        guard let sampler = machine.map(Sampler.init) else { return }
        defer { machine = nil }
        for sample in 1...source.available(of: samples) {
            if sample > 1 { guard await pause() else { return } }
            sampler.apply(source.tree(forSample: sample).read())
        }
    }
}
