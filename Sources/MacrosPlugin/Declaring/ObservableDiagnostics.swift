// Errors and fixes for a class that is declared observable.
#if Macros && canImport(SwiftSyntaxMacros)
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The messages of `@KeyValueObservable`.
enum ObservableDiagnostics {
    /// Reports that the macro is not attached to a class.
    static func reportNoClass(
        _ declaration: some DeclGroupSyntax, _ node: AttributeSyntax, _ context: some MacroExpansionContext
    ) {
        let keyword: TokenSyntax
        let reason: String
        if let type = declaration.as(StructDeclSyntax.self) {
            (keyword, reason) = (type.structKeyword, "a struct has no identity that observers could be registered on")
        } else if let type = declaration.as(ActorDeclSyntax.self) {
            (keyword, reason) = (type.actorKeyword, "there are no key paths to the properties of an actor")
        } else {
            context.report(Message("@KeyValueObservable is for classes", id: "noClass"), at: node)
            return
        }
        let replacement = keyword.with(\.tokenKind, .identifier("final class"))
        context.report(
            Message("@KeyValueObservable is for classes: \(reason)", id: "noClass"), at: keyword,
            fixIts: [FixIt("Make it a final class", replacing: keyword, with: replacement)])
    }

    /// Reports the mistakes in a class.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - needsRegistrar: Whether the macro declares the registrar.
    ///   - context: The context of the report.
    /// - Returns: Whether the class can still be declared observable.
    static func check(
        _ type: DeclaredClass, needsRegistrar: Bool, _ context: some MacroExpansionContext
    ) -> Bool {
        if let observable = type.declaration.attributes.first(named: "Observable") {
            let rest = type.declaration.attributes.filter { $0.as(AttributeSyntax.self)?.id != observable.id }
            context.report(
                Message(
                    """
                    @Observable and @KeyValueObservable both change how the properties are stored. To have the class \
                    tracked by Observation too, conform to KeyValueTrackable of KeyValueTracking
                    """, id: "observable"),
                at: observable,
                fixIts: [
                    FixIt("Remove @Observable", replacing: type.declaration.attributes, with: rest)
                ])
            return false
        }
        for member in type.declaration.memberBlock.members.allMembers {
            if let variable = member.as(VariableDeclSyntax.self) {
                check(variable, of: type, needsRegistrar: needsRegistrar, context)
            } else if let function = member.as(FunctionDeclSyntax.self), !type.isFinal {
                checkAnswer(function.modifiers, function.name, type, context)
            }
        }
        checkCodingKeys(of: type, context)
        return true
    }

    // MARK: Properties

    private static func check(
        _ variable: VariableDeclSyntax, of type: DeclaredClass, needsRegistrar: Bool,
        _ context: some MacroExpansionContext
    ) {
        guard let property = DeclaredProperty(variable) else { return checkSeveral(variable, context) }
        if property.plainName == "keyValueRegistrar" {
            guard needsRegistrar else { return }
            return context.report(
                Message(
                    "@KeyValueObservable declares the registrar: this one is not needed", .warning, id: "registrar"),
                at: variable, fixIts: [removal(of: variable, "Remove it")])
        }
        let attributes = variable.attributes
        // `@KeyValueShared` reports its own mistakes.
        guard attributes.sharing == nil else { return }
        if let observed = attributes.first(named: "Observed") ?? attributes.first(named: "ObservedShared") {
            checkObserved(property, observed, context)
        } else if property.isLazy, !attributes.contains(named: "NotObserved") {
            context.report(
                Message(
                    """
                    a lazy property is not observed. Observe an optional and fill it in a computed property, or mark it \
                    with @NotObserved
                    """, .warning, id: "lazy"),
                at: variable, fixIts: [marking(variable, "Mark it with @NotObserved")])
        } else if type.isShared, property.canBeObserved, let obstacle = property.sharingObstacle(in: type) {
            context.report(Message(obstacle.rawValue, id: "shared"), at: variable)
        }
    }

    /// Reports the mistakes in a property that the user has marked.
    static func checkObserved(
        _ property: DeclaredProperty, _ observed: AttributeSyntax, _ context: some MacroExpansionContext,
        obstacle: DeclaredProperty.SharingObstacle? = nil
    ) {
        let (variable, name) = (property.declaration, observed.name)
        if !property.isVariable {
            let keyword = variable.bindingSpecifier
            context.report(
                Message("@\(name) is for variables: \(property.plainName) never changes", id: "constant"), at: keyword,
                fixIts: [
                    FixIt("Make it a variable", replacing: keyword, with: keyword.with(\.tokenKind, .keyword(.var)))
                ])
        } else if let reason = reasonAgainstMarking(property) {
            context.report(
                Message("\(property.plainName) must not be marked with @\(name): \(reason)", id: "unfit"), at: observed,
                fixIts: [removal(of: observed, from: variable)])
        } else if let obstacle {
            let wrapper = observed.with(\.attributeName, "ObservedShared ")
            context.report(
                Message(obstacle.rawValue, id: "shared"), at: observed,
                fixIts: [FixIt("Use the property wrapper", replacing: observed, with: wrapper)])
        }
    }

    /// The reason that a variable cannot be marked.
    private static func reasonAgainstMarking(_ property: DeclaredProperty) -> String? {
        if !property.isStored {
            return "it is for stored properties, and a computed one changes with what its getter reads"
        }
        if let reference = property.reference {
            return "@KeyValueObservable observes a \(reference.name.text) property without it"
        }
        guard property.declaration.attributes.sharing != nil else { return nil }
        if property.isLazy { return "several threads could set up a lazy property at once" }
        return property.isOfType ? "a property of the type has no object that could be observed" : nil
    }

    /// Reports a declaration of several variables, or of a tuple, to which no attribute can be attached.
    private static func checkSeveral(_ variable: VariableDeclSyntax, _ context: some MacroExpansionContext) {
        let isOfType = variable.modifiers.contains(.static) || variable.modifiers.contains(.class)
        guard variable.bindingSpecifier.tokenKind == .keyword(.var), !isOfType else { return }
        let names = variable.bindings.map { $0.pattern.trimmedDescription }.joined(separator: ", ")
        context.report(
            Message("each observed property needs a declaration of its own: \(names)", id: "several"), at: variable,
            fixIts: separation(of: variable).map { [$0] } ?? [])
    }

    /// The fix that makes one declaration of each variable.
    private static func separation(of variable: VariableDeclSyntax) -> FixIt? {
        guard let item = variable.parent?.as(MemberBlockItemSyntax.self),
            let list = item.parent?.as(MemberBlockItemListSyntax.self),
            variable.bindings.allSatisfy({ $0.pattern.is(IdentifierPatternSyntax.self) })
        else { return nil }
        // `var a, b: Int`: the type is behind the last one.
        var type: TypeAnnotationSyntax?
        var items: [MemberBlockItemSyntax] = []
        for binding in variable.bindings.reversed() {
            type = binding.typeAnnotation ?? (binding.initializer == nil ? type : nil)
            let single = binding.with(\.trailingComma, nil).with(\.typeAnnotation, binding.typeAnnotation ?? type)
            let declaration = variable.with(\.bindings, PatternBindingListSyntax([single]))
            items.insert(item.with(\.decl, DeclSyntax(declaration)), at: 0)
        }
        let separated = list.flatMap { $0.id == item.id ? items : [$0] }
        return FixIt(
            "Make one declaration of each", replacing: list, with: MemberBlockItemListSyntax(separated))
    }

    // MARK: Other members

    /// Reports keys that name a property with accessors, whose storage has another name.
    private static func checkCodingKeys(of type: DeclaredClass, _ context: some MacroExpansionContext) {
        for item in type.codingKeys?.memberBlock.members ?? [] {
            for element in item.decl.as(EnumCaseDeclSyntax.self)?.elements ?? [] {
                guard let property = type.property(element.name.text.filter { $0 != "`" }),
                    property.isStoredAside(in: type)
                else { continue }
                let value =
                    element.rawValue
                    ?? InitializerClauseSyntax(
                        equal: .equalToken(leadingTrivia: .space, trailingTrivia: .space),
                        value: StringLiteralExprSyntax(content: property.plainName))
                let renamed = element.with(\.name, property.storageName).with(\.rawValue, value)
                    .with(\.trailingTrivia, element.trailingTrivia)
                context.report(
                    Message(
                        "\(property.plainName) is stored in \(property.storageName.text), which is to be coded",
                        id: "codingKey"),
                    at: element, fixIts: [FixIt("Code what is stored", replacing: element, with: renamed)])
            }
        }
    }

    /// Reports a function that a subclass cannot override.
    private static func checkAnswer(
        _ modifiers: DeclModifierListSyntax, _ name: TokenSyntax, _ type: DeclaredClass,
        _ context: some MacroExpansionContext
    ) {
        guard DeclaredClass.answers.contains(name.text),
            let keyword = modifiers.first(where: { $0.name.tokenKind == .keyword(.static) })
        else { return }
        let declaration = type.declaration
        context.report(
            Message(
                "\(type.name) is not final, and its subclasses cannot answer for their properties", .warning,
                id: "final"),
            at: keyword,
            fixIts: [
                FixIt(
                    "Let subclasses override it", replacing: keyword.name,
                    with: keyword.name.with(\.tokenKind, .keyword(.class))),
                FixIt(
                    "Make the class final", replacing: declaration.classKeyword,
                    with: declaration.classKeyword.with(\.tokenKind, .identifier("final class"))),
            ])
    }

    // MARK: Changes

    private static func removal(of variable: VariableDeclSyntax, _ title: String) -> FixIt {
        guard let item = variable.parent?.as(MemberBlockItemSyntax.self),
            let list = item.parent?.as(MemberBlockItemListSyntax.self)
        else { return FixIt(title, replacing: variable, with: MissingDeclSyntax(placeholder: .identifier(""))) }
        return FixIt(title, replacing: list, with: list.filter { $0.id != item.id })
    }

    private static func removal(of attribute: AttributeSyntax, from variable: VariableDeclSyntax) -> FixIt {
        let rest = variable.attributes.filter { $0.as(AttributeSyntax.self)?.id != attribute.id }
        let bare = variable.with(\.attributes, rest).with(\.leadingTrivia, variable.leadingTrivia)
        return FixIt("Remove @\(attribute.name)", replacing: variable, with: bare)
    }

    private static func marking(_ variable: VariableDeclSyntax, _ title: String) -> FixIt {
        let leading = variable.leadingTrivia
        let bare = variable.with(\.leadingTrivia, [])
        let mark: AttributeSyntax = "@NotObserved"
        let spaced = mark.with(\.trailingTrivia, .space)
        let marked = bare.with(\.attributes, AttributeListSyntax([.attribute(spaced)] + Array(bare.attributes)))
        return FixIt(title, replacing: variable, with: marked.with(\.leadingTrivia, leading))
    }
}
#endif
