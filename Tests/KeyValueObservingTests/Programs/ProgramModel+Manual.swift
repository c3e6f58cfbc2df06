// Changes that are announced: what `willChangeValue` and `didChangeValue` mean.
import KeyValueObserving

extension ProgramModel {
    func will(_ source: Source) {
        completeAll()
        if let change = pending[source] {
            if change.isManual { change.nested += 1 }
            return
        }
        let own = paths[source].flatMap { $0.isStored ? nil : $0 }
        let change = Pending(source, newestNumber)
        change.isManual = true
        pending[source] = change
        begin(change, announcing: own)
        deliver(priors(of: change, nil))
    }

    func did(_ source: Source) {
        guard let change = pending[source], change.isManual else { return }
        completeAll()
        // What was completed may have ended it, and begun another one: then this is a surplus one.
        guard pending[source] === change else { return }
        if change.nested > 0 {
            change.nested -= 1
            return
        }
        for concern in change.paths where concern.isAnnounced {
            concern.path.isAnnounced = false
            concern.isDeferred = concern.path.isDeferred
            concern.path.isDeferred = false
        }
        deliver(finish(change, with: nil))
    }
}
