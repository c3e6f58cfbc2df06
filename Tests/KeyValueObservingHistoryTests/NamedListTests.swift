// Saving and replaying lists of objects, which have names: 18.3.
import Foundation
import KeyValueObserving
import KeyValueObservingHistory
import TestSupport
import Testing

@Suite("18.3 D20 Saving and replaying lists of objects")
struct NamedListTests {
    private class Cart: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var items: [Item] = []
        @Observed var picked: Set<Item> = []
        @Observed var count = 0
        @Observed var marks: Set<Int> = []
        @Observed var sizes: [String: Int] = [:]

        init(_ names: String = "") { items = names.map { Item("\($0)") } }

        /// `a3 b1 picked a 2 m1 k5`.
        var picture: String {
            (items.map { "\($0.id)\($0.quantity)\($0.tags.joined())" } + picked.map { "picked \($0.id)" }.sorted()
                + (count == 0 ? [] : ["\(count)"]) + marks.map { "m\($0)" }.sorted()
                + sizes.map { "\($0.key)\($0.value)" }.sorted())
                .joined(separator: " ")
        }
    }

    private final class Item: KeyValueObservable, Codable, Hashable {
        let keyValueRegistrar = KeyValueRegistrar()
        let id: String
        @Observed var quantity = 1
        @Observed var tags: [String] = []
        private enum CodingKeys: CodingKey { case id, quantity, tags }

        init(_ id: String) { self.id = id }
        static func == (left: Item, right: Item) -> Bool { left === right }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    private func manager(of cart: Cart) -> KeyValueUndoManager {
        let manager = KeyValueUndoManager()
        manager.track(cart, \.count, \.marks, \.sizes, named: "cart")
        manager.track(cart, eachOf: \.items, \.quantity, \.tags, named: \.id)
        manager.track(cart, eachOf: \.picked, \.quantity, named: \.id)
        return manager
    }

    @Test("18.3 Lists of objects with names are saved and replayed, undone and redone there, and replayed from there")
    func replay() throws {
        let carts = (0..<3).map { _ in Cart("a") }
        let managers = carts.map(self.manager(of:))
        let (cart, manager) = (carts[0], managers[0])
        manager.group {
            // The values of new objects are those of the end.
            cart.mutable(\.items).append(Item("b"))
            cart.items[1].quantity = 2
            cart.items.swapAt(0, 1)
        }
        withKeyValueTransaction {
            cart.picked = [Item("c")]
            cart.items += Array(cart.picked)
            cart.items[2].quantity = 5
        }
        manager.group {
            cart.mutable(\.items).append(Item("d"))
            cart.mutable(\.items).removeLast()
            cart.items[0].quantity = 6
        }
        cart.picked = []
        for _ in 0..<2 { try manager.undo() }
        for (from, to) in [(0, 1), (1, 2)] { try managers[to].replay(managers[from].save()) }
        #expect(carts.allSatisfy { $0.picture == cart.picture } && managers.allSatisfy(\.canRedo))
        for _ in 0..<2 {
            for (cart, manager) in zip(carts, managers) {
                _ = try undoAll(manager)
                #expect(cart.picture == "a1")
                try redoAll(manager)
                #expect(cart.picture == "b6 a1 c5")
            }
        }
        // What is replayed is tracked.
        managers[1].removeAllActions()
        carts[1].items[0].quantity += 1
        #expect(managers[1].canUndo)
    }

    @Test("2.7 18.3 Steps are replayed in a process that has seen none of the objects they make")
    func replayElsewhere() async throws {
        let cart = Cart()
        let manager = manager(of: cart)
        cart.mutable(\.items).append(Item("b"))
        cart.items[0].quantity = 4
        let steps = try String(decoding: manager.save(), as: UTF8.self)
        await #expect(processExitsWith: .success) { [steps = steps as String] in
            let cart = Cart()
            let manager = NamedListTests().manager(of: cart)
            try manager.replay(Data(steps.utf8))
            #expect(cart.picture == "b4")
        }
    }

    @Test("18.3 A new object is saved with what it encodes, others by their names", .enabled(if: hasReflectionMetadata))
    func format() throws {
        let cart = Cart("a")
        let manager = manager(of: cart)
        cart.mutable(\.items).append(Item("b"))
        let entry = #""name":"items","object":"cart""#
        let text = try String(decoding: manager.save(), as: UTF8.self)
        for part in [
            #"{"elements":[{"element":"a",\#(entry),"value":{"id":"a","quantity":1,"tags":[]}},{"element":"b",\#(entry),"#,
            #"{\#(entry),"value":["a","b"]}"#, #"{"name":"quantity","object":"b","value":1}"#,
            #""changes":[{"kind":"insertion","new":["b"],"positions":[1]}],"count":2,\#(entry)}]}],"version":2}"#,
        ] { #expect(text.contains(part), "\(part) in \(text)") }
    }

    @Test("18.3 Replay finds objects that have their names already, and leaves none behind when it fails")
    func names() throws {
        let cart = Cart()
        let manager = manager(of: cart)
        let new = Item("a")
        cart.mutable(\.items).append(new)
        new.quantity = 2
        let data = try manager.save()
        _ = try undoAll(manager)
        try manager.replay(data)
        #expect(cart.items.first === new && new.quantity == 2)
        let other = Cart("x")
        let failing = self.manager(of: other)
        #expect(refusal { try failing.replay(data) } == .unexpectedValue)
        other.items = []
        failing.removeAllActions()
        try failing.replay(data)
        #expect(other.picture == "a2" && other.items[0] !== new)
    }

    @Test(
        "18.3 save() refuses new objects that could not be made, and names the property and the type",
        .enabled(if: hasReflectionMetadata))
    func notMade() throws {
        class Thing: KeyValueObservable {
            let keyValueRegistrar = KeyValueRegistrar()
            let name: String
            @Observed var size = 0
            init(_ name: String) { self.name = name }
        }
        final class Box: KeyValueObservable {
            let keyValueRegistrar = KeyValueRegistrar()
            @Observed var things: [Thing] = []
            @Observed var forgetful: [Forgetful] = []
        }
        func fixture() -> (Box, KeyValueUndoManager) {
            let (box, manager) = (Box(), KeyValueUndoManager())
            box.things = [Thing("a"), Thing("b")]
            manager.track(box, named: "box")
            manager.track(box, eachOf: \.things, \.size, named: \.name)
            manager.track(box, eachOf: \.forgetful, \.size, named: \.name)
            return (box, manager)
        }
        func error(_ manager: KeyValueUndoManager) -> KeyValueUndoError? { thrownError { _ = try manager.save() } }
        let (box, manager) = fixture()
        // Objects that are there at the beginning need not be made.
        let first = box.things[0]
        first.size = 1
        box.mutable(\.things).remove(at: 0)
        box.mutable(\.things).append(first)
        let (copy, other) = fixture()
        try other.replay(manager.save())
        #expect(copy.things.map(\.name) == ["b", "a"] && copy.things[1].size == 1)
        // Nor one that the program tracks by itself.
        let own = (Thing("own"), Thing("own"))
        manager.track(own.0, \.size, named: "own")
        other.track(own.1, \.size, named: "own")
        manager.removeAllActions()
        box.mutable(\.things).append(own.0)
        try other.replay(manager.save())
        #expect(copy.things.last === own.1)
        box.mutable(\.things).append(Thing("new"))
        #expect(error(manager)?.code == .notCodable)
        #expect(
            error(manager)?.description == """
                things of Box cannot be saved: Thing is not Codable, so a new one could not be made. Make Thing Codable, so \
                that what is read back is equal, or do not track the property with this manager.
                """)
        box.mutable(\.things).removeLast()
        manager.removeAllActions()
        box.forgetful = [Forgetful(), Forgetful()]
        #expect(error(manager)?.code == .unnamedElement && error(manager)?.key == "forgetful")
        #expect(
            error(manager)?.description == """
                forgetful of Box cannot be saved: a Forgetful has no name, or that of another object. Keep objects in a list \
                that you track with track(_:eachOf:_:named:), or do not track the property with this manager.
                """)
        box.forgetful = []
        manager.removeAllActions()
        box.forgetful.append(Forgetful())
        #expect(error(manager) == nil)
        box.forgetful[0].size = 1
        try other.restore(manager.save())
        #expect(copy.forgetful[0].size == 1, "a tracked property need not be encoded")
        box.forgetful = []
        box.forgetful.append(Forgetful.More())
        #expect(error(manager)?.found == "a new More would be made as a Forgetful")
    }

    /// Encodes too little.
    private class Forgetful: KeyValueObservable, Codable {
        final class More: Forgetful {}

        let keyValueRegistrar = KeyValueRegistrar()
        var name: String { "forgetful" }
        @Observed var size = 0
        private enum CodingKeys: CodingKey {}

        init() {}
        required init(from _: any Decoder) {}
    }

    @Test(
        "18.3 A list of objects without names is refused, though they are Codable, and its sentence says what helps",
        .enabled(if: hasReflectionMetadata))
    func unnamed() throws {
        let (cart, manager) = (Cart(), KeyValueUndoManager())
        manager.track(cart, \.items, named: "cart")
        manager.track(cart, eachOf: \.items, \.quantity)
        cart.mutable(\.items).append(Item("a"))
        cart.items[0].quantity = 3
        let error = thrownError { _ = try manager.save() }
        #expect(error?.code == .unnamedElement && error?.objectType == "Cart" && error?.key == "items")
        #expect(error?.description.contains("track(_:eachOf:_:named:)") == true)
        manager.track(cart, eachOf: \.items, \.quantity, named: \.id)
        let copy = Cart()
        try self.manager(of: copy).replay(manager.save())
        #expect(copy.picture == "a3")
    }

    @Test("18.3 A new object that was changed while it was away is refused, for replay could not lead it back")
    func changedAway() throws {
        let (cart, item) = (Cart(), Item("a"))
        let manager = manager(of: cart)
        cart.mutable(\.items).append(item)
        item.quantity = 2
        cart.items = []
        #expect(refusal { _ = try manager.save() } == nil)
        item.quantity = 9
        #expect(refusal { _ = try manager.save() } == .unexpectedValue)
        item.quantity = 2
        let copy = Cart()
        let other = self.manager(of: copy)
        try other.replay(manager.save())
        try other.undo()
        #expect(copy.picture == "a2")
    }

    @Test("18.3 An object that comes when another one with its name is gone takes the name")
    func nameIsFree() throws {
        let cart = Cart("a")
        let manager = manager(of: cart)
        cart.items[0] = Item("a")
        #expect(refusal { _ = try manager.save() } == .unnamedElement)
        manager.removeAllActions()
        cart.items[0].quantity = 2
        let copy = Cart("a")
        try self.manager(of: copy).replay(manager.save())
        #expect(copy.picture == "a2")
    }

    @Test("18.3 Saved data that names other objects is refused")
    func misfits() throws {
        let (cart, copy) = (Cart(), Cart())
        let (first, second) = (manager(of: cart), manager(of: copy))
        cart.mutable(\.items).append(Item("a"))
        let text = try String(decoding: first.save(), as: UTF8.self)
        func code(_ old: String, _ new: String) -> KeyValueUndoError.Code? {
            refusal { try second.replay(Data(text.replacingOccurrences(of: old, with: new).utf8)) }
        }
        #expect(code(#""new":["a"]"#, #""new":["b"]"#) == .unknownObject)
        #expect(code(#""new":["a"]"#, #""new":["cart"]"#) == .typeMismatch)
        #expect(code(#""new":["a"]"#, #""new":[{"id":"a"}]"#) == .typeMismatch)
        #expect(code(#"{"id":"a","quantity":1,"tags":[]}"#, "7") == .invalidData)
        #expect(code(#""object":"cart""#, #""object":"a""#) == .unknownObject)
        #expect(copy.items.isEmpty && !second.canUndo)
    }

    @Test(
        "18.1 18.3 Undo and redo lead to the states that were there, here, restored, and replayed",
        .enabled(if: hasReflectionMetadata), arguments: 0..<80)
    func program(seed: Int) throws {
        var state = UInt64(seed) &+ 1
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        let (cart, kept) = (Cart("ab"), Kept())
        let manager = manager(of: cart)
        let levels = seed % 3 == 0 ? 5 : 0
        manager.levelsOfUndo = levels
        // It comes to the same result however often it runs.
        cart.observe(\.marks) { cart, _ in
            let sizes = Dictionary(uniqueKeysWithValues: cart.marks.map { ("s\($0)", $0) })
            if seed % 2 == 1, cart.sizes != sizes { cart.sizes = sizes }
        }.store(in: kept)
        /// The state after each step, the present one, and the first that can be reached.
        var (pictures, index, oldest) = ([cart.picture], 0, 0)
        var number = 0
        func change() {
            let (items, count) = (cart.mutable(\.items), cart.items.count)
            switch random(13) {
            case 0, 1:
                number += 1
                items.insert(Item("n\(number)-"), at: random(count + 1))
            case 2 where count > 0: items.remove(at: random(count))
            case 3 where count > 0: cart.items[random(count)].quantity += 1
            case 4 where count > 0: cart.items[random(count)].mutable(\.tags).append("\(random(3))")
            case 5 where count > 0: items.moveSubranges(RangeSet([0..<1]), to: count)
            case 6 where count > 0: cart.mutable(\.picked).formSymmetricDifference([cart.items[random(count)]])
            case 7 where count > 1: cart.items = cart.items.reversed().dropLast(random(2))
            case 8: cart.count = random(4)
            case 9: cart.mutable(\.marks).formSymmetricDifference([random(5), random(5)])
            case 10: cart.marks.formSymmetricDifference([random(5)])
            case 11 where seed % 2 == 0: cart.mutable(\.sizes)["\(random(3))"] = random(4) + 1
            // Like others, it may change nothing.
            case 12 where count > 0: cart.items[random(count)].mutable(\.tags).removeAll { $0 < "1" }
            default: break
            }
        }
        for step in 0..<60 {
            switch random(10) {
            case 0, 1:
                try manager.undo()
                index = max(oldest, index - 1)
            case 2:
                try manager.redo()
                index = min(pictures.count - 1, index + 1)
            case let kind:
                let several = { for _ in 0...random(4) { change() } }
                if kind == 3 {
                    manager.group {
                        several()
                        withKeyValueTransaction { several() }
                    }
                } else if kind == 4 {
                    withKeyValueTransaction { several() }
                } else {
                    change()
                }
                guard cart.picture != pictures[index] else { break }
                pictures.removeSubrange((index + 1)...)
                pictures.append(cart.picture)
                index += 1
                if levels > 0 { oldest = max(oldest, index - levels) }
            }
            try #require(cart.picture == pictures[index], "seed \(seed), step \(step)")
            #expect(manager.canUndo == (index > oldest), "seed \(seed), step \(step)")
            #expect(manager.canRedo == (index + 1 < pictures.count), "seed \(seed), step \(step)")
        }
        let empty = Cart()
        var ends = [(cart, manager), (empty, self.manager(of: empty))]
        try ends[1].1.restore(manager.save())
        if levels == 0 {
            let copy = Cart("ab")
            ends.append((copy, self.manager(of: copy)))
            try ends[2].1.replay(manager.save())
        }
        for (cart, manager) in ends {
            #expect(cart.picture == pictures[index], "seed \(seed)")
            try redoAll(manager)
            #expect(cart.picture == pictures.last, "seed \(seed)")
            _ = try undoAll(manager)
            #expect(cart.picture == pictures[oldest], "seed \(seed)")
        }
    }
}
