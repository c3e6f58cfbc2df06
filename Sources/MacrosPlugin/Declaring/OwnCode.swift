// Moving the code of `willSet` and `didSet` to the property's storage.
#if Macros && canImport(SwiftSyntaxMacros)
import SwiftSyntax

/// Rewrites code that moves from a property to its storage, so that it names the storage.
///
/// In Swift, `willSet` and `didSet` access the storage of their own property, so that a set calls neither again. The
/// rewritten code does the same. Code in closures and local functions uses the accessors, as in Swift.
final class OwnCode: SyntaxRewriter {
    private let name: String
    private let storage: TokenSyntax
    /// Whether another declaration has the property's name, so that only `self.name` is the property.
    private let isHidden: Bool

    private init(_ property: DeclaredProperty, isHidden: Bool) {
        name = property.plainName
        storage = property.storageName
        self.isHidden = isHidden
        super.init()
    }

    static func moved(_ observers: AccessorBlockSyntax, from property: DeclaredProperty) -> AccessorBlockSyntax {
        guard case .accessors(let accessors) = observers.accessors else { return observers }
        let moved = accessors.map { accessor -> AccessorDeclSyntax in
            let search = NameSearch(property.plainName)
            search.walk(accessor)
            let code = OwnCode(property, isHidden: search.isDeclared)
            return accessor.with(\.body, accessor.body.map { code.rewrite($0).cast(CodeBlockSyntax.self) })
        }
        return observers.with(\.accessors, .accessors(AccessorDeclListSyntax(moved)))
    }

    private func isName(_ token: TokenSyntax) -> Bool { token.text.filter { $0 != "`" } == name }

    override func visit(_ node: DeclReferenceExprSyntax) -> ExprSyntax {
        guard !isHidden, isName(node.baseName), node.argumentNames == nil else { return ExprSyntax(node) }
        return ExprSyntax(node.with(\.baseName, storage.spaced(like: node.baseName)))
    }

    override func visit(_ node: MemberAccessExprSyntax) -> ExprSyntax {
        guard let base = node.base else { return ExprSyntax(node) }
        if isName(node.declName.baseName), base.as(DeclReferenceExprSyntax.self)?.baseName.tokenKind == .keyword(.self)
        {
            let name = storage.spaced(like: node.declName.baseName)
            return ExprSyntax(node.with(\.declName.baseName, name))
        }
        // The name behind the dot is not the property's.
        return ExprSyntax(node.with(\.base, visit(base)))
    }

    override func visit(_ node: KeyPathExprSyntax) -> ExprSyntax { ExprSyntax(node) }
    override func visit(_ node: ClosureExprSyntax) -> ExprSyntax { ExprSyntax(node) }
    override func visit(_ node: FunctionDeclSyntax) -> DeclSyntax { DeclSyntax(node) }
    override func visit(_ node: ClassDeclSyntax) -> DeclSyntax { DeclSyntax(node) }
    override func visit(_ node: StructDeclSyntax) -> DeclSyntax { DeclSyntax(node) }
    override func visit(_ node: EnumDeclSyntax) -> DeclSyntax { DeclSyntax(node) }
}

/// Determines whether code declares a name.
private final class NameSearch: SyntaxVisitor {
    private let name: String
    private(set) var isDeclared = false

    init(_ name: String) {
        self.name = name
        super.init(viewMode: .sourceAccurate)
    }

    private func note(_ token: TokenSyntax?) {
        if token?.text.filter({ $0 != "`" }) == name { isDeclared = true }
    }

    override func visit(_ node: IdentifierPatternSyntax) -> SyntaxVisitorContinueKind {
        note(node.identifier)
        return .visitChildren
    }

    override func visit(_ node: AccessorParametersSyntax) -> SyntaxVisitorContinueKind {
        note(node.name)
        return .visitChildren
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        note(node.name)
        return .skipChildren
    }

    override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}

extension TokenSyntax {
    /// The token with the space around another one.
    fileprivate func spaced(like other: TokenSyntax) -> TokenSyntax {
        with(\.leadingTrivia, other.leadingTrivia).with(\.trailingTrivia, other.trailingTrivia)
    }
}
#endif
