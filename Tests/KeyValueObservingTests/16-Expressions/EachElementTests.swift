// A property of each object in a collection: 16.4.
import KeyValueObserving
import TestSupport
import Testing

private final class Item: KeyValueObservable, Hashable {
    let keyValueRegistrar = KeyValueRegistrar()
    let name: String
    @Observed var price = 0
    var plain = 0

    init(_ name: String) { self.name = name }

    static func == (left: Item, right: Item) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}

private final class Cart: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var items: [Item] = []
    @Observed var next: Cart?
}

private final class Stock: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var items: [String: Item] = [:]
    @Observed var others: [String: Item]?
}

private final class Rack: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var places: Set<Place> = []
}

@Suite("16.4 Each object in a collection")
struct EachElementTests {
    private let kept = Kept()
    private let cart = Cart()
    private let pen = Item("pen")
    private let ink = Item("ink")
    private let cap = Item("cap")
    private let log = Log()

    private func observe(
        _ options: KeyValueObservingOptions = [.old, .new], arriving: ((Cart, Item) -> Void)? = nil
    ) -> KeyValueObservation {
        cart.observe(eachOf: \.items, \.price, options: options) { [log] _, item, change in
            log.add(change, as: item.name)
        } arrival: { [log] cart, item in
            log.add("+\(item.name)")
            arriving?(cart, item)
        } departure: { [log] _, item in
            log.add("-\(item.name)")
        }
    }

    @Test(
        "16.4 Values of a dictionary are observed from their arrival until they have left, here and with a controller")
    func dictionaryValues() {
        let (stock, controller) = (Stock(), KVOController(observer: log))
        stock.items = ["p": pen]
        stock.observe(eachOf: \.items, \.price) { [log] _, item, change in
            log.add(change, as: item.name)
        } arrival: { [log] _, item in
            log.add("+\(item.name)")
        } departure: { [log] _, item in
            log.add("-\(item.name)")
        }.store(in: kept)
        controller.observe(stock, eachOf: \.others, \.price) { log, _, item, change in
            log.add(change, as: "other \(item.name)")
        }
        stock.mutable(\.items)["i"] = ink
        ink.price = 1
        stock.mutable(\.items)["p"] = cap
        (pen.price, cap.price) = (2, 3)
        stock.items["i"] = nil
        #expect(log.take() == ["+pen", "+ink", "ink 0→1", "-pen", "+cap", "cap 0→3", "-ink"])
        stock.others = ["p": pen]
        pen.price = 4
        stock.others = nil
        pen.price = 5
        #expect(log.take() == ["other pen 2→4"])
    }

    @Test("1.7 16.4 With a token that is stored in a controller, objects are observed as long as its observer lives")
    func stored() {
        var observer: Item? = Item("observer")
        let controller = KVOController(observer: observer!)
        cart.items = [pen]
        observe().store(in: controller)
        cart.items.append(ink)
        ink.price = 2
        #expect(log.take() == ["+pen", "+ink", "ink 0→2"])
        observer = nil
        ink.price = 3
        cart.items.removeLast()
        #expect(log.take() == [] && ink.observationInfo.isEmpty && cart.observationInfo.isEmpty)
    }

    @Test("16.4 Changes of each object are delivered from its arrival until it has left")
    func comingAndGoing() {
        cart.items = [pen]
        observe().store(in: kept)
        #expect(log.take() == ["+pen"])
        cart.mutable(\.items).append(ink)
        cart.items.append(cap)
        #expect(log.take() == ["+ink", "+cap"])
        ink.price = 7
        pen.price = 1
        #expect(log.take() == ["ink 0→7", "pen 0→1"])
        cart.mutable(\.items).remove(at: 0)
        pen.price = 2
        #expect(log.take() == ["-pen"] && pen.observationInfo.isEmpty)
        cart.items = [pen, cap]
        #expect(log.take() == ["-ink", "+pen"] && ink.observationInfo.isEmpty)
    }

    @Test("16.4 An object that is there twice is observed once, until its last occurrence has left")
    func twice() {
        cart.items = [pen, pen]
        observe().store(in: kept)
        pen.price = 1
        #expect(log.take() == ["+pen", "pen 0→1"] && pen.observationInfo.count == 1)
        cart.mutable(\.items).remove(at: 0)
        pen.price = 2
        #expect(log.take() == ["pen 1→2"])
        cart.mutable(\.items).append(pen)
        cart.items = [pen]
        pen.price = 3
        #expect(log.take() == ["pen 2→3"])
        cart.mutable(\.items).removeAll()
        pen.price = 4
        #expect(log.take() == ["-pen"])
    }

    @Test("16.4 Moves and replacements by the same objects register none again")
    func moves() {
        cart.items = [pen, ink]
        observe().store(in: kept)
        ink.price = 1
        let delivered = ink.observationInfo.map(\.deliveredCount)
        _ = log.take()
        cart.mutable(\.items).reverse()
        cart.items.reverse()
        cart.items = [pen, ink]
        cart.mutable(\.items)[0] = pen
        #expect(log.take() == [] && ink.observationInfo.map(\.deliveredCount) == delivered)
        cart.mutable(\.items)[0] = cap
        #expect(log.take() == ["-pen", "+cap"])
    }

    @Test("16.4 Objects are distinguished by identity, even if they are equal, also in a set")
    func sets() {
        let shelf = Rack()
        let (oslo, rome) = (Place("Oslo"), Place("Rome"))
        shelf.observe(eachOf: \.places, \.rooms, options: .new) { [log] _, place, change in
            log.add(change, as: place.city)
        }.store(in: kept)
        shelf.mutable(\.places).formUnion([oslo, rome])
        oslo.rooms = 1
        rome.rooms = 2
        #expect(log.take() == ["Oslo ·→1", "Rome ·→2"])
        shelf.mutable(\.places).subtract([oslo])
        oslo.rooms = 3
        #expect(log.take() == [] && oslo.observationInfo.isEmpty)
    }

    @Test("16.4 3.4 Objects that come while handlers run come in order, each before its changes")
    func nested() {
        observe(arriving: { [pen, ink, cap] cart, item in
            guard item === pen else { return }
            ink.price = 5
            cart.items.append(cap)
            cap.price = 6
        }).store(in: kept)
        cart.items = [pen, ink]
        #expect(log.take() == ["+pen", "+ink", "+cap", "cap 0→6"])
    }

    @Test("16.4 6.2 At the end of a path the objects of the new target take the place of those of the old one")
    func path() {
        let other = Cart()
        other.items = [ink, pen]
        cart.observe(eachOf: \.next?.items, \.price, options: .new) { [log] _, item, change in
            log.add(change, as: item.name)
        } arrival: { [log] _, item in
            log.add("+\(item.name)")
        } departure: { [log] _, item in
            log.add("-\(item.name)")
        }.store(in: kept)
        #expect(log.take() == [])
        cart.next = other
        other.mutable(\.items).append(cap)
        #expect(log.take() == ["+ink", "+pen", "+cap"])
        cart.next = Cart()
        ink.price = 1
        #expect(log.take() == ["-ink", "-pen", "-cap"])
    }

    @Test("16.4 10.2 In a transaction objects come and go when it ends, once, and not if they go and come back")
    func transaction() {
        cart.items = [pen]
        observe().store(in: kept)
        _ = log.take()
        let items = cart.mutable(\.items)
        withKeyValueTransaction {
            items.append(ink)
            items.remove(at: 0)
            items.append(pen)
            items.remove(at: 0)
            items.append(cap)
            cap.price = 1
            #expect(log.take() == [])
        }
        pen.price = 1
        #expect(log.take() == ["+cap", "pen 0→1"])
        withKeyValueTransaction {
            cart.items = [pen]
            cart.items = [ink, cap]
        }
        cap.price = 2
        #expect(log.take() == ["-pen", "+ink", "cap 1→2"])
    }

    @Test("10.2 16.4 In a transaction, elements are appended without a copy of the others, whoever gets the whole")
    func copies() {
        cart.items = (0..<10).map { Item("\($0)") }
        var wholes: [Int] = []
        [
            observe(), cart.onChange(of: \.items) { wholes.append($1.count) },
            cart.observe(\.items, options: [.old, .new, .distinct]) { _, _ in },
            cart.onChange(reading: { $0.items.count }) { wholes.append($1) },
        ].store(in: kept)
        var places: Set<UInt> = []
        withKeyValueTransaction {
            for _ in 0..<100 {
                cart.mutable(\.items).append(ink)
                places.insert(unsafe cart.items.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) })
            }
        }
        // The array grows a few times, and the first append copies the last delivered value.
        #expect(places.count <= 8 && wholes == [110, 110])
    }

    @Test(
        "16.4 1.4 What cannot be observed of an object traps when the first one arrives",
        .enabled(if: hasReflectionMetadata))
    func unobservable() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let cart = Cart()
            let token = cart.observe(eachOf: \.items, \.plain) { _, _, _ in }
            cart.items = [Item("pen")]
            withExtendedLifetime(token) {}
        }
        #expect(words("Item", "plain", "@Observed", missingIn: message(of: result)) == [])
    }

    @Test("16.4 Whatever is done with an array, exactly its objects are observed, once each")
    func random() {
        let items = (0..<4).map { Item("\($0)") }
        var generator = SplitMix(state: 7)
        var present: [String] = []
        cart.observe(eachOf: \.items, \.price) { _, _, _ in
        } arrival: { _, item in
            present.append(item.name)
        } departure: { _, item in
            present.removeAll { $0 == item.name }
        }.store(in: kept)
        for step in 0..<2_000 {
            let view = cart.mutable(\.items)
            let item = items[Int.random(in: 0..<4, using: &generator)]
            let place = Int.random(in: 0...cart.items.count, using: &generator)
            switch Int.random(in: 0..<7, using: &generator) {
            case 0, 1: view.insert(item, at: place)
            case 2 where place > 0: view.remove(at: place - 1)
            case 3 where place > 0: view[place - 1] = item
            case 4: view.reverse()
            case 5 where cart.items.count > 8: cart.items = [item, item]
            case 6: view.replaceSubrange(0..<min(2, place), with: [item])
            default: cart.items.append(item)
            }
            let expected = Set(cart.items.map(\.name))
            guard Set(present) == expected, present.count == expected.count,
                items.allSatisfy({ $0.observationInfo.count == (expected.contains($0.name) ? 1 : 0) })
            else {
                Issue.record("step \(step): \(present) instead of \(expected)")
                return
            }
        }
    }
}
