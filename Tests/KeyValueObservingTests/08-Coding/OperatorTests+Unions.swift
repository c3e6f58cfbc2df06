// The unions of collections, of collections within a collection and of those that objects have: rule 8.6.
import KeyValueCoding
import KeyValueObserving
import TestSupport
import Testing

@Suite("Unions of collections")
struct UnionTests {
    private let firm = Firm([
        Department(["Ann", "Bob"], skills: ["Swift", "C"]), Department(["Bob", "Cy"], skills: ["C", "SQL"]),
    ])

    private func names(_ path: String) throws -> [String]? { try firm.value(forKeyPath: path) as? [String] }

    @Test("8.6 Of objects whose key at the right is an array: all elements, or each once")
    func arraysOfObjects() throws {
        #expect(try names("departments.@unionOfArrays.staff") == ["Ann", "Bob", "Bob", "Cy"])
        #expect(try names("departments.@distinctUnionOfArrays.staff") == ["Ann", "Bob", "Cy"])
        #expect(try names("departments.@unionOfArrays.parent.staff") == [])
        firm.departments = []
        #expect(try names("departments.@unionOfArrays.staff") == [])
    }

    @Test("8.6 Of objects whose key at the right is a set: each element once, as a set")
    func setsOfObjects() throws {
        let union = try firm.value(forKeyPath: "departments.@distinctUnionOfSets.skills") as? Set<AnyHashable>
        #expect(union == ["Swift", "C", "SQL"])
        let array = try names("departments.@distinctUnionOfArrays.skills")
        #expect(array.map(Set.init) == ["Swift", "C", "SQL"] && array?.count == 3)
        #expect(try names("departments.@unionOfArrays.skills")?.sorted() == ["C", "C", "SQL", "Swift"])
    }

    @Test("8.6 Of a set of objects, and of dictionaries whose value at the key is a collection")
    func otherReceivers() throws {
        let set = Set(firm.departments)
        let union = try read("@distinctUnionOfArrays.staff", of: set, as: Set<AnyHashable>.self)
        #expect(union == ["Ann", "Bob", "Cy"])
        let dictionaries: [[String: Any]] = [["staff": ["Ann"]], ["staff": ["Bob", "Ann"]], ["other": 1]]
        #expect(try read("@unionOfArrays.staff", of: dictionaries, as: [String].self) == ["Ann", "Bob", "Ann"])
    }

    @Test("8.6 Of collections within a collection the key is read from each element, beside objects as well")
    func nested() throws {
        #expect(
            try read("@unionOfArrays.first", of: [firm.departments, firm.departments], as: [String].self)
                == ["Ann", "Bob", "Ann", "Bob"])
        #expect(try read("@unionOfArrays.self", of: [[1], [1, 2]], as: [Int].self) == [1, 1, 2])
        let mixed: [Any] = [firm.departments, firm]
        #expect(try read("@unionOfArrays.first", of: mixed, as: [String].self) == ["Ann", "Bob", "x", "y"])
    }

    @Test("8.6 #224 A nil among the elements, among their values, or in the collections is left out")
    func nils() throws {
        firm.departments.append(Department(nil, skills: []))
        #expect(try names("departments.@unionOfArrays.staff") == ["Ann", "Bob", "Bob", "Cy"])
        let departments: [Department?] = [firm.departments[0], nil]
        #expect(try read("@unionOfArrays.staff", of: departments, as: [String].self) == ["Ann", "Bob"])
        #expect(try read("@unionOfArrays.self", of: [[1, nil], nil], as: [Int].self) == [1])
    }

    @Test("8.6 8.7 A value that is no collection, or no set where one is needed, is an error that names it")
    func notCollections() {
        let error = codingError { try firm.value(forKeyPath: "departments.@unionOfArrays.first") }
        #expect(error?.summary == "notACollection @unionOfArrays.first of String")
        #expect(
            error?.description
                == """
                "@unionOfArrays.first" of Array<Department> needs arrays or sets, and found "Ann" of type String.
                """)
        #expect(
            codingError { try firm.value(forKeyPath: "departments.@distinctUnionOfSets.staff") }?.summary
                == "notACollection @distinctUnionOfSets.staff of Array<String>")
        #expect(
            codingError { try firm.value(forKeyPath: "departments.@unionOfArrays.staf") }?.summary
                == "undefinedKey staf of Department (staff)")
        #expect(refusal("@unionOfArrays.self", of: [firm]) == .notACollection)
        #expect(refusal("@unionOfArrays.staff", of: [1, 2]) == .notACollection)
        #expect(refusal("@unionOfArrays.staff", of: ["Ann"]) == .notACollection)
        #expect(refusal("@distinctUnionOfSets.staff", of: [[firm]]) == .notACollection)
    }

    @Test("8.6 A union that is observed follows the objects and their collections")
    func observed() throws {
        let log = Log()
        let token = try firm.observe("departments.@distinctUnionOfArrays.staff", options: .new) { log.add($1) }
        firm.departments[1].staff = ["Cy", "Di"]
        firm.departments.removeFirst()
        #expect(log.take() == [#"·→["Ann", "Bob", "Cy", "Di"]"#, #"·→["Cy", "Di"]"#])
        withExtendedLifetime(token) {}
    }
}

private final class Firm: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var departments: [Department]

    init(_ departments: [Department]) { self.departments = departments }

    /// What else is a collection under a key that departments have, too.
    var first: [String] { ["x", "y"] }

    static var keyPathsByKey: [String: AnyKeyPath] { ["departments": \Firm.departments, "first": \Firm.first] }
}

private final class Department: KeyValueCodable, Hashable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var staff: [String]?
    @Observed var skills: Set<String>
    @Observed var parent: Department?

    init(_ staff: [String]?, skills: Set<String>) {
        self.staff = staff
        self.skills = skills
    }

    var first: String? { staff?.first }

    static var keyPathsByKey: [String: AnyKeyPath] {
        [
            "staff": \Department.staff, "skills": \Department.skills, "parent": \Department.parent,
            "first": \Department.first,
        ]
    }

    static func == (left: Department, right: Department) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
