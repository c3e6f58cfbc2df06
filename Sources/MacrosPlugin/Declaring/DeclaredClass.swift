// A class as a macro sees it.
#if Macros && canImport(SwiftSyntaxMacros)
import SwiftSyntax

/// A class that a macro is attached to.
struct DeclaredClass {
    let declaration: ClassDeclSyntax

    init?(_ declaration: some SyntaxProtocol) {
        guard let declaration = declaration.as(ClassDeclSyntax.self) else { return nil }
        self.declaration = declaration
    }

    var name: String { declaration.name.trimmedDescription }
    var isFinal: Bool { declaration.modifiers.contains(.final) }
    /// The global actor that it is isolated to, if the declaration names one.
    var globalActor: AttributeSyntax? { declaration.attributes.globalActor }

    /// Whether its properties are shared among threads: the declaration says `Sendable`, which the compiler checks, and
    /// names no global actor.
    var isShared: Bool {
        let types = declaration.inheritanceClause?.inheritedTypes ?? []
        return globalActor == nil
            && types.contains { ["Sendable", "Swift.Sendable"].contains($0.type.trimmedDescription) }
    }

    /// The access level of a member that is as visible as the class.
    var accessLevel: String {
        switch declaration.modifiers.accessLevel {
        case .open, .public: "public "
        case .package: "package "
        case .private, .fileprivate: "fileprivate "
        default: ""
        }
    }

    /// The start of a member that subclasses may override, even in other modules if the class is open.
    var overridable: String {
        if declaration.modifiers.contains(.open) { return "open class" }
        return accessLevel + (isFinal ? "static" : "class")
    }

    /// The start of a member that overrides the superclass's.
    var overriding: String {
        declaration.modifiers.contains(.open) ? "open override class" : accessLevel + "override class"
    }

    /// Whether the declaration names a protocol of the library that makes the class observable.
    var isDeclaredObservable: Bool {
        ["KeyValueObservable", "KeyValueCodable", "KeyValueTrackable"].contains { names($0) }
    }

    /// Whether the class itself names a protocol it conforms to.
    func names(_ type: String) -> Bool {
        declaration.inheritanceClause?.inheritedTypes.contains {
            $0.type.trimmedDescription.split { " .".contains($0) }.last.map(String.init) == type
        } ?? false
    }

    /// Whether the declaration names `Decodable`.
    var isDecoded: Bool { names("Codable") || names("Decodable") }

    /// Its properties, including static ones.
    var properties: [DeclaredProperty] {
        declaration.memberBlock.members.allMembers.compactMap { DeclaredProperty($0) }
    }

    func property(_ name: String) -> DeclaredProperty? { properties.first { $0.plainName == name } }

    /// The keys of its encoded values, if it lists them.
    var codingKeys: EnumDeclSyntax? {
        declaration.memberBlock.members.allMembers.lazy.compactMap { $0.as(EnumDeclSyntax.self) }
            .first { $0.name.text == "CodingKeys" }
    }

    /// The functions of the class that decide about its properties.
    static let answers: Set = ["automaticallyNotifiesObservers", "keyPathsAffectingValue"]

    /// Whether it declares one of these with the class's isolation.
    var hasIsolatedAnswers: Bool {
        declaration.memberBlock.members.allMembers.contains { member in
            guard let function = member.as(FunctionDeclSyntax.self) else { return false }
            return Self.answers.contains(function.name.text) && !function.modifiers.contains(.nonisolated)
        }
    }
}
#endif
