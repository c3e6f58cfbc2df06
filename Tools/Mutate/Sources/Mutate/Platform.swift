// Which of the sources' conditions of compilation hold in the copy that is built.

internal import SwiftSyntax

struct Platform {
    /// The flags that the copy is built with.
    let flags: Set<String>
    #if os(Linux)
    private static let system = "Linux"
    private static let missingModules: Set = ["Combine", "Darwin", "ObjectiveC"]
    #else
    private static let system = "macOS"
    private static let missingModules: Set = ["Glibc"]
    #endif

    /// Whether the condition of an `#if` holds.
    func satisfies(_ condition: ExprSyntax) -> Bool {
        let condition = condition.withoutEffects
        if let node = condition.as(PrefixOperatorExprSyntax.self) { return !satisfies(node.expression) }
        if let node = condition.as(InfixOperatorExprSyntax.self) {
            let parts = [node.leftOperand, node.rightOperand].map(satisfies)
            return node.operator.trimmedDescription == "&&" ? parts[0] && parts[1] : parts[0] || parts[1]
        }
        if let node = condition.as(FunctionCallExprSyntax.self), let argument = node.arguments.first {
            let name = argument.expression.trimmedDescription
            switch node.calledExpression.trimmedDescription {
            case "os": return name == Self.system
            case "canImport": return !Self.missingModules.contains(name)
            default: return true
            }
        }
        return flags.contains(condition.trimmedDescription)
    }
}
