// Finds in a file what can be altered, and writes the alterations down as insertions.

internal import SwiftSyntax

/// Visits a file and collects variants.
///
/// What a variant inserts contains no line break, so that lines keep their numbers.
final class VariantFinder: SyntaxVisitor {
    /// A variant that has no number yet, with the code it is about.
    struct Found {
        let kind: Variant.Kind
        let start: Int
        let end: Int
        let insertions: [Insertion]
    }

    /// Text to insert.
    ///
    /// `%` stands for the number of the variant.
    struct Insertion {
        let offset: Int
        let text: String
        let side: Side

        /// Whether it stands before the code it is about, or after it.
        enum Side { case opening, closing }

        /// The length of what it replaces.
        var length = 0
    }

    private(set) var found: [Found] = []
    /// Attributes that let other modules see a function's body, where the number cannot be seen.
    private(set) var attributes: [Range<Int>] = []
    private let platform: Platform
    /// The expressions that were visited as a part of a condition.
    var conditions: Set<SyntaxIdentifier> = []

    init(_ platform: Platform) {
        self.platform = platform
        super.init(viewMode: .sourceAccurate)
    }

    func add(
        _ kind: Variant.Kind, of node: some SyntaxProtocol, before: String, after: String = "",
        replacing token: TokenSyntax? = nil, with text: String = ""
    ) {
        let start = node.positionAfterSkippingLeadingTrivia.utf8Offset
        let end = node.endPositionBeforeTrailingTrivia.utf8Offset
        var insertions = [Insertion(offset: start, text: before, side: .opening)]
        if let token {
            let place = token.positionAfterSkippingLeadingTrivia.utf8Offset
            insertions.append(
                Insertion(offset: place, text: text, side: .opening, length: token.trimmedLength.utf8Length))
        }
        if !after.isEmpty { insertions.append(Insertion(offset: end, text: after, side: .closing)) }
        found.append(Found(kind: kind, start: start, end: end, insertions: insertions))
    }

    // MARK: Statements

    override func visit(_ node: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
        switch node.item {
        case .expr(let expression):
            if let result = ResultType.ofBody(node) {
                addResult(expression, result)
            } else if expression.isRemovable, !node.isAssignmentInInitializer, !node.isResultOfClosure {
                add(.removed, of: expression, before: "if !__mutant(%) { ", after: " }")
            }
        case .stmt(let statement):
            if statement.isExit, !node.isOnlyOrGuarded {
                add(.removed, of: statement, before: "if !__mutant(%) { ", after: " }")
            }
        default: break
        }
        return .visitChildren
    }

    override func visit(_ node: ReturnStmtSyntax) -> SyntaxVisitorContinueKind {
        if let expression = node.expression, let result = ResultType.ofReturn(node) { addResult(expression, result) }
        return .visitChildren
    }

    private func addResult(_ expression: ExprSyntax, _ result: ResultType) {
        let expression = expression.withoutEffects
        guard !expression.isEnd else { return }
        switch result {
        case .bool: addCondition(expression)
        case .optional where !expression.is(NilLiteralExprSyntax.self):
            add(.absent, of: expression, before: "(__mutant(%) ? nil : ", after: ")")
        case .array where expression.as(ArrayExprSyntax.self)?.elements.isEmpty != true:
            add(.empty, of: expression, before: "(__mutant(%) ? [] : ", after: ")")
        default: break
        }
    }

    // MARK: Conditions

    override func visit(_ node: IfExprSyntax) -> SyntaxVisitorContinueKind {
        addConditions(node.conditions)
        return .visitChildren
    }

    override func visit(_ node: GuardStmtSyntax) -> SyntaxVisitorContinueKind {
        addConditions(node.conditions)
        return .visitChildren
    }

    override func visit(_ node: WhileStmtSyntax) -> SyntaxVisitorContinueKind {
        // Always true would never end.
        addConditions(node.conditions, canBeTrue: false)
        return .visitChildren
    }

    override func visit(_ node: TernaryExprSyntax) -> SyntaxVisitorContinueKind {
        addCondition(node.condition)
        return .visitChildren
    }

    override func visit(_ node: WhereClauseSyntax) -> SyntaxVisitorContinueKind {
        addCondition(node.condition)
        return .visitChildren
    }

    override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        let name = node.operator.trimmedDescription
        if Operators.givingBool.contains(name), !conditions.contains(node.id) { addCondition(ExprSyntax(node)) }
        if let function = Operators.bounds[name], let sign = node.operator.as(BinaryOperatorExprSyntax.self) {
            add(.bound, of: node, before: "\(function)(%, ", after: ")", replacing: sign.operator, with: ",")
        }
        if Operators.adding.contains(name), let literal = node.rightOperand.as(IntegerLiteralExprSyntax.self) {
            add(.zero, of: literal, before: "(__mutant(%) ? 0 : ", after: ")")
        }
        return .visitChildren
    }

    private func addConditions(_ list: ConditionElementListSyntax, canBeTrue: Bool = true) {
        for element in list {
            guard case .expression(let condition) = element.condition else { continue }
            addCondition(condition, canBeTrue: canBeTrue, canBeFalse: list.count == 1)
        }
        guard let first = list.first else { return }
        if case .expression = first.condition, list.count == 1 { return }
        add(.neverMet, of: first, before: "!__mutant(%), ")
    }

    /// Makes a condition always true and always false; a part of it only what makes a difference beside the rest.
    private func addCondition(_ expression: ExprSyntax, canBeTrue: Bool = true, canBeFalse: Bool = true) {
        let expression = expression.withoutEffects
        conditions.insert(expression.id)
        if let literal = expression.as(BooleanLiteralExprSyntax.self) {
            let kind: Variant.Kind = literal.literal.text == "true" ? .alwaysFalse : .alwaysTrue
            return add(kind, of: expression, before: "(__mutant(%) != ", after: ")")
        }
        let name = expression.as(InfixOperatorExprSyntax.self)?.operator.trimmedDescription
        if let infix = expression.as(InfixOperatorExprSyntax.self), name == "&&" || name == "||" {
            if name == "&&", canBeFalse { addForced(false, expression) }
            if name == "||", canBeTrue { addForced(true, expression) }
            for part in [infix.leftOperand, infix.rightOperand] {
                addCondition(part, canBeTrue: name == "&&" && canBeTrue, canBeFalse: name == "||" && canBeFalse)
            }
            return
        }
        if canBeTrue { addForced(true, expression) }
        if canBeFalse { addForced(false, expression) }
    }

    private func addForced(_ value: Bool, _ expression: ExprSyntax) {
        add(value ? .alwaysTrue : .alwaysFalse, of: expression, before: "(__mutant(%) ? \(value) : ", after: ")")
    }

    // MARK: What is not visited

    override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind {
        if let place = node.placeIfShowingBodies { attributes.append(place) }
        return .skipChildren
    }

    override func visit(_ node: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind {
        let active = node.clauses.first { clause in clause.condition.map { platform.satisfies($0) } ?? true }
        if let elements = active?.elements { walk(elements) }
        // The others are what is compiled in another form of the library.
        let others = AttributeFinder()
        for clause in node.clauses where clause.id != active?.id { others.walk(clause) }
        attributes += others.attributes
        return .skipChildren
    }

    override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}

/// Finds the attributes of code that has no variants.
private final class AttributeFinder: SyntaxVisitor {
    private(set) var attributes: [Range<Int>] = []

    init() { super.init(viewMode: .sourceAccurate) }

    override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind {
        if let place = node.placeIfShowingBodies { attributes.append(place) }
        return .skipChildren
    }
}

extension AttributeSyntax {
    /// Where it stands, if it lets other modules see a function's body.
    fileprivate var placeIfShowingBodies: Range<Int>? {
        guard ["@inlinable", "@usableFromInline", "@inline(__always)", "@frozen"].contains(trimmedDescription) else {
            return nil
        }
        let start = positionAfterSkippingLeadingTrivia.utf8Offset
        return start..<(start + trimmedLength.utf8Length)
    }
}
