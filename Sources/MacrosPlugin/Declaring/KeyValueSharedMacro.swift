// The macro for a property that several threads change, stored in a constant.
#if Macros && canImport(SwiftSyntaxMacros)
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@KeyValueShared`, which `@KeyValueObservable` attaches to the properties of a `Sendable` class.
///
/// The wrapper `ObservedShared` is stored in a variable, which the compiler does not allow in a `Sendable` class. The
/// macro stores it in a constant `_name`, and the property gets the accessors that the wrapper would give it.
struct KeyValueSharedMacro {
    fileprivate static let wrapper = "KeyValueObserving.ObservedShared"
}

extension KeyValueSharedMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) -> [DeclSyntax] {
        guard let property = DeclaredProperty(declaration) else { return [] }
        let attribute = property.declaration.attributes.sharing ?? node
        let owner = context.lexicalContext.first.flatMap { DeclaredClass($0) }
        ObservableDiagnostics.checkObserved(
            property, attribute, context, obstacle: property.sharingObstacle(in: owner))
        guard property.canBeShared else { return [] }
        let type = property.type.map { ": \(wrapper)<\($0.type.asArgument)>" } ?? ""
        let value = property.initialValue.map { " = \(wrapper)(wrappedValue: \($0))" } ?? ""
        return ["private let \(property.storageName)\(raw: type)\(raw: value)"]
    }
}

extension KeyValueSharedMacro: AccessorMacro {
    static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) -> [AccessorDeclSyntax] {
        guard let property = DeclaredProperty(declaration), property.canBeShared else { return [] }
        let (name, storage) = (property.name, property.storageName)
        let value: ExprSyntax =
            "\(raw: wrapper)[_enclosingInstance: self, wrapped: \\.\(name), storage: \\.\(storage)]"
        let initialization: AccessorDeclSyntax = """
            @storageRestrictions(initializes: \(storage))
            init(initialValue) {
                \(storage) = \(raw: wrapper)(wrappedValue: initialValue)
            }
            """
        let accessors: [AccessorDeclSyntax] = [
            """
            get {
                return \(value)
            }
            """,
            """
            set {
                \(value) = newValue
            }
            """,
            """
            _modify {
                yield &\(value)
            }
            """,
        ]
        // A constant is initialized once.
        return property.initialValue == nil ? [initialization] + accessors : accessors
    }
}

extension TypeSyntax {
    /// The type as the argument of a generic type, where `!` is not allowed.
    fileprivate var asArgument: String {
        self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self).map { "\($0.wrappedType.trimmedDescription)?" }
            ?? trimmedDescription
    }
}
#endif
