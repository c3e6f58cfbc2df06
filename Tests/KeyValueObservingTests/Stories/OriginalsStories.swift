// What the articles on Cocoa's key-value observing and on its wrappers show, with the calls of this library.
import KeyValueObserving
import KeyValueObservingStyles
import TestSupport
import Testing

@Suite("Story: Cocoa's KVO")
struct CocoaStory {
    // #18 #351
    @Test("A4 One callback for all, distinguished by key path and context; nothing is removed in deinit")
    func oneCallback() {
        let account = Account()
        var reader: Reader? = Reader()
        reader?.kvo.observe(account, \.balance, context: "balance")
        reader?.kvo.observe(account, \.title, context: 2)
        account.balance = 7
        account.title = "Ada"
        #expect(reader?.log.take() == ["balance 0→7 balance", "title →Ada 2"])
        reader = nil
        account.balance = 8
        #expect(account.observationInfo.isEmpty)
    }

    // #36
    @Test("D5 Address, class and description stay the same before, during and after; another instance is like it")
    func sameClass() {
        let (account, other) = (Account(), Account())
        func look() -> String { "\(ObjectIdentifier(account)) \(type(of: account)) \(account) \(type(of: other))" }
        let before = look()
        let token = account.observe(\.balance) { _, _ in }
        #expect(look() == before && type(of: account) == Account.self)
        token.invalidate()
        #expect(look() == before)
    }
}

@Suite("Story: FBKVOController")
struct FBKVOControllerStory {
    private let account = Account()

    @Test("B4 B9 A view shows what it observes from the beginning, itself too; releasing it ends everything")
    func lazyController() {
        var view: Reader? = Reader()
        weak let weakView = view
        view?.kvo.observe(account, \.balance, options: [.initial, .new]) { $0.log.add($2) }
        view?.kvo.observe(view, \.page, options: .new) { $0.log.add($2, as: "page") }
        account.balance = 1
        view?.page = 2
        #expect(view?.log.take() == ["·→0", "·→1", "page ·→2"])
        view = nil
        #expect(account.observationInfo.isEmpty && weakView == nil)
    }

    // #68
    @Test("B11 #69 A registration with .initial whose handler unobserves at once leaves no info, and not its handler")
    func unobservedAtOnce() {
        let view = Reader()
        var captured: Log? = Log()
        weak let weakCaptured = captured
        view.kvo.observe(account, \.balance, options: .initial) { [captured] view, account, _ in
            view.log.add("once \(captured != nil)")
            view.kvo.unobserve(account, \.balance)
        }
        captured = nil
        account.balance = 1
        #expect(view.log.take() == ["once true"] && account.observationInfo.isEmpty && weakCaptured == nil)
        #expect(view.kvo.debugDescription.hasSuffix("observing nothing"))
    }

    // #10
    @Test(
        "A14 B1 B7 Removing an unknown observer does nothing; a controller releases the object with the last key path")
    func removing() {
        let controller = Reader().kvo
        let (view, nobody) = (Reader(), Account?.none)
        view.kvo.unobserve(account, \.balance)
        view.kvo.unobserve(account)
        view.kvo.unobserveAll()
        view.kvo.observe(nobody, \.balance) { _, _, _ in }
        controller.observe(account, \.balance) { _, _, _ in Issue.record("the observer is gone") }
        account.balance = 1
        #expect(account.observationInfo.isEmpty)
        var own: Account? = Account()
        weak let weakOwn = own
        view.kvo.observe(own, \.balance) { _, _, _ in }
        view.kvo.observe(own, \.title) { _, _, _ in }
        own = nil
        view.kvo.unobserve(weakOwn, \.balance)
        #expect(weakOwn != nil)
        view.kvo.unobserve(weakOwn, \.title)
        #expect(weakOwn == nil)
    }
}

@Suite("Story: LXDObserver")
struct LXDObserverStory {
    private let account = Account()
    private let log = Log()

    @Test("A8 B2 C4 Several observers of one key each get object, key, old and new; removing one leaves the others")
    func several() {
        let readers = [Reader(), Reader()]
        for (index, reader) in readers.enumerated() {
            account.addObserver(reader, for: [\.balance, \.title]) { [log] _, account, change in
                log.add(change, as: "\(index) \(account.balance)\(account.title)")
            }
        }
        account.balance = 1
        account.removeObserver(readers[1], for: \.balance)
        account.balance = 2
        account.title = "x"
        #expect(log.take() == ["0 1 0→1", "1 1 0→1", "0 2 1→2", "0 2x →x", "1 2x →x"])
        withExtendedLifetime(readers) {}
    }

    @Test("C13 C14 What its author regrets: scalars, structs and key paths can be observed")
    func regrets() {
        let reader = Reader()
        account.addObserver(reader, for: [\.limit.width, \.parent?.balance], options: .new) { [log] in log.add($2) }
        account.limit.width = 5
        account.parent = Account()
        account.parent?.balance = 3
        #expect(log.take() == ["·→5", "·→0", "·→3"])
    }
}

@Suite("Story: SJKVOController")
struct SJKVOControllerStory {
    private let account = Account()
    private let reader = Reader()

    private func add(_ keyPaths: [PartialKeyPath<Account>]) {
        account.addObserver(reader, for: keyPaths, fileID: "S/J.swift", line: 1) { $0.log.add($2, as: $2.name) }
    }

    @Test(
        "A5 B2 D1 Adding both keys in one call or in two, and the list after each step",
        .enabled(if: hasReflectionMetadata), arguments: [1, 2])
    func story(calls: Int) {
        if calls == 1 { add([\.balance, \.title]) } else { [[\.balance], [\.title]].forEach(add) }
        #expect(
            account.observationDescription == """
                2 registrations on Account:
                  balance  [new, old]  Reader  S/J.swift:1  delivered 0
                  title    [new, old]  Reader  S/J.swift:1  delivered 0
                """)
        // The same again is not added.
        add([\.balance, \.title])
        account.removeObserver(reader, for: \.balance)
        #expect(account.observationInfo.map { [$0.keyPath, $0.observer] } == [["title", "Reader"]])
        (account.balance, account.title) = (8, "blue")
        #expect(reader.log.take() == ["title →blue"])
    }

    @Test("B2 D1 Removing both keys in one call, the observer, or all: the list is a sentence", arguments: 0..<3)
    func removing(way: Int) {
        add([\.balance, \.title])
        switch way {
        case 0: account.removeObserver(reader, for: \.balance, \.title)
        case 1: for _ in 0..<2 { account.removeObserver(reader) }
        default: account.removeAllObservers()
        }
        #expect(account.observationDescription == "Nobody observes this Account.")
    }
}

@Suite("Story: XMSafeKVO")
struct XMSafeKVOStory {
    private let account = Account()
    private let reader = Reader()

    @Test("A16 Adding the same observer and key path replaces the old registration")
    func replacing() {
        let controller = KVOController(observer: reader, duplicates: .replace)
        for name in ["old", "new"] { controller.observe(account, \.title) { reader, _, _ in reader.log.add(name) } }
        account.title = "a"
        #expect(reader.log.take() == ["new"] && account.observationInfo.count == 1)
    }

    // #161
    @Test("D11 Observed for .old: a method that writes the stored value directly notifies no observer")
    func directWrite() {
        account.addObserver(reader, for: [\.balance], options: .old) { $0.log.add($2) }
        account.balance = 1
        account.setSilently()
        account.balance = 2
        #expect(reader.log.take() == ["0→·", "0→·"])
    }
}

@Suite("Story: XYObserver")
struct XYObserverStory {
    private let page = Warden()
    private let account = Account()
    private let other = Account()

    @Test("A9 A16 B3 The handler gets the source; removing a property of it, all of it, and everything")
    func removing() {
        for source in [account, other] {
            for name in ["first", "repeated"] {
                page.observe(source, \.balance) { $0.log.add($2, as: "\(name) \($1 === source)") }
            }
            page.observe(source, \.title) { page, _, _ in page.log.add("title") }
        }
        account.balance = 1
        page.stopObserving(account, \.balance)
        (account.balance, account.title) = (2, "a")
        page.stopObserving(account)
        (account.title, other.title) = ("b", "b")
        #expect(page.log.take() == ["repeated true 0→1", "title", "title"])
        page.stopObservingAll()
        #expect(account.observationInfo.isEmpty && other.observationInfo.isEmpty)
    }

    @Test("14.2 B4 Two sources with the same description are distinguished, and when the owner dies everything ends")
    func sameDescription() {
        var page: Warden? = Warden()
        #expect("\(account)" == "\(other)")
        for source in [account, other] { page?.observe(source, \.balance) { $0.log.add($2) } }
        page?.stopObserving(other)
        (account.balance, other.balance) = (2, 3)
        #expect(page?.log.take() == ["0→2"])
        page = nil
        #expect(account.observationInfo.isEmpty)
    }
}

private final class Account: KeyValueObservable, CustomStringConvertible {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var balance = 0
    @Observed var title = ""
    @Observed var limit = Frame()
    @Observed var parent: Account?
    var description: String { "account" }

    func setSilently() { _balance = Observed(wrappedValue: 0) }
}

private final class Reader: KeyValueObserver, KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var page = 0
    let log = Log()
    private(set) lazy var kvo = KVOController(observer: self)

    func observeValue(
        forKeyPath keyPath: AnyKeyPath, of object: AnyObject, change: KeyValueObservedChange<Any>,
        context: AnyHashable?
    ) {
        let name = keyPath == \Account.balance ? "balance" : "title"
        log.add("\(name) \(text(of: change)) \(context.map { "\($0)" } ?? "")")
    }
}
