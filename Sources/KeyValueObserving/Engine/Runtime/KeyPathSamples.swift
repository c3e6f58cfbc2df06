// Whether key paths are read rightly, tried on some whose components are known.
#if !KEY_VALUE_OBSERVING_PLAIN
import Synchronization

extension KeyPathComponents {
    /// What was read of a key path.
    package struct Reading {
        let components: ContiguousArray<Component>
        let hasArguments: Bool
        let owner: Any.Type?

        package init?(_ keyPath: AnyKeyPath) {
            guard let read = KeyPathComponents.read(keyPath, noting: { _ in }) else { return nil }
            components = read.components
            hasArguments = read.hasArguments
            owner = KeyPathComponents.readUnobservableOwner(in: keyPath)
        }

        /// Everything in one line; properties with accessors have letters, in the order in which they are met.
        fileprivate func text(_ properties: inout [UInt]) -> String {
            let parts = components.map { component in
                switch component {
                case .stored(let bits): "\(bits >> 24):\(bits & Layout.storedOffsetMask)"
                case .optional(let operation): "?\(operation)"
                case .computed(let id): Self.letter(for: id, &properties)
                }
            }
            return parts.joined(separator: " ") + (hasArguments ? " ()" : "") + (owner.map { " of \($0)" } ?? "")
        }

        private static func letter(for property: UInt, _ known: inout [UInt]) -> String {
            let index = known.firstIndex(of: property) ?? known.endIndex
            if index == known.endIndex { known.append(property) }
            return String(Array("abcdef")[index % 6])
        }
    }

    /// Key paths, and what is to be read of each.
    package static var samples: [(keyPath: AnyKeyPath, text: String)] {
        [
            (\SampleBase.computed, "a"),
            (\SampleDerived.computed, "a"),
            (\SampleDerived.other, "b"),
            (\SampleDerived.link.computed, "c a of SampleBase"),
            (\SampleDerived.link.link, "c c"),
            (\SampleDerived.maybe?.computed, "d ?0 a ?1 of SampleBase"),
            (\SampleDerived.maybe?.first, "d ?0 3:16 ?1 of SampleBase"),
            (\SampleDerived.pair.first, "e 1:0"),
            (\SampleDerived.pair.second, "e 1:8"),
            (\SampleDerived.[3], "f ()"),
            (\SampleDerived.first, "3:16"),
            (\SampleDerived.second, "3:24"),
        ]
    }

    /// Whether a way to read key paths reads the samples rightly.
    package static func reads(_ read: (AnyKeyPath) -> Reading?) -> Bool {
        var properties: [UInt] = []
        return samples.allSatisfy { sample in read(sample.keyPath)?.text(&properties) == sample.text }
    }

    /// Whether the layout is the one that is known.
    ///
    /// It is tried once, or by several threads at once with the same result. A lazy constant would cost a call at each
    /// access in place.
    package static var isLayoutKnown: Bool {
        let trial = trial.load(ordering: .relaxed)
        return _fastPath(trial != Trial.none) ? trial == Trial.passed : tryLayout(Reading.init)
    }

    enum Trial {
        static let none: UInt8 = 0
        static let passed: UInt8 = 1
        static let failed: UInt8 = 2
    }

    static let trial = Atomic<UInt8>(Trial.none)

    /// Tries a way to read key paths.
    ///
    /// Where it fails, no key path is read from then on.
    @discardableResult
    @inline(never)
    package static func tryLayout(_ read: (AnyKeyPath) -> Reading?) -> Bool {
        let hasPassed = reads(read)
        trial.store(hasPassed ? Trial.passed : Trial.failed, ordering: .relaxed)
        return hasPassed
    }
}
#endif
