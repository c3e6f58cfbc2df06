// Listings of observed objects.
import KeyValueObserving

@_spi(Inspector)
extension KeyValueTrace {
    /// The last known value of a property, as text.
    public struct Value: Sendable {
        /// The property's name.
        public let keyPath: String
        /// The start of the value's description.
        public let text: String
        /// When the property had this value, if it may have changed since.
        public let outdatedSince: ContinuousClock.Instant?
    }

    /// A living object, with its values, dependencies and registrations.
    public struct ObservedObject: Sendable {
        /// The object.
        public let object: Object
        /// The object's number among those of its class, in the order in which the tracer met them.
        public let number: Int
        /// The properties that changed, were evaluated or could be read, by name.
        ///
        /// A property is missing if no observer requested its value at its last change.
        public let values: [Value]
        /// The observed expressions, paths and computed properties, with their dependencies, as from ``graph(of:)``.
        public let dependents: [Dependent]
        /// The registrations on the object, in their order, including those made before tracing began.
        public let registrations: [Registration]
        /// Whether ``readOnMainActor(_:)`` may find more of the object's values.
        public let isReadOnMainActor: Bool
    }

    /// The living objects that the tracer met since tracing began, all counted and some listed.
    public struct Listing: Sendable {
        /// Some of the objects, by class and number.
        public let objects: [ObservedObject]
        /// Some of the objects that contain the searched text; those of ``objects`` if there is no search.
        public let matches: [ObservedObject]
        /// How many objects contain the searched text.
        public let matchCount: Int
        /// How many objects of each class there are, by name.
        public let classes: [(typeName: String, count: Int)]
        /// How many objects are remembered, including those that have died.
        public let rememberedCount: Int
        /// How many registrations there are on all objects.
        public let registrationCount: Int
        /// How many registrations were made before tracing began.
        public let earlierCount: Int
        /// The handlers, by the line that registered them; those called most come first.
        public let handlers: [Handler]
    }

    /// Returns the living objects that were observed, changed, evaluated or listed since tracing began.
    ///
    /// One object of each class comes first, then those that changed last; among these, the ones already shown.
    ///
    /// Only properties that several threads may change are read. Each object is retained while it is examined; if its
    /// last other reference goes meanwhile, it is released on the calling thread.
    ///
    /// - Parameters:
    ///   - search: A text that matches contain in their name, properties, values or observers, in any capitalization.
    ///   - count: How many objects and matches to list, at most; not below 0.
    ///   - shown: Objects that stay listed if possible.
    ///   - order: The ``newestOrder`` at the time of the last listing.
    /// - Returns: The listed objects, and the counts of all.
    /// - Complexity: Proportional to the number of objects and registrations; with a search, to the length of their
    ///   names, values and observers.
    public static func listing(
        of search: String = "", atMost count: Int = .max, keeping shown: Set<ObjectIdentifier> = [],
        since order: UInt64 = 0
    ) -> Listing {
        Recorder.shared.settle()
        let known = Recorder.shared.look { contents in contents.objects.values.map { ($0, $0.lastChange) } }
        var (counts, classes, all, matches) = (Counts(), [String: Int](), [Found](), [Found]())
        for (known, lastChange) in known {
            guard let object = known.object else { continue }
            counts.add(object, known)
            classes[known.name.typeName, default: 0] += 1
            let found = Found(
                known: known, lastChange: lastChange, isChanged: lastChange > order,
                isShown: shown.contains(known.name.identity))
            all.append(found)
            if !search.isEmpty, Recorder.shared.has(search.lowercased(), known) { matches.append(found) }
        }
        let objects = Found.first(count, of: all).compactMap { ObservedObject($0.known) }
        let found = search.isEmpty ? objects : Found.first(count, of: matches).compactMap { ObservedObject($0.known) }
        return Listing(
            objects: objects, matches: found, matchCount: search.isEmpty ? all.count : matches.count,
            classes: classes.map { ($0.key, $0.value) }.sorted { $0.typeName < $1.typeName },
            rememberedCount: known.count, registrationCount: counts.registrations, earlierCount: counts.earlier,
            handlers: counts.handlers)
    }

    /// A number that increases with each recorded change.
    public static var newestOrder: UInt64 { Order.newest }

    /// Reads the properties of some objects that only the main actor may read, for the next listing.
    @MainActor
    public static func readOnMainActor(_ objects: [ObjectIdentifier]) {
        for identity in objects {
            let object = Recorder.shared.look { $0.objects[identity] }?.object
            if let object = object as? any KeyValueObservable { _ = Recorder.shared.read(object, onMainActor: true) }
        }
    }

    /// Returns the numbers of some objects among those of their classes.
    public static func numbers(of objects: [Object]) -> [Object: Int] {
        Recorder.shared.look { contents in
            objects.reduce(into: [:]) { $0[$1] = contents.objects[$1.identity]?.number }
        }
    }
}

/// An object that may be listed.
private struct Found {
    let known: KnownObject
    let lastChange: UInt64
    let isChanged: Bool
    let isShown: Bool

    /// The objects to list, by class and number.
    static func first(_ count: Int, of all: [Found]) -> [Found] {
        let sorted = all.sorted { one, other in
            if one.isChanged != other.isChanged { return one.isChanged }
            if one.isShown != other.isShown { return one.isShown }
            return one.lastChange > other.lastChange
        }
        var classes: Set<String> = []
        var (first, rest) = ([Found](), [Found]())
        for one in sorted {
            if classes.insert(one.known.name.typeName).inserted { first.append(one) } else { rest.append(one) }
        }
        return (first + rest).prefix(count).sorted {
            ($0.known.name.typeName, $0.known.number) < ($1.known.name.typeName, $1.known.number)
        }
    }
}

/// The counts that objects keep themselves, traced or not.
private struct Counts {
    private(set) var registrations = 0
    private(set) var earlier = 0
    private var calls: [(handler: Int, known: KnownRegistration, delivered: Int, dropped: Int)] = []

    mutating func add(_ object: AnyObject, _ known: KnownObject) {
        guard let observable = object as? any KeyValueObservable else { return }
        if !known.isListed {
            // Later registrations are reported.
            _ = Recorder.shared.registrations(on: observable)
            Recorder.shared.look { _ in known.isListed = true }
        }
        let counts = observable.tracedCounts
        Recorder.shared.look { contents in
            for count in counts {
                guard let known = contents.registrations[count.number] else { continue }
                registrations += 1
                if known.number <= contents.settings.earlier ?? 0 { earlier += 1 }
                if let handler = known.handler { calls.append((handler, known, count.delivered, count.dropped)) }
            }
        }
    }

    var handlers: [KeyValueTrace.Handler] {
        var handlers = Recorder.shared.listing(\.handlers)
        for one in calls where handlers.indices.contains(one.handler) {
            handlers[one.handler].count(one.known, delivered: one.delivered, dropped: one.dropped)
        }
        return handlers.filter { !$0.isEmpty }.sorted { $0.callCount > $1.callCount }
    }
}

extension Recorder {
    /// Whether a text occurs in what is known about an object.
    fileprivate func has(_ search: String, _ known: KnownObject) -> Bool {
        let (name, object) = (known.name, known.object as? any KeyValueObservable)
        let numbers = object.map { $0.tracedCounts.map(\.number) } ?? []
        return look { contents in
            if "\(name.typeName) \(known.number)".lowercased().contains(search) { return true }
            let values = contents.values[name.identity] ?? [:]
            if values.contains(where: { "\($0) \($1.text ?? "")".lowercased().contains(search) }) { return true }
            return numbers.contains { number in
                guard let one = contents.registrations[number] else { return false }
                let text = "\(one.keyPath) \(one.observer ?? "") \(one.fileID):\(one.line)"
                return text.lowercased().contains(search)
            }
        }
    }
}

extension KeyValueTrace.ObservedObject {
    /// Examines an object; nil if it has died.
    fileprivate init?(_ known: KnownObject) {
        guard let object = known.object else { return nil }
        (self.object, number) = (known.name, known.number)
        if let observable = object as? any KeyValueObservable {
            dependents = KeyValueTrace.graph(of: observable).dependents
            registrations = Recorder.shared.registrations(on: observable)
            isReadOnMainActor = Recorder.shared.read(observable)
        } else {
            // The class conforms on an actor.
            dependents = []
            registrations = KeyValueTrace.registrations.filter { $0.object == known.name }
            isReadOnMainActor = true
        }
        let ends = dependents.compactMap { dependent in dependent.end.map { (dependent.name, $0) } }
        let values = Recorder.shared.look { contents in
            var values = contents.values[known.name.identity] ?? [:]
            for (name, end) in ends {
                // A path is not evaluated when the property at its end changes.
                let value = end.object.flatMap { contents.values[$0.identity]?[end.keyPath] }
                if let value, value.order > values[name]?.order ?? 0 { values[name] = value }
            }
            for (name, value) in values {
                if let object = value.object { values[name]?.text = contents.name(of: object) }
            }
            return values
        }
        self.values = values.sorted { $0.key < $1.key }.compactMap { keyPath, value in
            value.text.map { text in
                KeyValueTrace.Value(
                    keyPath: keyPath, text: text, outdatedSince: value.isOutdated ? value.time : nil)
            }
        }
    }
}

extension KeyValueTrace.Dependent {
    /// The property at the end of a path; nil for anything else.
    fileprivate var end: KeyValueTrace.Property? {
        dependencies.last.flatMap { name.hasSuffix(".\($0.keyPath)") && !$0.isComputed ? $0 : nil }
    }
}
