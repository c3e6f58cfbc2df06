// The forms of a controller beside one key path: 1.7 with 10.1, 11, 16.3 and 16.4.
import KeyValueObserving
import TestSupport
import Testing

private final class Item: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    let name: String
    @Observed var price = 0

    init(_ name: String) { self.name = name }
}

private final class Cart: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var items: [Item] = []
    @Observed var offers: [Item]?
    @Observed var title = ""
    var total: Int { items.map(\.price).reduce(0, +) }
}

@Suite("1.7 A controller observes each element, any property and lists of key paths")
struct ControllerFormsTests {
    private let cart = Cart()
    private let pen = Item("pen")
    private let ink = Item("ink")
    private let log = Log()
    private let controller: KVOController<Log>

    init() {
        controller = KVOController(observer: log)
        cart.items = [pen]
    }

    private func observeEach(_ options: KeyValueObservingOptions = [.old, .new]) {
        controller.observe(cart, eachOf: \.items, \.price, options: options) { log, _, item, change in
            log.add("\(item.name) \(text(of: change))")
        } arrival: { log, _, item in
            log.add("+\(item.name)")
        } departure: { log, _, item in
            log.add("-\(item.name)")
        }
    }

    @Test("16.4 Objects of a collection arrive, change and leave, with the observer")
    func eachElement() {
        observeEach([.initial, .new])
        #expect(log.take() == ["+pen", "pen ·→0"])
        cart.mutable(\.items).append(ink)
        ink.price = 2
        cart.items = [ink]
        pen.price = 1
        #expect(log.take() == ["+ink", "ink ·→0", "ink ·→2", "-pen"])
        #expect(pen.observationInfo.isEmpty)
        #expect(ink.observationInfo.map(\.observer) == ["Log"])
    }

    @Test("16.4 The collection may be nil")
    func optionalCollection() {
        controller.observe(cart, eachOf: \.offers, \.price, options: .new) { log, _, item, change in
            log.add("\(item.name) \(text(of: change))")
        }
        cart.offers = [ink]
        ink.price = 1
        cart.offers = nil
        ink.price = 2
        #expect(log.take() == ["ink ·→1"])
    }

    @Test("16.4 unobserve of the object, or of the collection's key path, ends it", arguments: [false, true])
    func unobserveEach(byKeyPath: Bool) {
        observeEach()
        #expect(log.take() == ["+pen"])
        if byKeyPath { controller.unobserve(cart, \.items) } else { controller.unobserve(cart) }
        pen.price = 1
        cart.items = []
        #expect(log.take() == [])
        #expect(cart.observationInfo.isEmpty && pen.observationInfo.isEmpty)
    }

    @Test("16.4 An arrival may end it")
    func endedInArrival() {
        controller.observe(cart, eachOf: \.items, \.price) { _, _, _, _ in
        } arrival: { [controller] log, cart, item in
            log.add("+\(item.name)")
            controller.unobserve(cart, \.items)
        }
        #expect(log.take() == ["+pen"])
        #expect(cart.observationInfo.isEmpty && pen.observationInfo.isEmpty)
    }

    @Test("16.4 The same call from the same line counts once; the collection itself is no duplicate")
    func duplicatesOfEach() {
        let controller = KVOController(observer: log, duplicates: .ignore)
        for _ in 0..<2 {
            controller.observe(cart, eachOf: \.items, \.price) { log, _, item, _ in log.add(item.name) }
        }
        controller.observe(cart, \.items) { log, _, _ in log.add("items") }
        pen.price = 1
        cart.items = [pen]
        #expect(log.take() == ["pen", "items"])
    }

    @Test("1.7 16.4 With the observer, the controller or the object it ends")
    func lifetimeOfEach() {
        var observer: Log? = Log()
        let other = KVOController(observer: observer!)
        other.observe(cart, eachOf: \.items, \.price) { [log] _, _, item, _ in log.add(item.name) }
        observer = nil
        pen.price = 1
        #expect(log.take() == [])
        #expect(cart.observationInfo.isEmpty && pen.observationInfo.isEmpty)

        var third: KVOController<Log>? = KVOController(observer: log)
        third?.observe(cart, eachOf: \.items, \.price) { log, _, item, _ in log.add(item.name) }
        third = nil
        pen.price = 2
        #expect(log.take() == [])
        #expect(cart.observationInfo.isEmpty)

        weak var observed: Cart?
        do {
            let cart = Cart()
            observed = cart
            cart.items = [pen]
            controller.observe(cart, eachOf: \.items, \.price) { log, _, item, _ in log.add(item.name) }
        }
        #expect(observed != nil)
        controller.unobserveAll()
        #expect(observed == nil)
    }

    @Test("16.3 Any property of an object, until unobserve of the object")
    func anyProperty() {
        for _ in 0..<2 {
            controller.observeAnyProperty(of: cart) { log, _, keyPath in
                log.add(keyPath == \Cart.title ? "title" : "items")
            }
        }
        cart.title = "a"
        cart.items = []
        #expect(log.take() == ["title", "items"])
        controller.unobserve(cart)
        cart.title = "b"
        #expect(log.take() == [])
        #expect(cart.observationInfo.isEmpty)
    }

    @Test("1.7 Any property: with the observer's death nothing is called")
    func anyPropertyWithoutObserver() {
        var observer: Log? = Log()
        let other = KVOController(observer: observer!)
        other.observeAnyProperty(of: cart) { [log] _, _, _ in log.add("called") }
        observer = nil
        cart.title = "a"
        #expect(log.take() == [])
        #expect(cart.observationInfo.isEmpty)
    }

    @Test("10.1 A list of key paths: one handler, each a registration of its own, twice counts once")
    func list() {
        let keyPaths: [PartialKeyPath<Cart>] = [\.title, \.total, \.title, \.total]
        controller.observe(cart, keyPaths: keyPaths, options: .new) { log, _, change in log.add(change) }
        cart.title = "a"
        pen.price = 3
        #expect(log.take() == ["·→a", "·→3"])
        controller.unobserve(cart, \.title)
        cart.title = "b"
        pen.price = 4
        #expect(log.take() == ["·→4"])
    }

    @Test("10.1 Twice counts once with .allow, too, and with the several key paths of a call")
    func listOfAllowed() {
        let controller = KVOController(observer: log, duplicates: .allow)
        controller.observe(cart, keyPaths: [\.title, \.total, \.title, \.total], options: .new) { log, _, change in
            log.add(change)
        }
        cart.title = "a"
        pen.price = 3
        #expect(log.take() == ["·→a", "·→3"])
    }

    @Test("10.1 An empty list traps with a sentence")
    func emptyList() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let log = Log()
            KVOController(observer: log).observe(Cart(), keyPaths: []) { _, _, _ in }
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("Cart cannot be observed at no key path: the list is empty"))
    }
}
