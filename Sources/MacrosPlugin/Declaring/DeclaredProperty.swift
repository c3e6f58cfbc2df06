// A property as a macro sees it.
#if Macros && canImport(SwiftSyntaxMacros)
import SwiftSyntax

/// A variable of a class in a declaration of its own: `var age = 0`.
struct DeclaredProperty {
    let declaration: VariableDeclSyntax
    let name: TokenSyntax
    private let binding: PatternBindingSyntax

    /// Nil if the declaration has several variables or a tuple pattern.
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
        /// With the wrapper, because setting it runs no code of the class.
        case wrapper
        /// With `@KeyValueShared`.
        case sharing
        /// With accessors that announce its changes.
        case accessors
        /// Not at all.
        case none
    }

    /// Whether the class's attribute makes it observable.
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

    /// The name without backticks.
    var plainName: String { name.text.filter { $0 != "`" } }

    /// Whether it has accessors of a macro and is stored as ``storageName``.
    func isStoredAside(in type: DeclaredClass) -> Bool {
        switch observing(in: type) {
        case .sharing, .accessors: true
        case .wrapper, .none: declaration.attributes.sharing != nil
        }
    }

    /// The name of the storage of a property with accessors.
    var storageName: TokenSyntax { .identifier("_" + plainName) }

    var type: TypeAnnotationSyntax? { binding.typeAnnotation }
    var initializer: InitializerClauseSyntax? { binding.initializer }

    /// Its value without an initializer: `nil` if its type is written as an optional.
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

    /// A reason that a property cannot be stored in a constant.
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

    /// Whether a key path can name it; throwing and asynchronous getters have none.
    var hasKeyPath: Bool {
        accessors.allSatisfy { $0.effectSpecifiers == nil }
    }

    /// The class's code that runs when the property is read, if there is any.
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
