// What a path depends on, as a value with transitions.

/// The properties that a path depends on: those that its last evaluation read, each once, in the order of their first
/// reads.
///
/// An evaluation attaches the path to each property before that is read: a change on another thread is either seen by
/// the evaluation or notifies the path. The path is already attached to what the last evaluation read. So an evaluation
/// that reads the same in the same order has nothing to do. One that differs attaches what is new, and when it ends,
/// detaches what is gone.
///
/// | an evaluation ends | what it read becomes what the path depends on | what it attached |
/// | --- | --- | --- |
/// | after the path | no | is detached |
/// | after a newer one | no | is detached |
/// | relying on what another one has replaced meanwhile | no, it is made again | is detached |
/// | otherwise | yes | stays; what is not depended on any more is detached |
package struct Dependencies<Source: AnyObject> {
    package private(set) var properties: ContiguousArray<Source> = []
    /// Whether a class declares dependencies of one of them, which have to be read as well.
    package private(set) var areDeclared = false
    private var lastBegun = 0
    private var lastEnded = 0
    /// How often the properties were replaced.
    private var version = 0
    package private(set) var isEnded = false

    package init() {}

    /// Whether the path has been evaluated.
    package var isKnown: Bool { lastEnded > 0 }

    /// What an evaluation knows when it begins.
    package struct Start {
        package let number: Int
        fileprivate let version: Int
        /// What is read next if nothing has changed; empty for an evaluation that relies on nothing.
        package let expected: ContiguousArray<Source>
        /// Whether the evaluation relies on what is attached already.
        package let isRelying: Bool
    }

    /// Begins an evaluation.
    ///
    /// - Parameter isRelying: Whether it relies on what is attached already. One that does not attaches all it reads,
    ///   and so need not be made again.
    /// - Returns: What it knows.
    package mutating func begin(isRelying: Bool) -> Start {
        lastBegun += 1
        let isRelying = isRelying && !areDeclared
        return Start(
            number: lastBegun, version: version, expected: isRelying ? properties : [], isRelying: isRelying)
    }

    package enum Outcome {
        /// Nothing else was read than before.
        case unchanged
        case changed
        /// A newer evaluation knows better, or the path has ended.
        case superseded
        /// It relied on what is gone, and is to be made again.
        case outdated
    }

    /// Ends an evaluation that read what it expected.
    package mutating func end(asExpected start: Start) -> Outcome {
        if isEnded || start.number < lastEnded { return .superseded }
        guard start.version == version else { return .outdated }
        lastEnded = start.number
        return .unchanged
    }

    /// Ends an evaluation.
    ///
    /// - Parameters:
    ///   - start: What it knew.
    ///   - read: What it read.
    ///   - attached: To what it attached the path.
    ///   - areDeclared: Whether a class declares dependencies of what it read.
    /// - Returns: What comes of it, and from what the path is to be detached, once each.
    package mutating func end(
        _ start: Start, read: DistinctObjects<Source>, attached: ContiguousArray<Source>, areDeclared: Bool
    ) -> (outcome: Outcome, stale: ContiguousArray<Source>) {
        if isEnded || start.number < lastEnded { return (.superseded, attached) }
        if start.isRelying, start.version != version { return (.outdated, attached) }
        var stale = properties
        if start.isRelying {
            let known = DistinctObjects(properties)
            stale = properties.filter { !read.contains($0) }
            // Read in another order than before, it was attached once more.
            for property in attached where known.contains(property) { stale.append(property) }
        }
        properties = read.elements
        self.areDeclared = areDeclared
        version += 1
        lastEnded = start.number
        return (.changed, stale)
    }

    /// Ends the path.
    ///
    /// - Returns: From what it is to be detached.
    package mutating func end() -> ContiguousArray<Source> {
        isEnded = true
        defer { properties = [] }
        return properties
    }
}
