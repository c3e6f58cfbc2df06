// The macro for a property with `willSet` or `didSet`, which run before its observers.
#if Macros && canImport(SwiftSyntaxMacros)
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The macro that `@KeyValueObservable` attaches to a property with `willSet` or `didSet`, and to a `weak` or `unowned`
/// one.
///
/// The value moves to a stored property `_name`, with the property's own code. The property itself gets accessors that
/// announce the change around that code.
struct ObservedByAccessorsMacro {}

extension ObservedByAccessorsMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) -> [DeclSyntax] {
        guard let property = DeclaredProperty(declaration) else { return [] }
        let reference = property.reference.map { "\($0.trimmedDescription) " } ?? ""
        let type = property.type?.trimmedDescription ?? ""
        let initializer = property.initializer.map { " \($0.trimmedDescription)" } ?? ""
        let observers = property.observers.map { " \(OwnCode.moved($0, from: property).trimmedDescription)" } ?? ""
        let isolation =
            property.declaration.modifiers.first { $0.name.tokenKind == .keyword(.nonisolated) }
            .map { "\($0.trimmedDescription) " } ?? ""
        let actor = property.declaration.attributes.globalActor.map { "\($0.trimmedDescription) " } ?? ""
        return [
            """
            \(raw: actor)@KeyValueObservingMacros.NotObserved \(raw: isolation)private \(raw: reference)var \
            \(property.storageName)\(raw: type)\(raw: initializer)\(raw: observers)
            """
        ]
    }
}

extension ObservedByAccessorsMacro: AccessorMacro {
    static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) -> [AccessorDeclSyntax] {
        guard let property = DeclaredProperty(declaration) else { return [] }
        let (name, storage) = (property.name, property.storageName)
        var accessors: [AccessorDeclSyntax] = [
            """
            @storageRestrictions(initializes: \(storage))
            init(initialValue) {
                \(storage) = initialValue
            }
            """,
            """
            get {
                accessValue(for: \\.\(name))
                return \(storage)
            }
            """,
            """
            set {
                let change = KeyValueObservingMacros._KeyValueChange(of: \\.\(name), in: self)
                \(storage) = newValue
                change.end()
            }
            """,
        ]
        // A reference is read and set again, so there is no access in place.
        if property.reference == nil {
            accessors.append(
                """
                _modify {
                    let access = KeyValueObservingMacros._KeyValueAccess(to: \\.\(name), of: self)
                    defer {
                        access.end()
                    }
                    yield &\(storage)
                }
                """)
        }
        return accessors
    }
}
#endif
