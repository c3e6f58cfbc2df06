// Bringing back the state with its steps, in this process and in another one: 18.3.
import Foundation
import KeyValueObserving
import KeyValueObservingHistory
import TestSupport
import Testing

@Suite("18.3 D20 Restoring the state and its steps")
struct RestoringTests {
    private final class Deck: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var title = ""
        @Observed var cards: [Card] = []
        @Observed var marked: Set<Card> = []
        @Observed var tags: Set<String> = []
        @Observed var sizes: [String: Int] = [:]
        @Observed var numbers: [Int] = []
        @Observed var note: String?
        var half: Int {
            get { (numbers.first ?? 0) / 2 }
            set { numbers = [newValue * 2] }
        }

        /// `title (text1 text2!) a k1 [1]`.
        var picture: String {
            let cards = cards.map { "\($0.text)\($0.count)" + (marked.contains($0) ? "!" : "") }
            let parts: [String?] = [
                title, "(\(cards.joined(separator: " ")))", tags.sorted().joined(),
                sizes.sorted { $0.key < $1.key }.map { "\($0.key)\($0.value)" }.joined(), "\(numbers)", note,
            ]
            return parts.compactMap(\.self).joined(separator: " ")
        }
    }

    private final class Card: KeyValueObservable, Codable, Hashable {
        let keyValueRegistrar = KeyValueRegistrar()
        let id: UUID
        @Observed var text: String
        @Observed var count = 0
        private enum CodingKeys: CodingKey { case id, text }

        init(_ text: String) {
            id = UUID()
            self.text = text
        }

        static func == (left: Card, right: Card) -> Bool { left === right }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    /// A deck and its manager, as each process makes them.
    private static func make(limit: Int = 0) -> (Deck, KeyValueUndoManager) {
        let (deck, manager) = (Deck(), KeyValueUndoManager(levelsOfUndo: limit))
        manager.track(deck, \.title, \.tags, \.sizes, \.numbers, \.note, named: "deck")
        manager.track(deck, eachOf: \.cards, \.text, \.count, named: \.id)
        manager.track(deck, eachOf: \.marked, \.text, named: \.id)
        return (deck, manager)
    }

    /// Each kind of step.
    enum Kind: Int, CaseIterable, Codable {
        case setting, insertion, removal, replacement, move, ofSet, ofDictionary, ofElement, newElement, `nil`, group
        case transaction, redo, undone
    }

    /// Makes a step of one kind, after others.
    private static func change(_ deck: Deck, _ manager: KeyValueUndoManager, _ kind: Kind) throws {
        deck.mutable(\.cards).append(contentsOf: [Card("a"), Card("b")])
        deck.mutable(\.numbers).append(contentsOf: [1, 2, 3])
        deck.note = "note"
        switch kind {
        case .setting: deck.title = "t"
        case .insertion: deck.mutable(\.cards).insert(Card("c"), at: 1)
        case .removal: deck.mutable(\.cards).remove(at: 0)
        case .replacement: deck.mutable(\.numbers)[1] = 7
        case .move: deck.mutable(\.cards).moveSubranges(RangeSet([0..<1]), to: 2)
        case .ofSet:
            deck.mutable(\.tags).formUnion(["x", "y"])
            deck.marked = [deck.cards[1]]
        case .ofDictionary: deck.mutable(\.sizes)["k"] = 1
        case .ofElement: deck.cards[1].text = "B"
        case .newElement:
            deck.mutable(\.cards).append(Card("d"))
            deck.cards[2].count = 4
        case .nil: deck.note = nil
        case .group:
            manager.group(named: "Paste") {
                deck.mutable(\.cards).append(Card("e"))
                deck.cards[2].text = "E"
                deck.mutable(\.cards).removeFirst()
            }
        case .transaction:
            withKeyValueTransaction {
                deck.mutable(\.numbers).append(4)
                deck.mutable(\.numbers).removeFirst()
                deck.cards = deck.cards.reversed()
            }
        case .redo, .undone:
            deck.cards[0].text = "A"
            deck.mutable(\.cards).remove(at: 0)
            for _ in 0..<(kind == .redo ? 2 : 5) { try manager.undo() }
        }
    }

    /// The states that undo leads through, then those of redo, with the names of the steps.
    private static func pictures(_ deck: Deck, _ manager: KeyValueUndoManager) throws -> [String] {
        var pictures = [deck.picture]
        while let name = manager.canUndo ? manager.undoActionName ?? "" : nil, try manager.undo() {
            pictures.append(name + deck.picture)
        }
        while let name = manager.canRedo ? manager.redoActionName ?? "" : nil, try manager.redo() {
            pictures.append(name + deck.picture)
        }
        return pictures
    }

    @Test(
        "2.7 18.3 State and steps come back in a process that has seen none of the objects, and steps are replayed there",
        arguments: Kind.allCases)
    func inAnotherProcess(kind: Kind) async throws {
        let (deck, manager) = Self.make()
        try Self.change(deck, manager, kind)
        let saved = try String(decoding: manager.save(), as: UTF8.self)
        let steps = try String(decoding: manager.saveSteps(), as: UTF8.self)
        let pictures = try Self.pictures(deck, manager)
        #expect(Set(pictures).count > 1)
        await #expect(processExitsWith: .success) { [saved = saved as String, pictures = pictures as [String]] in
            let (deck, manager) = Self.make()
            try manager.restore(Data(saved.utf8))
            #expect(try Self.pictures(deck, manager) == pictures)
        }
        for data in [saved, steps] {
            await #expect(processExitsWith: .success) { [data = data as String, pictures = pictures as [String]] in
                let (deck, manager) = Self.make()
                try manager.replay(Data(data.utf8))
                #expect(try Self.pictures(deck, manager) == pictures)
            }
        }
    }

    @Test("18.3 The state comes back however many steps a limit has dropped, and so do the steps that are left")
    func limit() throws {
        let (deck, manager) = Self.make(limit: 2)
        for number in 0..<10 { deck.mutable(\.cards).append(Card("\(number)")) }
        for number in 0..<10 where number % 2 == 0 { deck.cards[number].text += "!" }
        try manager.undo()
        let data = try manager.save()
        let pictures = try Self.pictures(deck, manager)
        #expect(pictures.count == 4)
        let (copy, other) = Self.make()
        try other.restore(data)
        #expect(try Self.pictures(copy, other) == pictures)
        let (empty, third) = Self.make()
        #expect(refusal { try third.replay(data) } == .unknownObject, "the steps before them are missing")
        #expect(empty.cards.isEmpty)
    }

    @Test(
        "18.3 The steps alone have the size of what they change, and are replayed where a model follows",
        .enabled(if: hasReflectionMetadata))
    func following() throws {
        let ((deck, manager), (copy, other)) = (Self.make(), Self.make())
        func send() throws -> Int {
            let data = try manager.saveSteps()
            manager.removeAllActions()
            try other.replay(data)
            other.removeAllActions()
            return data.count
        }
        deck.cards = (0..<100).map { Card("\($0)") }
        let all = try send()
        deck.cards[7].text = "seven"
        let one = try send()
        deck.mutable(\.cards).remove(at: 3)
        #expect(try send() < one + 400 && one < 300 && all > 10_000)
        #expect(copy.picture == deck.picture && copy.cards.count == 99)
        for name in ["x", "y"] { deck.mutable(\.cards).append(Card(name)) }
        let text = try String(decoding: manager.saveSteps(), as: UTF8.self)
        #expect(text.components(separatedBy: "\"element\"").count == 3, "each element is there once, for two steps")
        _ = try send()
        // A copy that has fallen behind does not take them.
        deck.mutable(\.cards).remove(at: 3)
        manager.removeAllActions()
        deck.mutable(\.cards).removeLast()
        #expect(refusal { _ = try send() } == .unexpectedValue)
    }

    @Test("18.3 Restoring takes back what was done since, observers are called once, and the steps since are gone")
    func back() throws {
        let (deck, manager) = Self.make()
        deck.cards = [Card("a"), Card("b")]
        let (first, data) = (deck.cards[0], try manager.save())
        let picture = deck.picture
        first.text = "A"
        deck.cards = [Card("c"), deck.cards[1]]
        deck.title = "t"
        let (log, kept) = (Log(), Kept())
        deck.observe(\.cards) { deck, _ in log.add(deck.picture) }.store(in: kept)
        // It is overruled.
        deck.observe(\.title) { deck, _ in deck.note = "n" }.store(in: kept)
        try manager.restore(data)
        #expect(deck.picture == picture && deck.cards[0] === first && log.take() == [picture])
        #expect(try undoAll(manager) == 1 && deck.picture == Deck().picture)
    }

    @Test("18.3 A saved state that does not fit is an error, and nothing has changed", arguments: 0..<7)
    func misfits(index: Int) throws {
        let (deck, manager) = Self.make()
        deck.cards = [Card("a")]
        deck.title = "t"
        let text = try String(decoding: manager.save(), as: UTF8.self)
        let (copy, other) = Self.make()
        copy.title = "before"
        let before = copy.picture
        if index == 0 {
            let third = KeyValueUndoManager()
            third.track(copy, \.title, named: "deck")
            #expect(refusal { try third.restore(Data(text.utf8)) } == .unknownKey)
        }
        let replacements: [(String, String, KeyValueUndoError.Code)] = [
            ("\"version\":2", "\"version\":3", .unknownVersion), (":\"deck\"", ":\"desk\"", .unknownObject),
            ("\"value\":\"t\"", "\"value\":\"u\"", .unexpectedValue), ("\"value\":\"t\"", "\"value\":7", .typeMismatch),
            ("\"state\"", "\"status\"", .invalidData), ("\"elements\":[{", "\"elements\":[7,{", .invalidData),
            ("\"value\":\"t\"", "\"values\":\"t\"", .invalidData),
        ]
        let (old, new, code) = replacements[index]
        #expect(refusal { try other.restore(Data(text.replacingOccurrences(of: old, with: new).utf8)) } == code)
        #expect(copy.picture == before)
        #expect(try undoAll(other) == 1)
        withKeyValueTransaction { #expect(refusal { try other.restore(Data(text.utf8)) } == .underWay) }
    }

    @Test("18.3 A handler that forgets all steps while the state comes back forgets those that come with it")
    func forgotten() throws {
        let (deck, manager) = Self.make()
        deck.title = "t"
        let (data, kept) = (try manager.save(), Kept())
        deck.title = ""
        deck.observe(\.title) { [manager] _, _ in
            #expect(manager.isRedoing && !manager.isUndoing)
            manager.removeAllActions()
        }.store(in: kept)
        try manager.restore(data)
        #expect(deck.title == "t" && !manager.canUndo && !manager.canRedo)
    }

    @Test(
        "2.7 18.3 A computed property is saved under the line that tracks it, and two on one line are refused")
    func computed() throws {
        func make() -> (Deck, KeyValueUndoManager) {
            let (deck, manager) = (Deck(), KeyValueUndoManager())
            manager.track(deck, \.half, named: "deck", fileID: "Decks/Deck.swift", line: 7)
            return (deck, manager)
        }
        let ((deck, manager), (copy, other)) = (make(), make())
        deck.half = 4
        let data = try manager.save()
        #expect(String(decoding: data, as: UTF8.self).contains(#" Int at Deck.swift:7""#))
        try other.restore(data)
        #expect(copy.numbers == [8])
        final class Pair: KeyValueObservable {
            let keyValueRegistrar = KeyValueRegistrar()
            @Observed var value = 1
            var half: Int {
                get { value / 2 }
                set { value = newValue * 2 }
            }
            var double: Int {
                get { value * 2 }
                set { value = newValue / 2 }
            }
        }
        let pair = Pair()
        manager.track(pair, \.half, \.double, named: "pair")
        let error = thrownError { _ = try manager.save() }
        #expect(error?.code == .unnamedProperty && error?.objectType == "Pair")
        #expect(error?.description.contains("another property has that name") == true)
    }

    @Test(
        "18.3 A step that changed an object that is in no list any more is refused, as no other process could find it",
        .enabled(if: hasReflectionMetadata))
    func stray() throws {
        let (deck, manager) = Self.make()
        let card = Card("a")
        manager.withoutRecording { deck.cards = [card] }
        card.text = "b"
        #expect(refusal { _ = try manager.save() } == nil)
        manager.withoutRecording { deck.cards = [] }
        let error = thrownError { _ = try manager.save() }
        #expect(error?.code == .unnamedElement && error?.objectType == "Card" && error?.key == "text")
    }

    @Test(
        "18.1 Each property of an element is registered once, and a list's beside what follows its elements",
        .enabled(if: hasReflectionMetadata))
    func registrations() {
        let (deck, manager) = Self.make()
        deck.cards = [Card("a")]
        #expect(deck.cards[0].observationInfo.map(\.keyPath) == ["text", "count"])
        #expect(deck.observationInfo.count { $0.keyPath == "cards" } == 2)
        manager.stopTracking(deck)
        #expect(deck.observationInfo.isEmpty && deck.cards[0].observationInfo.isEmpty)
    }
}
