// The dependencies of a watch, which its last evaluation read.

/// A watch is attached to each source before the source is read, so that the evaluation either sees a change on another
/// thread, or the change reaches the watch. The watch is already attached to the sources of its last evaluation, so an
/// evaluation that reads the same ones in the same order has nothing to do.
extension Watch {
    /// Makes the watch depend on a property that is about to be read.
    func noteRead(
        _ object: AnyObject, _ table: ObservationTable, _ property: PropertyIdentity, _ manualKeyPath: AnyKeyPath?,
        _ describe: () -> PropertyDescription
    ) {
        // Reads made to describe a property are no dependencies.
        let source = Tracking.suspended { attachedSource(object, table, property, manualKeyPath, describe) }
        let dependencies = source.description.policy.dependencies
        if !dependencies.isEmpty { follow(dependencies, of: object) }
    }

    /// The source of a property, to which the watch is attached.
    private func attachedSource(
        _ object: AnyObject, _ table: ObservationTable, _ property: PropertyIdentity, _ manualKeyPath: AnyKeyPath?,
        _ describe: () -> PropertyDescription
    ) -> Source {
        table.noteOwner(object)
        while true {
            let source =
                if let name = manualKeyPath.map(KeyPathName.init) {
                    table.storedSource(at: name) ?? table.manualSource(at: name, describe)
                } else {
                    table.source(of: property, describe)
                }
            if !isReadingOther {
                if sources.elements[..<agreed].contains(where: { $0 === source }) { return source }
                beginReadingOther()
            }
            if read.contains(source) { return source }
            guard sources.contains(source) || source.attach(self) else { continue }
            read.append(source)
            return source
        }
    }

    private func beginReadingOther() {
        isReadingOther = true
        for index in 0..<agreed { read.append(sources.elements[index]) }
    }

    /// Makes the properties that were read the sources, and detaches from those that were not.
    func endReading(_ subject: WatchSubject) {
        if !isReadingOther {
            if agreed == sources.elements.count, !expectsNothing { return }
            beginReadingOther()
        }
        defer { read.removeAll() }
        if expectsNothing || !followed.isEmpty { (expectsNothing, followed) = (!followed.isEmpty, []) }
        let isShared = read.contains { $0.with { $0.description.isShared } }
        guard exchangeSources(subject.leaf(after: read.elements), shared: isShared) else {
            for source in read.elements { source.detach(self) }
            return
        }
        for source in read.elements where !sources.contains(source) { source.detach(self) }
        // From now on, another property's values make those of the watch.
        let last = sources.elements.last
        if let former = read.elements.last, former !== last, sources.contains(former) { former.forgetRecipients() }
        last?.forgetRecipients()
    }

    /// Reads declared dependencies, and their own; a key path is read once for each object, so that cycles end.
    func follow(_ dependencies: [AnyKeyPath], of object: AnyObject) {
        for keyPath in dependencies {
            let name = KeyPathName(keyPath)
            guard !followed.contains(where: { $0.object === object && $0.name.isSame(as: name) }) else { continue }
            followed.append((object, name))
            guard (object as Any)[keyPath: keyPath] != nil else {
                fatalError(
                    """
                    keyPathsAffectingValue(for:) of \(TypeName.of(object)) returned \(keyPath), which does not start at \
                    that class. Return key paths rooted at it.
                    """)
            }
            if let object = object as? any KeyValueObservable { follow(name, of: object) }
        }
    }

    /// Makes the watch depend on a declared dependency, whose getter may not report reads.
    private func follow(_ name: KeyPathName, of object: some KeyValueObservable) {
        let policy = Tracking.suspended {
            let policy = ClassDeclarations.of(object).policy(of: name.keyPath)
            _ = attachedSource(object, object.keyValueRegistrar.table(), .manual, name.keyPath) {
                PropertyDescription(name.keyPath, policy)
            }
            return policy
        }
        follow(policy.dependencies, of: object)
    }
}
