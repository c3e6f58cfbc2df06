// What the finder asks a piece of syntax.

internal import SwiftSyntax

enum Operators {
    static let givingBool: Set = ["==", "!=", "===", "!==", "<", ">", "<=", ">=", "&&", "||"]
    static let adding: Set = ["+", "-", "+=", "-=", "&+", "&-", "&+=", "&-="]
    /// The functions that take the place of comparisons, with the bound in or out.
    static let bounds = [
        "<": "__mutantLess", "<=": "__mutantLessOrEqual", ">": "__mutantGreater", ">=": "__mutantGreaterOrEqual",
    ]
}

extension ExprSyntax {
    /// The expression after `try`, `await` and `unsafe`, without parentheses around it.
    var withoutEffects: ExprSyntax {
        if let node = self.as(TryExprSyntax.self) { return node.expression.withoutEffects }
        if let node = self.as(AwaitExprSyntax.self) { return node.expression.withoutEffects }
        if let node = self.as(UnsafeExprSyntax.self) { return node.expression.withoutEffects }
        if let node = self.as(TupleExprSyntax.self), node.elements.count == 1, let element = node.elements.first,
            element.label == nil
        {
            return element.expression.withoutEffects
        }
        return self
    }

    /// Whether the program ends with it.
    var isEnd: Bool {
        guard let call = self.as(FunctionCallExprSyntax.self) else { return false }
        return ["preconditionFailure", "fatalError"].contains(call.calledExpression.trimmedDescription)
    }

    /// Whether it is a statement that the program is still a program without.
    var isRemovable: Bool {
        let expression = withoutEffects
        if let call = expression.as(FunctionCallExprSyntax.self) {
            let name = call.calledExpression.trimmedDescription
            // The first two end the function for the compiler as well. The last one is for the optimizer.
            return !["preconditionFailure", "fatalError", "withExtendedLifetime"].contains(name)
        }
        return expression.isAssignment
    }

    var isAssignment: Bool {
        guard let infix = self.as(InfixOperatorExprSyntax.self) else { return false }
        let name = infix.operator.trimmedDescription
        return name.hasSuffix("=") && !Operators.givingBool.contains(name)
    }
}

extension StmtSyntax {
    /// Whether it leaves the function or the loop, and gives nothing.
    var isExit: Bool {
        if let node = self.as(ReturnStmtSyntax.self) { return node.expression == nil }
        return self.is(ContinueStmtSyntax.self)
    }
}

extension CodeBlockItemSyntax {
    /// Whether it is the only statement of a block, or stands where the compiler asks for an exit.
    var isOnlyOrGuarded: Bool {
        guard let list = parent?.as(CodeBlockItemListSyntax.self) else { return true }
        return list.count == 1 || list.parent?.parent?.is(GuardStmtSyntax.self) == true
    }

    /// Whether it is all that a closure has, and may give the closure its result.
    var isResultOfClosure: Bool {
        guard let list = parent?.as(CodeBlockItemListSyntax.self), list.count == 1,
            list.parent?.is(ClosureExprSyntax.self) == true, case .expr(let expression) = item
        else { return false }
        return !expression.withoutEffects.isAssignment
    }

    /// Whether it gives a stored property its first value.
    var isAssignmentInInitializer: Bool {
        guard case .expr(let expression) = item, let infix = expression.as(InfixOperatorExprSyntax.self) else {
            return false
        }
        return parent?.parent?.parent?.is(InitializerDeclSyntax.self) == true
            && infix.operator.trimmedDescription == "="
    }
}

/// What a function gives, as far as it is written down.
enum ResultType {
    case bool
    case optional
    case array
    case other

    init(_ type: TypeSyntax) {
        if type.is(OptionalTypeSyntax.self) {
            self = .optional
        } else if type.is(ArrayTypeSyntax.self) {
            self = .array
        } else {
            self = type.trimmedDescription == "Bool" ? .bool : .other
        }
    }

    /// The result that a statement gives by being the only one of a body; nil if it gives none.
    static func ofBody(_ item: CodeBlockItemSyntax) -> ResultType? {
        guard let list = item.parent?.as(CodeBlockItemListSyntax.self), list.count == 1, let owner = list.parent else {
            return nil
        }
        if owner.is(AccessorBlockSyntax.self) { return ofFunction(around: owner) }
        guard owner.is(CodeBlockSyntax.self), let function = owner.parent else { return nil }
        return function.is(FunctionDeclSyntax.self) || function.is(AccessorDeclSyntax.self)
            ? ofFunction(around: owner) : nil
    }

    static func ofReturn(_ node: ReturnStmtSyntax) -> ResultType? { ofFunction(around: Syntax(node)) }

    private static func ofFunction(around node: Syntax) -> ResultType? {
        var node = node
        while let parent = node.parent {
            if let function = parent.as(FunctionDeclSyntax.self) {
                return (function.signature.returnClause?.type).flatMap { $0.isVoid ? nil : ResultType($0) }
            }
            if let accessor = parent.as(AccessorDeclSyntax.self), accessor.accessorSpecifier.text != "get" {
                return nil
            }
            if let closure = parent.as(ClosureExprSyntax.self) {
                return (closure.signature?.returnClause?.type).map { ResultType($0) }
            }
            if let variable = parent.as(PatternBindingSyntax.self) {
                return variable.typeAnnotation.map { ResultType($0.type) }
            }
            if let script = parent.as(SubscriptDeclSyntax.self) { return ResultType(script.returnClause.type) }
            if parent.is(InitializerDeclSyntax.self) || parent.is(DeinitializerDeclSyntax.self) { return nil }
            node = parent
        }
        return nil
    }
}

extension TypeSyntax {
    fileprivate var isVoid: Bool { ["Void", "()"].contains(trimmedDescription) }
}
