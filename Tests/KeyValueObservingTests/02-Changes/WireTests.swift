// Changes of every kind that one process writes, and another one applies to its copy.
import Foundation
import KeyValueObserving
import TestSupport
import Testing

@Suite("2.8 D21 Changes of every kind in another process")
struct WireTests {
    /// What both processes have: the server as a model, the client as a value.
    fileprivate struct State: Codable, Equatable {
        var number = 0
        var name: String?
        var place = Place(x: 1, y: 2)
        var mode = Mode.off
        var tags = ["a", "b", "c"]
        var members: Set<Int> = [1, 2]
        var table: [String: Int] = ["a": 1, "b": 2]
        var places: [Place] = []
        var nested: [[Int]]? = [[1]]
        var lead: String?

        /// Applies a line that was sent: the property's name, and the change.
        mutating func apply(_ line: String) throws {
            let data = Data(line.utf8)
            struct Name: Decodable { let name: String }
            func change<Value: Codable>(_ value: inout Value) throws {
                try JSONDecoder().decode(KeyValueObservedChange<Value>.self, from: data).apply(to: &value)
            }
            switch try JSONDecoder().decode(Name.self, from: data).name {
            case "number": try change(&number)
            case "name": try change(&name)
            case "place": try change(&place)
            case "mode": try change(&mode)
            case "tags": try change(&tags)
            case "members": try change(&members)
            case "table": try change(&table)
            case "places": try change(&places)
            case "nested": try change(&nested)
            case "lead.name": try change(&lead)
            case let name: throw UnknownName(name: name)
            }
        }
    }

    fileprivate struct UnknownName: Error { let name: String }
    fileprivate struct Place: Codable, Equatable { var x, y: Int }
    fileprivate enum Mode: Codable {
        case off
        case on(Int)
    }

    private final class Server: KeyValueObservable {
        let keyValueRegistrar = KeyValueRegistrar()
        @Observed var number = 0
        @Observed var name: String?
        @Observed var place = Place(x: 1, y: 2)
        @Observed var mode = Mode.off
        @Observed var tags = ["a", "b", "c"]
        @Observed var members: Set<Int> = [1, 2]
        @Observed var table = ["a": 1, "b": 2]
        @Observed var places: [Place] = []
        @Observed var nested: [[Int]]? = [[1]]
        @Observed var lead: Server?

        var state: State {
            State(
                number: number, name: name, place: place, mode: mode, tags: tags, members: members, table: table,
                places: places, nested: nested, lead: lead?.name)
        }
    }

    /// What a connection sends: a line for each change of any property.
    private static func lines(of server: Server, while body: (Server) -> Void) -> [String] {
        let (log, kept, encoder) = (Log(), Kept(), JSONEncoder())
        func send<Value: Encodable>(_ keyPath: KeyPath<Server, Value>) {
            server.observe(keyPath, options: [.old, .new]) { _, change in
                do { log.add(String(decoding: try encoder.encode(change), as: UTF8.self)) } catch {
                    Issue.record(error)
                }
            }.store(in: kept)
        }
        send(\.number)
        send(\.name)
        send(\.place)
        send(\.mode)
        send(\.tags)
        send(\.members)
        send(\.table)
        send(\.places)
        send(\.nested)
        send(\.lead?.name)
        body(server)
        return log.lines
    }

    enum Kind: String, CaseIterable, Codable {
        case setting, inPlace, insertion, removal, replacement, move, ofSet, ofDictionary, ofStructs, `nil`, path
        case steps, stepsOfSet, stepsOfDictionary, wholeAndSteps
    }

    private static func change(_ server: Server, _ kind: Kind) {
        let (tags, members, table) = (server.mutable(\.tags), server.mutable(\.members), server.mutable(\.table))
        switch kind {
        case .setting:
            (server.number, server.name, server.tags, server.members) = (1, "n", ["z"], [])
            (server.place, server.mode, server.table) = (Place(x: 3, y: 4), .on(5), ["k": 9])
        case .inPlace:
            server.tags.append("d")
            server.place.x = 9
            server.table["c"] = 3
            server.nested?[0].append(2)
        case .insertion: tags.insert(contentsOf: ["x", "y"], at: 1)
        case .removal: tags.removeSubranges(RangeSet([0..<1, 2..<3]))
        case .replacement:
            tags[1] = "B"
            tags.replaceSubrange(0..<2, with: ["1", "2", "3"])
        case .move: tags.moveSubranges(RangeSet([0..<1]), to: 3)
        case .ofSet:
            members.formUnion([3, 4])
            members.subtract([1])
            members.formSymmetricDifference([2, 7])
        case .ofDictionary:
            table["c"] = 3
            table["a"] = 10
            table["b"] = nil
        case .ofStructs:
            server.mutable(\.places).append(contentsOf: [Place(x: 1, y: 1), Place(x: 2, y: 2)])
            server.mutable(\.places)[1].y = 5
        case .nil:
            server.name = "n"
            server.name = nil
            server.nested = nil
        case .path:
            let lead = Server()
            lead.name = "first"
            server.lead = lead
            lead.name = "second"
            server.lead = nil
        case .steps:
            withKeyValueTransaction {
                tags.append("d")
                tags.remove(at: 0)
                tags[0] = "B"
                server.number = 3
            }
        case .stepsOfSet:
            withKeyValueTransaction {
                members.insert(3)
                members.remove(1)
            }
        case .stepsOfDictionary:
            withKeyValueTransaction {
                table["c"] = 3
                table["c"] = 4
                table["a"] = nil
            }
        case .wholeAndSteps:
            withKeyValueTransaction {
                tags.append("d")
                server.tags = ["w"]
                tags.append("e")
            }
        }
    }

    @Test(
        "2.8 A client in another process decodes a change of each kind, and has what the model has",
        .enabled(if: hasReflectionMetadata),
        // The client goes by the names.
        arguments: Kind.allCases.filter { $0 != .path || RuntimeAssumption.keyPathComponents.holds })
    func inAnotherProcess(kind: Kind) async throws {
        let server = Server()
        let lines = Self.lines(of: server) { Self.change($0, kind) }
        #expect(!lines.isEmpty)
        let expected = String(decoding: try JSONEncoder().encode(server.state), as: UTF8.self)
        await #expect(processExitsWith: .success) { [lines = lines as [String], expected = expected as String] in
            var copy = State()
            for line in lines { try copy.apply(line) }
            #expect(try copy == JSONDecoder().decode(State.self, from: Data(expected.utf8)))
        }
    }
}

extension WireTests.Mode: Equatable {}
