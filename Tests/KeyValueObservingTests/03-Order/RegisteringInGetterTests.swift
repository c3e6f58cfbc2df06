// Registrations made while a change begins: they hear of all of it or of nothing, 3.6.
import KeyValueObserving
import TestSupport
import Testing

@Suite("3.6 Registering while a change begins")
struct RegisteringInGetterTests {
    @Test(
        "3.6 Who is added by a getter that is read during a change hears no change without its prior",
        arguments: Property.allCases, 1...6)
    func addedByAGetter(property: Property, read: Int) {
        let (meter, log) = (ReadMeter(), Log())
        var tokens: [KeyValueObservation] = []
        func observe(_ name: String) {
            let options: KeyValueObservingOptions = [.prior, .old, .new]
            switch property {
            case .overridden: tokens.append(meter.observe(\.level, options: options) { log.add($1, as: name) })
            case .byHand: tokens.append(meter.observe(\.manual, options: options) { log.add($1, as: name) })
            case .computed: tokens.append(meter.observe(\.double, options: options) { log.add($1, as: name) })
            }
        }
        observe("first")
        // The getter that is read so many times adds an observer.
        var reads = 0
        meter.whenRead = {
            reads += 1
            guard reads == read else { return }
            observe("added")
        }
        for value in 1...3 {
            meter.level = value
            meter.manual = value
        }
        meter.whenRead = nil
        let lines = log.take().filter { $0.hasPrefix("added") }
        for (index, line) in lines.enumerated() {
            let isPrior = line.hasPrefix("added prior")
            #expect(isPrior == index.isMultiple(of: 2), "\(lines)")
        }
        #expect(lines.count.isMultiple(of: 2))
    }

    enum Property: CaseIterable, Sendable { case overridden, byHand, computed }
}

private class Meter: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var level = 0
}

/// Says when one of its properties is read.
private final class ReadMeter: Meter {
    var whenRead: (() -> Void)?
    private var stored = 0

    override var level: Int {
        get {
            whenRead?()
            return super.level
        }
        set { super.level = newValue }
    }

    var manual: Int {
        get {
            accessValue(for: \.manual)
            whenRead?()
            return stored
        }
        set {
            willChangeValue(for: \.manual)
            stored = newValue
            didChangeValue(for: \.manual)
        }
    }

    var double: Int { level * 2 }
}
