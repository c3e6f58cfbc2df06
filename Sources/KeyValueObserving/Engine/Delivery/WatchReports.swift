// What the observers of watches are called with.

/// What a change means to each of the watches that depend on its source, in the order of the recipients.
///
/// Only the thread that makes the change uses it.
final class WatchReports {
    @safe @exclusivity(unchecked) var all: ContiguousArray<WatchReport> = []
    /// The watch at the key path whose change was announced, which is not evaluated until the end.
    @safe @exclusivity(unchecked) var announced: Watch?
    /// Whether the old value of the property is the one that observers of paths that end there received last: it was read
    /// when the change was opened, and no path can be led there before it is closed.
    @safe @exclusivity(unchecked) var isOldLast = false
    /// The newest registration that takes part where no watch is evaluated.
    @safe @exclusivity(unchecked) var newestNumber: RegistrationNumber = 0

    /// What the observers of a watch are called with; nil if they are not.
    func report(_ index: Int, of recipients: Recipients, isPrior: Bool, ofElements isOfElements: Bool) -> WatchReport? {
        if isPrior {
            let member = recipients.watches[index]
            return member.prior(upTo: newestNumber, ofElements: isOfElements, oldLast: isOldLast)
        }
        return all.indices.contains(index) ? all[index] : nil
    }

    /// The last registration at a watch that takes part.
    func newest(at index: Int) -> RegistrationNumber { all.indices.contains(index) ? all[index].newest : newestNumber }
}

/// What a change means to a watch.
struct WatchReport {
    enum Content {
        /// Nothing: the watch is held, or its observers have received a newer value.
        case none
        /// Values, or elements, that are made of the property's; with the object that the watch starts at.
        case made(PathLeaf, AnyObject)
        /// A value that was read; nil if the change is still to be made.
        case value(BoxedValue?, AnyObject)
    }

    var content: Content
    /// The number of the evaluation that found the value.
    var evaluation = 0
    /// Registrations with a later number are not called.
    let newest: RegistrationNumber
    /// The value that its observers received last.
    var old: BoxedValue?
}

extension WatchRecipients {
    /// What they are called with before a change; nil if they are not.
    fileprivate func prior(
        upTo newest: RegistrationNumber, ofElements isOfElements: Bool, oldLast isOldLast: Bool
    ) -> WatchReport? {
        guard let root = subject.root, !watch.isHeld else { return nil }
        if let leaf, isOfElements || leaf.isCertain && isOldLast {
            return WatchReport(content: .made(leaf.making, root), newest: newest)
        }
        return WatchReport(content: .value(nil, root), newest: newest, old: watch.retainedLastValue)
    }
}
