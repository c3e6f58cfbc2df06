// One change of one property, from its will to its did: every door ends here.

/// Makes changes.
///
/// The functions that know the property's type are inlinable: compiled with the class, they need neither metadata nor
/// an allocation. The rest is the same for all types.
@usableFromInline
enum ChangePipeline {
    /// Sets a property of an object that is observed.
    ///
    /// The closures capture nothing: one reads the property of the object it is given, by its getter; the other
    /// exchanges what the property stores with another value.
    ///
    /// - Parameters:
    ///   - value: The new value.
    ///   - place: Where the property is stored, taken just now.
    ///   - object: The object.
    ///   - property: Its property.
    ///   - table: The address of the object's table.
    ///   - read: Reads the property.
    ///   - exchange: Exchanges its value.
    @inlinable @inline(never)
    static func set<Object: KeyValueObservable, Value>(
        _ value: Value, at place: UnsafeMutablePointer<Value>, of object: Object, _ property: PropertyIdentity,
        in table: UInt, reading read: (Object) -> Value, exchanging exchange: (Object, inout Value) -> Void
    ) {
        // The getter says what it is that is being changed in place.
        if _slowPath(unsafe AccessMark(of: place) == .ofThisThread(for: Value.self)) { _ = read(object) }
        // The value that is replaced is released at the end: it may be an object whose `deinit` reads the property.
        switch open(property, in: table, isExact: type(of: object) == Object.self) {
        case .silent:
            var stored = value
            unsafe swap(&place.pointee, &stored)
        case .simple(let audience):
            var stored = value
            unsafe swap(&place.pointee, &stored)
            unsafe tell(audience, of: object, old: stored, new: value)
        case .onePath(let audience):
            var stored = value
            // The getters that run before the place is written to end their accesses, and it stays where it is.
            let isMade = unsafe makeUnlisted(property, of: object, in: table, forBorrowed: audience) {
                unsafe swap(&place.pointee, &stored)
            }
            if !isMade { set(value, of: object, property, reading: read, exchanging: exchange) }
        case .careful:
            set(value, of: object, property, reading: read, exchanging: exchange)
        }
    }

    /// How a set of a property of an observed object is made.
    @frozen @usableFromInline
    @safe enum Opening {
        /// Nobody is told.
        case silent
        /// No code of others runs before these are told, who were borrowed.
        case simple(Unmanaged<Audience>)
        /// These are told, who were borrowed, of what one path is read for.
        case onePath(Unmanaged<Audience>)
        /// With all precautions.
        case careful
    }

    /// Finds out how a set is made; no code of others runs meanwhile.
    ///
    /// - Parameters:
    ///   - property: The property.
    ///   - table: The address of the object's table.
    ///   - isExact: Whether the object is no instance of a subclass, in which an override may give another value than is
    ///     stored.
    /// - Returns: How.
    @inlinable @inline(__always)
    static func open(_ property: PropertyIdentity, in table: UInt, isExact: Bool) -> Opening {
        guard !ReadingRecorder.isRecording, let table = unsafe UnsafeRawPointer(bitPattern: table) else {
            return .careful
        }
        let unretained = unsafe Unmanaged<ObservationTable>.fromOpaque(table)
        guard unsafe unretained._withUnsafeGuaranteedRef({ $0.mayObserve(property) }) else { return .silent }
        return isExact ? unsafe open(property, in: unretained) : .careful
    }

    @usableFromInline
    static func open(_ property: PropertyIdentity, in table: Unmanaged<ObservationTable>) -> Opening {
        // What is being delivered is completed first, and open changes may have to know.
        guard !Delivery.isUnderWay, !OpenChange.isAnyOpen else { return .careful }
        let borrowed = unsafe table._withUnsafeGuaranteedRef { table in
            unsafe table.unretainedRecord(of: property)?._withUnsafeGuaranteedRef { unsafe $0.loan.borrow() }
        }
        guard let audience = unsafe borrowed else { return .careful }
        let isOnePath = unsafe audience._withUnsafeGuaranteedRef { unsafe $0.onlyPath != nil }
        return unsafe isOnePath ? .onePath(audience) : .simple(audience)
    }

    /// Tells a borrowed audience of a change that was made.
    @inlinable
    static func tell<Value>(_ audience: Unmanaged<Audience>, of object: AnyObject, old: Value?, new: Value?) {
        unsafe withUnsafePointer(to: old) { old in
            unsafe withUnsafePointer(to: new) { new in
                unsafe Delivery.run(toBorrowed: audience, object: .passUnretained(object), old: old, new: new)
            }
        }
        extendLifetime(object)
    }

    /// Sets a property of an object that was observed before.
    ///
    /// The closures capture nothing: one reads the property of the object it is given, by its getter; the other
    /// exchanges what the property stores with another value.
    @inlinable
    static func set<Object: KeyValueObservable, Value>(
        _ value: Value, of object: Object, _ property: PropertyIdentity, reading read: (Object) -> Value,
        exchanging exchange: (Object, inout Value) -> Void
    ) {
        if _slowPath(ReadingRecorder.isRecording) {
            // A getter that changes something does not depend on it.
            return ReadingRecorder.suspended { set(value, of: object, property, reading: read, exchanging: exchange) }
        }
        var stored = value
        guard let audience = audience(of: property, of: object) else {
            exchange(object, &stored)
            return
        }
        if audience.isSimple, type(of: object) == Object.self {
            // No subclass, so no override: what is stored is what the getter returns. And no code of others runs
            // before the did, so nobody could find the change open.
            exchange(object, &stored)
            did(nil, to: object, for: audience, old: stored, new: value)
            return
        }
        if audience.isOnePath, makeUnlisted(property, of: object, for: audience, { exchange(object, &stored) }) {
            return
        }
        let open = OpenChange.begin(property, of: object, for: audience)
        let old = audience.needsOld ? read(object) : nil
        unsafe withUnsafePointer(to: old) { unsafe open.will(old: $0) }
        exchange(object, &stored)
        let new = audience.needsNew ? read(object) : nil
        did(open, to: object, for: audience, old: old, new: new)
    }

    @usableFromInline
    static func makeUnlisted(
        _ property: PropertyIdentity, of object: some KeyValueObservable, for audience: Audience, _ store: () -> Void
    ) -> Bool {
        let isMade = unsafe UnlistedChange.make(
            property, of: .passUnretained(object), in: .passUnretained(object.keyValueRegistrar.table()),
            for: .passUnretained(audience), store: store)
        extendLifetime(object)
        extendLifetime(audience)
        return isMade
    }

    /// Makes a change for a borrowed audience, and gives that back.
    @usableFromInline
    static func makeUnlisted(
        _ property: PropertyIdentity, of object: AnyObject, in table: UInt, forBorrowed audience: Unmanaged<Audience>,
        _ store: () -> Void
    ) -> Bool {
        guard let table = unsafe UnsafeRawPointer(bitPattern: table) else { return false }
        let isMade = unsafe UnlistedChange.make(
            property, of: .passUnretained(object), in: .fromOpaque(table), for: audience, store: store)
        unsafe Audience.giveBack(audience)
        extendLifetime(object)
        return isMade
    }

    /// Begins an access in place to a property of an object that was observed before; the result, if any, goes to
    /// `didModify`.
    @inlinable
    static func willModify<Object: KeyValueObservable, Value>(
        _ object: Object, _ property: PropertyIdentity, reading read: @escaping (Object) -> Value
    ) -> ChangeInPlace? {
        if _slowPath(ReadingRecorder.isRecording) {
            return ReadingRecorder.suspended { willModify(object, property, reading: read) }
        }
        guard let audience = audience(of: property, of: object) else { return nil }
        let open = OpenChange.begin(property, of: object, for: audience)
        let old = audience.needsOld ? read(object) : nil
        unsafe withUnsafePointer(to: old) { unsafe open.will(old: $0) }
        open.isAccessed = true
        return ChangeInPlace {
            open.isAccessed = false
            let new = audience.needsNew ? read(object) : nil
            did(open, to: object, for: audience, old: old, new: new)
        }
    }

    /// Ends an access in place.
    static func didModify(_ change: ChangeInPlace) {
        ReadingRecorder.suspended(change.did)
    }

    /// Fixes who is told of a change of `property`; nil if nobody is, or if the property is already changing on this
    /// thread and that change speaks for this one too.
    ///
    /// What is being delivered on this thread is delivered to the end first, so that it precedes the change for
    /// everybody.
    @inlinable
    static func audience(of property: PropertyIdentity, of object: some KeyValueObservable) -> Audience? {
        unsafe object.keyValueRegistrar.unretainedTable?._withUnsafeGuaranteedRef { table in
            table.mayObserve(property) ? audience(of: property, in: table) : nil
        }
    }

    @usableFromInline
    static func audience(of property: PropertyIdentity, in table: ObservationTable) -> Audience? {
        guard !OpenChange.isOpen(property, in: table) else { return nil }
        Delivery.completeUnderWay()
        return table.audience(of: property)
    }

    /// Tells everybody of a change that was made.
    ///
    /// - Parameters:
    ///   - open: The open change, if one was needed.
    ///   - object: The object that changed.
    ///   - audience: Who is to be told, unless the open change knows better.
    ///   - elements: How some elements changed, unless the open change says it or the whole value was set.
    ///   - old: The old value, or the elements that left.
    ///   - new: The new value, or the elements that came.
    @inlinable
    static func did<Object: KeyValueObservable, Value>(
        _ open: OpenChange?, to object: Object, for audience: Audience, elements: ElementsChange? = nil, old: Value?,
        new: Value?
    ) {
        unsafe withUnsafePointer(to: old) { old in
            unsafe withUnsafePointer(to: new) { new in
                if let open { unsafe open.did(new: new) }
                unsafe deliver(to: open?.audience ?? audience, object, open, elements, old: old, new: new)
            }
        }
    }

    @usableFromInline
    static func deliver(
        to audience: Audience, _ object: AnyObject, _ open: OpenChange?, _ elements: ElementsChange?,
        old: UnsafeRawPointer, new: UnsafeRawPointer
    ) {
        unsafe Delivery.run(
            to: audience, object: object, open: open, elements: open?.elements ?? elements, isPrior: false, old: old,
            new: new)
        open?.end()
    }
}
