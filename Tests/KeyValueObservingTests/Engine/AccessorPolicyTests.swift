// What a class is asked when accessors that call the engine set a property: 4.2, 20.2.
import KeyValueObserving
import TestSupport
import Testing

@Suite("20.2 What a class is asked by accessors that call the engine")
struct AccessorPolicyTests {
    private let log = Log()

    @Test("4.2 A class is asked about a property when that is first observed, not when it is set")
    func asked() {
        let form = Form()
        form.title = "a"
        form.title.append("b")
        #expect(Form.asked.take() == [])
        let other = form.observe(\.count) { _, _ in }
        _ = Form.asked.take()
        form.title = "c"
        form.title.append("d")
        #expect(Form.asked.take() == [])
        let token = form.observe(\.title, options: .new) { [log] in log.add($1) }
        #expect(Form.asked.take() == ["true"])
        form.title = "e"
        form.title.append("f")
        #expect(log.take() == ["·→e", "·→ef"])
        token.invalidate()
        form.title = "g"
        #expect(Form.asked.take() == [])
        withExtendedLifetime(other) {}
    }

    @Test(
        "3.4 20.2 A set of a property that nobody observes leaves what is being delivered alone",
        arguments: [false, true])
    func unobserved(inPlace isInPlace: Bool) {
        let sheet = AccessorSheet()
        let tokens = [
            sheet.observe(\.factor) { [log] sheet, _ in
                if isInPlace { sheet.cells.append(1) } else { sheet.title = "a" }
                log.add("first")
            },
            sheet.observe(\.factor) { [log] _, _ in log.add("second") },
        ]
        sheet.factor = 2
        #expect(log.take() == ["first", "second"])
        withExtendedLifetime(tokens) {}
    }

    @Test("16.3 20.2 Who observes any property is notified of the first change of one that nobody has read")
    func anyProperty() {
        let sheet = AccessorSheet()
        let token = sheet.observeAnyProperty { [log] _, keyPath in
            log.add(keyPath == \AccessorSheet.title ? "title" : keyPath == \AccessorSheet.cells ? "cells" : "?")
        }
        sheet.quiet = [1]
        sheet.title = "a"
        sheet.cells.append(1)
        #expect(log.take() == ["title", "cells"])
        withExtendedLifetime(token) {}
    }
}

/// Notes when it is asked about its title, whose accessors are written as the macro writes them.
private final class Form: KeyValueObservable {
    static let asked = Log()

    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var count = 0
    private var storedTitle = ""

    var title: String {
        get {
            accessValue(for: \.title)
            return storedTitle
        }
        set {
            let change = AccessorChange(of: \.title, in: self)
            storedTitle = newValue
            change.end()
        }
        _modify {
            let access = AccessorAccess(to: \.title, of: self)
            defer { access.end() }
            yield &storedTitle
        }
    }

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool {
        asked.add("\(keyPath == \Form.title)")
        return true
    }
}
