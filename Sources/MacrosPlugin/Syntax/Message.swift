// The messages of the macros.
#if Macros && canImport(SwiftSyntaxMacros)
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// A message of a macro, and the title of a change that mends the code.
struct Message: DiagnosticMessage, FixItMessage, NoteMessage {
    let message: String
    let severity: DiagnosticSeverity
    private let id: String

    init(_ message: String, _ severity: DiagnosticSeverity = .error, id: String) {
        self.message = message
        self.severity = severity
        self.id = id
    }

    var diagnosticID: MessageID { MessageID(domain: "KeyValueObservingMacros", id: id) }
    var fixItID: MessageID { diagnosticID }
    var noteID: MessageID { diagnosticID }
}

extension MacroExpansionContext {
    /// Reports something at a node.
    func report(_ message: Message, at node: some SyntaxProtocol, fixIts: [FixIt] = []) {
        diagnose(Diagnostic(node: node, message: message, fixIts: fixIts))
    }
}

extension FixIt {
    /// Creates a change that replaces one node by another.
    init(_ title: String, replacing old: some SyntaxProtocol, with new: some SyntaxProtocol) {
        self.init(
            message: Message(title, id: "fixIt"), changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))])
    }
}
#endif
