// Attributes and modifiers of declarations that the macros distinguish.
#if Macros && canImport(SwiftSyntaxMacros)
import SwiftSyntax

extension AttributeListSyntax {
    /// The attribute with a name, with or without its module.
    func first(named name: String) -> AttributeSyntax? {
        allAttributes.first { $0.name == name }
    }

    func contains(named name: String) -> Bool { first(named: name) != nil }

    /// The attributes, including those within `#if`.
    var allAttributes: [AttributeSyntax] {
        flatMap { element -> [AttributeSyntax] in
            switch element {
            case .attribute(let attribute): [attribute]
            case .ifConfigDecl(let condition):
                condition.clauses.flatMap { clause -> [AttributeSyntax] in
                    if case .attributes(let attributes) = clause.elements { attributes.allAttributes } else { [] }
                }
            }
        }
    }

    /// The global actor among them.
    ///
    /// A macro sees only its name, which ends in `Actor` by convention.
    var globalActor: AttributeSyntax? { allAttributes.first { $0.name.hasSuffix("Actor") } }

    /// `@KeyValueShared`.
    var sharing: AttributeSyntax? { first(named: "KeyValueShared") }

    /// The first one that may be a property wrapper or a macro with accessors of its own.
    var wrapper: AttributeSyntax? {
        allAttributes.first { !$0.name.hasSuffix("Actor") && !AttributeSyntax.builtIn.contains($0.name) }
    }
}

extension AttributeSyntax {
    /// The name without its module.
    var name: String {
        if let member = attributeName.as(MemberTypeSyntax.self) { return member.name.text }
        return attributeName.as(IdentifierTypeSyntax.self)?.name.text ?? attributeName.trimmedDescription
    }

    /// The attributes of a property that do not change its storage.
    fileprivate static let builtIn: Set = [
        "available", "backDeployed", "objc", "nonobjc", "inline", "inlinable", "usableFromInline", "preconcurrency",
        "IBOutlet", "IBInspectable", "GKInspectable", "NSManaged", "NSCopying", "_spi", "exclusivity", "safe", "unsafe",
        "export", "_documentation", "warn_unqualified_access", "_optimize",
    ]
}

extension DeclModifierListSyntax {
    func contains(_ keyword: Keyword) -> Bool {
        contains { $0.name.tokenKind == .keyword(keyword) && $0.detail == nil }
    }

    /// The access level of the declaration, without that of its setter.
    var accessLevel: Keyword? {
        for modifier in self where modifier.detail == nil {
            if case .keyword(let keyword) = modifier.name.tokenKind, Self.accessLevels.contains(keyword) {
                return keyword
            }
        }
        return nil
    }

    private static let accessLevels: [Keyword] = [.open, .public, .package, .internal, .fileprivate, .private]
}
#endif
