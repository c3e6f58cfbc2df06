// What a macro sees of a class.
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
    /// The global actor that it is isolated to, if that is written down here.
    var globalActor: AttributeSyntax? { declaration.attributes.globalActor }

    /// Whether its properties are shared among threads: `Sendable` is written down here, for the compiler to check, and no
    /// global actor protects them.
    var isShared: Bool {
        let types = declaration.inheritanceClause?.inheritedTypes ?? []
        return globalActor == nil
            && types.contains { ["Sendable", "Swift.Sendable"].contains($0.type.trimmedDescription) }
    }

    /// What a member is marked with that whoever sees the class may see.
    var accessLevel: String {
        switch declaration.modifiers.accessLevel {
        case .open, .public: "public "
        case .package: "package "
        case .private, .fileprivate: "fileprivate "
        default: ""
        }
    }

    /// How a member of the type begins that subclasses may override, those in other modules too if the class is open.
    var overridable: String {
        if declaration.modifiers.contains(.open) { return "open class" }
        return accessLevel + (isFinal ? "static" : "class")
    }

    /// How one begins that overrides its superclass's.
    var overriding: String {
        declaration.modifiers.contains(.open) ? "open override class" : accessLevel + "override class"
    }

    /// Whether the class conforms to a protocol of the library that makes it observable, as far as is written down here.
    var isDeclaredObservable: Bool {
        ["KeyValueObservable", "KeyValueCodable", "KeyValueTrackable"].contains { names($0) }
    }

    /// Whether the class itself names a protocol it conforms to.
    func names(_ type: String) -> Bool {
        declaration.inheritanceClause?.inheritedTypes.contains {
            $0.type.trimmedDescription.split { " .".contains($0) }.last.map(String.init) == type
        } ?? false
    }

    /// Whether it is `Decodable`, as far as is written down here.
    var isDecoded: Bool { names("Codable") || names("Decodable") }

    /// Its properties, those of its type too.
    var properties: [DeclaredProperty] {
        declaration.memberBlock.members.allMembers.compactMap { DeclaredProperty($0) }
    }

    func property(_ name: String) -> DeclaredProperty? { properties.first { $0.plainName == name } }

    /// The keys that it codes its values under, if it lists them.
    var codingKeys: EnumDeclSyntax? {
        declaration.memberBlock.members.allMembers.lazy.compactMap { $0.as(EnumDeclSyntax.self) }
            .first { $0.name.text == "CodingKeys" }
    }

    /// The functions of the class that are asked about its properties.
    static let answers: Set = ["automaticallyNotifiesObservers", "keyPathsAffectingValue"]

    /// Whether it declares one of these as isolated as the class is.
    var hasIsolatedAnswers: Bool {
        declaration.memberBlock.members.allMembers.contains { member in
            guard let function = member.as(FunctionDeclSyntax.self) else { return false }
            return Self.answers.contains(function.name.text) && !function.modifiers.contains(.nonisolated)
        }
    }
}
#endif
