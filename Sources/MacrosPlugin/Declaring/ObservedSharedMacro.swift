// A property that several threads change, stored in a constant.
#if Macros && canImport(SwiftSyntaxMacros)
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@ObservedShared`, where the macros are imported.
///
/// A property wrapper is stored in a variable, which the compiler allows no `Sendable` class. The macro stores the same
/// wrapper in a constant `_name`, and the property gets the accessors that the wrapper would give it.
struct ObservedSharedMacro {
    /// What a property that goes by the macro cannot have, since it is stored in a constant.
    enum Obstacle: String {
        case code = "the macro @ObservedShared runs no willSet and didSet: write @KeyValueObserving.ObservedShared"
        case decoding = """
            a Decodable class does not decode a constant with a value: set the property in init, or write \
            @KeyValueObserving.ObservedShared
            """
    }

    fileprivate static let wrapper = "KeyValueObserving.ObservedShared"

    fileprivate static func obstacle(
        of property: DeclaredProperty, in context: some MacroExpansionContext
    ) -> Obstacle? {
        if property.hasObservers { return .code }
        let type = context.lexicalContext.first.flatMap { DeclaredClass($0) }
        return property.initialValue != nil && type?.isDecoded ?? false ? .decoding : nil
    }
}

extension ObservedSharedMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) -> [DeclSyntax] {
        guard let property = DeclaredProperty(declaration) else { return [] }
        let attribute = property.declaration.attributes.sharing ?? node
        ObservableDiagnostics.checkObserved(
            property, attribute, context, obstacle: obstacle(of: property, in: context))
        guard property.canBeShared else { return [] }
        let type = property.type.map { ": \(wrapper)<\($0.type.asArgument)>" } ?? ""
        let value = property.initialValue.map { " = \(wrapper)(wrappedValue: \($0))" } ?? ""
        return ["private let \(property.storageName)\(raw: type)\(raw: value)"]
    }
}

extension ObservedSharedMacro: AccessorMacro {
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
