// One call for a change of whichever property of an object.
import KeyValueObserving
import TestSupport
import Testing

private class Document: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var title = ""
    @Observed var pages: [Int] = [1, 2, 3]
    @Observed var next: Document?
    @Observed var nothing: Void = ()
    @Observed fileprivate(set) var count = 0
    private var storedNote = ""
    var note: String {
        get {
            accessValue(for: \.note)
            return storedNote
        }
        set { changeValue(for: \.note) { storedNote = newValue } }
    }
}

private final class Letter: Document {
    @Observed var address = ""
}

/// Announces the changes of one property itself.
private class Ledger: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var total = 0
    @Observed var quiet = 0

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { keyPath != \Ledger.quiet }
}

/// Reads another property before the overridden one.
private final class AuditedLedger: Ledger {
    override var quiet: Int {
        get { total + super.quiet }
        set { super.quiet = newValue }
    }
}

@Suite("16.3 C21 Any property of an object")
struct AnyPropertyTests {
    private let kept = Kept()
    private let letter = Letter()
    private let log = Log()

    private func name(_ keyPath: AnyKeyPath) -> String {
        switch keyPath {
        case \Document.title: "title"
        case \Document.pages: "pages"
        case \Document.next: "next"
        case \Document.nothing: "nothing"
        case \Document.count: "count"
        case \Document.note: "note"
        case \Letter.address: "address"
        default: "\(keyPath)"
        }
    }

    private func observe(_ name: String = "") -> KeyValueObservation {
        letter.observeAnyProperty { [log] in log.add(name + self.name($1)) }
    }

    @Test(
        "16.3 7.1 3.5 Each change of a stored or manual property is a call, inherited, of elements and equal ones too"
    )
    func changes() {
        observe().store(in: kept)
        for title in ["a", "a"] { letter.title = title }
        letter.address = "b"
        letter.count += 1
        letter.note = "c"
        letter.nothing = ()
        letter.pages.append(4)
        letter.next = Document()
        #expect(log.take() == ["title", "title", "address", "count", "note", "nothing", "pages", "next"])
        letter.next?.title = "x"
        #expect(log.take() == [])
        letter.mutable(\.pages).append(4)
        // A call that makes two changes is two.
        letter.mutable(\.pages).moveSubranges(RangeSet(0..<1), to: 3)
        letter.mutable(\.title).value = "t"
        #expect(log.take() == ["pages", "pages", "pages", "title"])
        // Changes that are announced around sets are one.
        letter.changeValue(for: \.count) { for count in 1...2 { letter.count = count } }
        #expect(log.take() == ["count"])
    }

    @Test("16.3 Whoever else observes them, in the order of registration", arguments: [true, false])
    func others(areKnown: Bool) {
        if areKnown { letter.observe(\.title) { _, _ in }.invalidate() }
        let first = letter.observe(\.title) { [log] _, _ in log.add("first") }
        let token = observe("any ")
        let second = letter.observe(\.title) { [log] _, _ in log.add("second") }
        let other = observe("other ")
        letter.title = "a"
        letter.count = 1
        #expect(log.take() == ["first", "any title", "second", "other title", "any count", "other count"])
        withExtendedLifetime((first, token, second, other)) {}
    }

    @Test("16.3 10.2 In a transaction each property that changed is one call")
    func transaction() {
        observe().store(in: kept)
        withKeyValueTransaction {
            letter.count = 1
            letter.title = "a"
            letter.count = 2
            letter.note = "n"
        }
        #expect(log.take() == ["count", "title", "note"])
    }

    // A class and its subclass write two key paths, which are known to be one property only where they can be read.
    @Test(
        "16.3 4.2 A property whose class announces its changes is one call for each of these",
        arguments: [true, false])
    func notAutomatic(isOverridden: Bool) {
        let ledger = isOverridden ? AuditedLedger() : Ledger()
        ledger.observeAnyProperty { [log] _, _ in log.add("called") }.store(in: kept)
        ledger.quiet = 1
        ledger.quiet += 1
        #expect(log.take() == [])
        ledger.changeValue(for: \.quiet) { ledger.quiet = 3 }
        #expect(log.take() == ["called"])
        ledger.total = 1
        #expect(log.take() == ["called"])
        ledger.quiet = 4
        #expect(log.take() == [])
    }

    @Test("16.3 It ends with its token, and what is left of it costs the object nothing")
    func ending() {
        let token = observe()
        let other = observe("other ")
        letter.title = "a"
        token.invalidate()
        letter.title = "b"
        letter.count = 1
        #expect(log.take() == ["title", "other title", "other title", "other count"])
        other.invalidate()
        letter.count = 2
        #expect(log.take() == [] && letter.observationInfo.isEmpty && !letter.isObserved(\.title))
        let late = letter.observe(\.title) { [log] _, _ in log.add("late") }
        letter.title = "c"
        letter.count = 3
        #expect(log.take() == ["late"])
        withExtendedLifetime(late) {}
    }

    @Test("16.3 D1 It is listed once, with its calls; the properties do not count as observed")
    func listing() {
        letter.observeAnyProperty(fileID: "App/Document.swift", line: 3) { _, _ in }.store(in: kept)
        letter.title = "a"
        letter.title = "b"
        letter.count = 1
        #expect(
            letter.observationInfo.map { "\($0.keyPath) \($0.fileID):\($0.line) \($0.deliveredCount)" }
                == ["self App/Document.swift:3 3"])
        #expect(!letter.isObserved(\.title))
    }

    @Test("16.3 10.2 In a transaction it is called once for a property, whatever the steps; not if it came after them")
    func steps() {
        let token = observe()
        withKeyValueTransaction {
            letter.mutable(\.pages).append(4)
            letter.pages = [1]
            letter.mutable(\.pages).append(5)
            letter.observeAnyProperty { [log] _, _ in log.add("late") }.store(in: kept)
        }
        #expect(log.take() == ["pages"])
        withExtendedLifetime(token) {}
    }

    @Test("16.3 13.3 Changes may be ignored, of properties that have not changed before, too")
    func ignoring() {
        let token = observe()
        letter.title = "a"
        token.ignoringChanges {
            letter.title = "b"
            letter.count = 1
        }
        letter.count = 2
        #expect(log.take() == ["title", "count"])
    }

    @Test(
        "16.3 1.2 The handler is released when the registration ends, whoever has the token",
        arguments: [true, false])
    func release(diesFirst: Bool) {
        var document: Document? = Document()
        var held: Log? = Log()
        weak let weakHeld = held
        let token = document?.observeAnyProperty { [held] _, _ in held?.add("called") }
        held = nil
        document?.title = "a"
        #expect(weakHeld?.take() == ["called"])
        if diesFirst { document = nil } else { token?.invalidate() }
        #expect(weakHeld == nil)
        withExtendedLifetime((document, token)) {}
    }

    @Test("16.3 An observer of any property that comes after one has changed is called for its next change")
    func afterAChange() {
        let one = letter.observe(\.count) { _, _ in log.add("one") }
        letter.count = 1
        let any = letter.observeAnyProperty { _, _ in log.add("any") }
        letter.count = 2
        #expect(log.take() == ["one", "one", "any"])
        withExtendedLifetime((one, any)) {}
    }
}
