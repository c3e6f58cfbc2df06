// The macro for a method that is called at changes.
#if Macros && canImport(SwiftSyntaxMacros)
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@WhenChanged`: adds the function that registers the method, so that a mismatch is an error at the method.
struct WhenChangedMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) -> [DeclSyntax] {
        guard let method = declaration.as(FunctionDeclSyntax.self) else {
            context.report(Message("@WhenChanged is for methods", id: "noMethod"), at: node)
            return []
        }
        guard let type = context.lexicalContext.first.flatMap({ DeclaredClass($0) }),
            type.declaration.attributes.contains(named: "KeyValueCallbacks")
        else {
            context.report(
                Message(
                    "@WhenChanged is for methods of a class that is marked with @KeyValueCallbacks", id: "unmarked"),
                at: node)
            return []
        }
        do {
            let callback = try Callback(method, node)
            let location = context.location(of: node, at: .afterLeadingTrivia, filePathMode: .fileID)
            return [
                callback.registration(
                    of: type.name, fileID: location?.file.trimmedDescription ?? "#fileID",
                    line: location?.line.trimmedDescription ?? "#line")
            ]
        } catch {
            context.report(error.message, at: error.node)
            return []
        }
    }
}
#endif
