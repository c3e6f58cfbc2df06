// Where a binding is made: the line, and the actor.

/// The place that a binding is made at, and the actor that both of its ends belong to then.
struct BindingSite {
    /// Held weakly, as a handler that does not use its actor does not hold it.
    weak let actor: (any Actor)?
    let fileID: StaticString
    let line: UInt

    init(_ actor: (any Actor)?, _ fileID: StaticString, _ line: UInt) {
        self.actor = actor
        self.fileID = fileID
        self.line = line
    }

    /// Traps if the calling code, which is about to pass a value on, does not run on the actor.
    func checkIsolation(_ name: @autoclosure () -> String, of object: AnyObject) {
        guard let actor else { return }
        actor.checkIsCurrent(fileID, line) {
            """
            \(name()) of \(TypeName.of(object)) was changed outside \(TypeName.of(actor)), and \
            the binding that was made at \(fileID):\(line) belongs to it. Change the object on the actor, or set the \
            other one in a handler of \(actor.deliveringCall).
            """
        }
    }

    /// Sets a target, and reports that if somebody traces.
    func tracing(_ target: AnyObject, _ keyPath: AnyKeyPath, _ set: () -> Void) {
        guard EngineTrace.isReporting else { return set() }
        EngineTrace.during { tracer in
            tracer.begin(
                .binding, of: target, EngineTrace.Name { PropertyNames.text(of: keyPath) }, at: (fileID, line),
                cause: EngineTrace.cause)
        } _: {
            set()
        }
    }
}
