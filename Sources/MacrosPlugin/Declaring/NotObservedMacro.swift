// The macro for a property that is not observed.
#if Macros && canImport(SwiftSyntaxMacros)
import SwiftSyntax
import SwiftSyntaxMacros

/// `@NotObserved`: marks a property, and adds nothing.
struct NotObservedMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) -> [DeclSyntax] { [] }
}
#endif
