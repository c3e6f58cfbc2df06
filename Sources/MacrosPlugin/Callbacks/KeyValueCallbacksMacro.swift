// The macro for classes with methods that are called at changes.
#if Macros && canImport(SwiftSyntaxMacros)
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@KeyValueCallbacks`: adds `observe(_:)` for each type of object that a marked method observes.
struct KeyValueCallbacksMacro: MemberMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) -> [DeclSyntax] {
        guard let type = DeclaredClass(declaration) else {
            context.report(Message("@KeyValueCallbacks is for classes", id: "noClass"), at: node)
            return []
        }
        let callbacks = winners(among: callbacks(of: type), context)
        for callback in callbacks { check(callback, of: type, context) }
        var members: [DeclSyntax] = []
        let place = place(in: type, isOwner: protocols.isEmpty || type.names("KeyValueObservationOwner"))
        if place == nil {
            members.append("private(set) lazy var kvo = KeyValueObserving.KVOController(observer: self)")
        }
        var sources: [String] = []
        for callback in callbacks where !sources.contains(callback.source.trimmedDescription) {
            sources.append(callback.source.trimmedDescription)
        }
        for source in sources {
            let calls = callbacks.filter { $0.source.trimmedDescription == source }.map(\.call)
            members.append(
                """
                /// Calls the methods that this class declares for an object, at each change of it.
                \(raw: type.accessLevel)func observe(_ source: \(raw: source)) {
                let place = KeyValueObservingMacros._KeyValueCallbackPlace<\(raw: type.name)>(\(raw: place ?? "kvo"))
                \(raw: calls.joined(separator: "\n"))
                }
                """)
        }
        return members
    }

    /// The marked methods; `@WhenChanged` reports those that fit no shape.
    private static func callbacks(of type: DeclaredClass) -> [Callback] {
        type.declaration.memberBlock.members.allMembers.compactMap { member in
            guard let method = member.as(FunctionDeclSyntax.self),
                let attribute = method.attributes.first(named: "WhenChanged")
            else { return nil }
            return try? Callback(method, attribute)
        }
    }

    /// For several methods with the same name and property, the one whose shape comes first.
    private static func winners(among callbacks: [Callback], _ context: some MacroExpansionContext) -> [Callback] {
        func subject(_ callback: Callback) -> [String] {
            [callback.keyPath.trimmedDescription, callback.method.name.text]
        }
        func order(_ callback: Callback) -> Int { Callback.Shape.allCases.firstIndex(of: callback.shape) ?? 0 }
        return callbacks.filter { callback in
            let others = callbacks.filter { subject($0) == subject(callback) }
            guard let first = others.min(by: { order($0) < order($1) }), first.shape != callback.shape else {
                return true
            }
            context.report(
                Message(
                    """
                    this method is never called: of several with the same name, the one whose parameters come first among \
                    (new), (new, old), (source, new) and (source, new, old) is
                    """, .warning, id: "covered"),
                at: callback.attribute)
            return false
        }
    }

    /// The keeper of the registrations, as code; nil if the class neither has a controller nor is an owner.
    private static func place(in type: DeclaredClass, isOwner: Bool) -> String? {
        let controller = type.properties.first { property in
            let type = property.type?.trimmedDescription ?? property.initializer?.trimmedDescription ?? ""
            return type.contains("KVOController") && !property.isOfType
        }
        return controller?.name.text ?? (isOwner ? "self" : nil)
    }

    /// Reports a property of the class itself that cannot be observed.
    private static func check(_ callback: Callback, of type: DeclaredClass, _ context: some MacroExpansionContext) {
        guard callback.source.trimmedDescription == type.declaration.name.text,
            let component = callback.keyPath.components.first?.component.as(KeyPathPropertyComponentSyntax.self),
            let property = type.property(component.declName.baseName.text)
        else { return }
        let reason: String
        if !property.isVariable {
            reason = "it is a constant"
        } else if property.declaration.attributes.contains(named: "NotObserved") {
            reason = "it is marked with @NotObserved"
        } else if property.isLazy {
            reason = "it is lazy"
        } else if let getter = property.getter, GetterSearch.readsNothing(getter) {
            reason = "its getter reads no property"
        } else {
            return
        }
        context.report(
            Message("\(property.plainName) cannot be observed: \(reason)", id: "unobservable"), at: callback.keyPath)
    }
}

/// Determines whether a getter may read a property.
private final class GetterSearch: SyntaxVisitor {
    private var readsNothing = true

    /// Whether a getter names nothing but types and literals, so that it cannot read a property.
    static func readsNothing(_ getter: Syntax) -> Bool {
        let search = GetterSearch(viewMode: .sourceAccurate)
        search.walk(getter)
        return search.readsNothing
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        if node.parent?.as(MemberAccessExprSyntax.self)?.declName.id != node.id,
            node.baseName.text.first?.isLowercase ?? true
        {
            readsNothing = false
        }
        return .visitChildren
    }
}
#endif
