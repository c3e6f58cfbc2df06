// The macro that makes a class observable.
#if Macros && canImport(SwiftSyntaxMacros)
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@KeyValueObservable`.
///
/// Each stored variable gets an attribute that makes it observable. The class gets its registrar, the names of its
/// properties and its conformances.
struct KeyValueObservableMacro {
    /// The argument for access to the properties by name.
    fileprivate static func coding(_ node: AttributeSyntax) -> ExprSyntax? {
        guard case .argumentList(let arguments) = node.arguments else { return nil }
        return arguments.first { $0.label?.text == "coding" }?.expression
    }

    fileprivate static func isCoded(_ node: AttributeSyntax) -> Bool { coding(node)?.trimmedDescription == "true" }

    /// The conformances that the class lacks.
    fileprivate struct Missing {
        let observable: Bool
        let declared: Bool
        let coded: Bool

        init(_ protocols: [TypeSyntax]) {
            func contains(_ name: String) -> Bool {
                protocols.contains { $0.trimmedDescription.split(separator: ".").last.map(String.init) == name }
            }
            observable = contains("KeyValueObservable")
            declared = contains("_KeyValueDeclared")
            coded = contains("KeyValueCodable")
        }
    }
}

extension KeyValueObservableMacro: MemberAttributeMacro {
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) -> [AttributeSyntax] {
        guard let type = DeclaredClass(declaration), let property = DeclaredProperty(member) else { return [] }
        switch property.observing(in: type) {
        case .wrapper: return ["@KeyValueObserving.Observed"]
        case .sharing: return ["@KeyValueObservingMacros.KeyValueShared"]
        case .accessors: return ["@KeyValueObservingMacros._ObservedByAccessors"]
        case .none: return []
        }
    }
}

extension KeyValueObservableMacro: MemberMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) -> [DeclSyntax] {
        guard let type = DeclaredClass(declaration) else {
            ObservableDiagnostics.reportNoClass(declaration, node, context)
            return []
        }
        if let coding = coding(node), !isCoded(node) {
            context.report(
                Message(
                    "coding must be the literal true, because it is read before the program runs: otherwise leave it out",
                    id: "coding"),
                at: coding)
        }
        let missing = Missing(protocols)
        guard ObservableDiagnostics.check(type, needsRegistrar: missing.observable, context) else { return [] }
        var members: [DeclSyntax] = []
        let hasRegistrar = type.property("keyValueRegistrar") != nil
        if missing.observable || type.isDeclaredObservable, !hasRegistrar {
            members.append(registrar(of: type))
        }
        members += names(of: type, missing)
        if isCoded(node), type.property("keyPathsByKey") == nil { members.append(table(of: type, missing)) }
        if let keys = codingKeys(of: type) { members.append(keys) }
        return members
    }

    private static func registrar(of type: DeclaredClass) -> DeclSyntax {
        let final = type.isFinal ? "" : "final "
        return """
            \(raw: type.accessLevel)nonisolated \(raw: final)let keyValueRegistrar = KeyValueObserving.KeyValueRegistrar()
            """
    }

    /// The function that records the names of the properties.
    private static func names(of type: DeclaredClass, _ missing: Missing) -> [DeclSyntax] {
        let lines = type.declaration.memberBlock.members.lines { member in
            namedProperty(member).map { "note(\\\(type.name).\($0.name), \"\($0.plainName)\")" }
        }
        let isInherited = !missing.declared
        if lines.isEmpty, isInherited { return [] }
        let start = isInherited ? type.overriding : type.overridable
        let inherited = isInherited ? ["super._noteNames()"] : []
        let own =
            lines.isEmpty
            ? [] : ["KeyValueObservingMacros._KeyValueNames.note(of: \(type.name).self) { note in"] + lines + ["}"]
        return [
            """
            \(raw: start) func _noteNames() {
            \(raw: (inherited + own).joined(separator: "\n"))
            }
            """
        ]
    }

    /// The table of keys.
    private static func table(of type: DeclaredClass, _ missing: Missing) -> DeclSyntax {
        let lines = type.declaration.memberBlock.members.lines { member in
            namedProperty(member).map { "table[\"\($0.plainName)\"] = \\\(type.name).\($0.name)" }
        }
        let start = missing.coded || type.names("KeyValueCodable") ? type.overridable : type.overriding
        let first = missing.coded || type.names("KeyValueCodable") ? "[:]" : "super.keyPathsByKey"
        return """
            \(raw: start) var keyPathsByKey: [String: AnyKeyPath] {
                var table: [String: AnyKeyPath] = \(raw: first)
                \(raw: lines.joined(separator: "\n"))
                return table
            }
            """
    }

    /// The coding keys of the class: the names of its properties, even if they are stored under others, without the
    /// registrar.
    ///
    /// Nil if the class is not `Codable`, or has keys of its own.
    private static func codingKeys(of type: DeclaredClass) -> DeclSyntax? {
        guard type.isDecoded || type.names("Encodable"), type.codingKeys == nil else { return nil }
        let lines = type.declaration.memberBlock.members.lines { member in
            guard let property = DeclaredProperty(member), property.isStored, !property.isOfType, !property.isLazy,
                property.isVariable || property.initializer == nil || !type.isDecoded,
                property.plainName != "keyValueRegistrar"
            else { return nil }
            let stored = property.isStoredAside(in: type) ? property.storageName : property.name
            return "case \(stored.text) = \"\(property.plainName)\""
        }
        return """
            private enum CodingKeys: String, CodingKey {
            \(raw: lines.joined(separator: "\n"))
            }
            """
    }

    /// A property of the class's objects that has a key path and a name of its own.
    private static func namedProperty(_ member: DeclSyntax) -> DeclaredProperty? {
        guard let property = DeclaredProperty(member), !property.isOfType, property.hasKeyPath,
            !property.declaration.modifiers.contains(.override),
            !property.declaration.attributes.contains(named: "NotObserved"),
            !property.declaration.attributes.contains(named: "available"),
            property.plainName != "keyValueRegistrar"
        else { return nil }
        return property
    }
}

extension KeyValueObservableMacro: ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) -> [ExtensionDeclSyntax] {
        guard let declared = DeclaredClass(declaration) else { return [] }
        let missing = Missing(protocols)
        let actor = declared.globalActor.map { "\($0.trimmedDescription) " } ?? ""
        var conformances: [String] = []
        if missing.observable {
            // Any code may observe the object, even if the class is isolated, unless the class has isolated functions
            // about its properties.
            let isolation = actor.isEmpty || !declared.hasIsolatedAnswers ? "nonisolated " : actor
            conformances.append("\(isolation)KeyValueObserving.KeyValueObservable")
        }
        if missing.declared { conformances.append("\(actor)KeyValueObservingMacros._KeyValueDeclared") }
        if missing.coded, isCoded(node) { conformances.append("\(actor)KeyValueCoding.KeyValueCodable") }
        return conformances.compactMap { conformance in
            DeclSyntax("extension \(type.trimmed): \(raw: conformance) {}").as(ExtensionDeclSyntax.self)
        }
    }
}
#endif
