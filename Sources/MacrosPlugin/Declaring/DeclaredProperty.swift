// What a macro sees of a property.
#if Macros && canImport(SwiftSyntaxMacros)
import SwiftSyntax

/// A variable of a class that is declared by itself: `var age = 0`.
struct DeclaredProperty {
    let declaration: VariableDeclSyntax
    let name: TokenSyntax
    private let binding: PatternBindingSyntax

    /// Nil if the declaration has several variables or takes a tuple apart.
    init?(_ declaration: VariableDeclSyntax) {
        guard let binding = declaration.bindings.first, declaration.bindings.count == 1,
            let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
        else { return nil }
        self.declaration = declaration
        self.binding = binding
        name = pattern.identifier.trimmed
    }

    init?(_ declaration: some SyntaxProtocol) {
        guard let variable = declaration.as(VariableDeclSyntax.self) else { return nil }
        self.init(variable)
    }

    /// How the macro makes the property observable.
    enum Observing {
        /// With the wrapper: setting it runs no code of the class.
        case wrapper
        /// With `@KeyValueShared`.
        case sharing
        /// With accessors that announce its changes.
        case accessors
        /// Not at all.
        case none
    }

    /// Whether it is one of those that a class's own attribute makes observable.
    var canBeObserved: Bool {
        isVariable && isStored && !isOfType && !isLazy && !declaration.modifiers.contains(.override)
            && declaration.attributes.wrapper == nil
    }

    func observing(in type: DeclaredClass) -> Observing {
        guard canBeObserved else { return .none }
        if type.isShared { return sharingObstacle(in: type) == nil ? .sharing : .none }
        return hasObservers || reference != nil ? .accessors : .wrapper
    }

    var isVariable: Bool { declaration.bindingSpecifier.tokenKind == .keyword(.var) }

    /// Whether it is `static` or `class`.
    var isOfType: Bool { declaration.modifiers.contains(.static) || declaration.modifiers.contains(.class) }

    var isLazy: Bool { declaration.modifiers.contains(.lazy) }

    /// `weak` or `unowned`.
    var reference: DeclModifierSyntax? {
        declaration.modifiers.first {
            $0.name.tokenKind == .keyword(.weak) || $0.name.tokenKind == .keyword(.unowned)
        }
    }

    /// The name without the marks of a name that is a keyword.
    var plainName: String { name.text.filter { $0 != "`" } }

    /// Whether it has accessors of a macro, and is stored as ``storageName``.
    func isStoredAside(in type: DeclaredClass) -> Bool {
        switch observing(in: type) {
        case .sharing, .accessors: true
        case .wrapper, .none: declaration.attributes.sharing != nil
        }
    }

    /// What the property is stored in if it has accessors.
    var storageName: TokenSyntax { .identifier("_" + plainName) }

    var type: TypeAnnotationSyntax? { binding.typeAnnotation }
    var initializer: InitializerClauseSyntax? { binding.initializer }

    /// The value that it has without being initialized: `nil` if its type is written as an optional.
    var initialValue: String? {
        if let initializer { return initializer.value.trimmedDescription }
        return switch type?.type.kind {
        case .optionalType, .implicitlyUnwrappedOptionalType: "nil"
        default: nil
        }
    }

    // MARK: Sharing

    /// Whether `@KeyValueShared` can store it in a constant.
    var canBeShared: Bool { isVariable && isStored && reference == nil && !isLazy && !isOfType }

    /// What keeps a property from being stored in a constant.
    enum SharingObstacle: String {
        case code = """
            a shared property runs no willSet and didSet: write @ObservedShared, and @unchecked Sendable for the class
            """
        case decoding = """
            a Decodable class does not decode a constant with a value: set the property in init, or write \
            @ObservedShared, and @unchecked Sendable for the class
            """
        case reference = """
            a weak or unowned property cannot be shared: make it a constant, or write @unchecked Sendable for the class \
            and protect the property yourself
            """
    }

    func sharingObstacle(in type: DeclaredClass?) -> SharingObstacle? {
        if reference != nil { return .reference }
        if hasObservers { return .code }
        return initialValue != nil && type?.isDecoded ?? false ? .decoding : nil
    }

    // MARK: Accessors

    /// The code of `willSet` and `didSet`.
    var observers: AccessorBlockSyntax? { hasObservers ? binding.accessorBlock : nil }

    /// Whether it has a `willSet` or `didSet`.
    var hasObservers: Bool {
        accessors.contains {
            $0.accessorSpecifier.tokenKind == .keyword(.willSet) || $0.accessorSpecifier.tokenKind == .keyword(.didSet)
        }
    }

    /// Whether it stores a value.
    var isStored: Bool { binding.accessorBlock == nil || hasObservers }

    /// Whether a key path can name it: getters that throw or wait have none.
    var hasKeyPath: Bool {
        accessors.allSatisfy { $0.effectSpecifiers == nil }
    }

    /// What runs when the property is read, if that is code of the class.
    var getter: Syntax? {
        guard let block = binding.accessorBlock else { return nil }
        if case .getter(let code) = block.accessors { return Syntax(code) }
        return accessors.first { $0.accessorSpecifier.tokenKind == .keyword(.get) }?.body.map { Syntax($0) }
    }

    private var accessors: [AccessorDeclSyntax] {
        guard case .accessors(let accessors) = binding.accessorBlock?.accessors else { return [] }
        return Array(accessors)
    }
}
#endif
