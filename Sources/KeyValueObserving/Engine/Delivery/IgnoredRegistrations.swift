// Registrations that are not notified of what a thread changes.
import CKeyValueObserving

/// The registrations that changes made on this thread are not delivered to, while `ignoringChanges` runs.
struct IgnoredRegistrations {
    private var numbers: Set<RegistrationNumber>
    /// Whose registrations are ignored, including those that are made meanwhile.
    private let owner: Unretained<AnyObject>?
    /// Those of an `ignoringChanges` around this one, which are among the numbers.
    private let outer: List?

    /// Where they are listed, for changes made meanwhile; the frame that runs `ignoringChanges` holds them.
    @safe struct List {
        private let pointer: UnsafeMutablePointer<IgnoredRegistrations>

        fileprivate init(_ pointer: UnsafeMutablePointer<IgnoredRegistrations>) { unsafe self.pointer = pointer }

        /// That of this thread; nil if there is none.
        static var current: List? {
            unsafe kvo_ignored().map { unsafe List($0.assumingMemoryBound(to: IgnoredRegistrations.self)) }
        }

        fileprivate var registrations: IgnoredRegistrations { unsafe pointer.pointee }

        fileprivate func insert(_ added: [RegistrationNumber]) { unsafe pointer.pointee.numbers.formUnion(added) }

        /// Whether a registration is left out.
        func contains(_ number: RegistrationNumber) -> Bool { registrations.numbers.contains(number) }
    }

    /// Those of this thread now.
    static var current: Set<RegistrationNumber> { List.current?.registrations.numbers ?? [] }

    /// Runs `body`, whose changes are not delivered to the registrations with these numbers.
    ///
    /// - Parameters:
    ///   - numbers: The numbers of the registrations.
    ///   - owner: Whose they are, if those that are made meanwhile are ignored, too; the caller holds it.
    ///   - body: Makes changes.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws.
    static func adding<Result, Failure: Error>(
        _ numbers: [RegistrationNumber], of owner: AnyObject?, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let outer = List.current
        var all = Self(numbers: current.union(numbers), owner: owner.map { Unretained($0) }, outer: outer)
        return try unsafe withUnsafeMutablePointer(to: &all) { (all) throws(Failure) -> Result in
            let before = unsafe kvo_ignored()
            unsafe kvo_set_ignored(all)
            defer { unsafe kvo_set_ignored(before) }
            return try body()
        }
    }

    /// Runs `body`, in which none but the registrations with these numbers are left out.
    static func replacing(_ numbers: Set<RegistrationNumber>, _ body: () -> Void) {
        let before = unsafe kvo_ignored()
        defer { unsafe kvo_set_ignored(before) }
        if numbers.isEmpty {
            kvo_set_ignored(nil)
            return body()
        }
        var list = Self(numbers: numbers, owner: nil, outer: nil)
        unsafe withUnsafeMutablePointer(to: &list) { list in
            unsafe kvo_set_ignored(list)
            body()
        }
    }

    /// Ignores registrations, too, that somebody makes whose registrations are ignored on this thread.
    static func add(_ numbers: () -> [RegistrationNumber], of owner: AnyObject) {
        guard let innermost = List.current else { return }
        var lists: [List] = []
        var outermost = 0
        var next: List? = innermost
        while let list = next {
            lists.append(list)
            if list.registrations.owner?.object === owner { outermost = lists.count }
            next = list.registrations.outer
        }
        if outermost == 0 { return }
        let added = numbers()
        for list in lists.prefix(outermost) { list.insert(added) }
    }
}
