// The members of a class, alone or under their `#if` conditions.
#if Macros && canImport(SwiftSyntaxMacros)
import SwiftSyntax

extension MemberBlockItemListSyntax {
    /// All members, under any condition.
    var allMembers: [DeclSyntax] {
        flatMap { item -> [DeclSyntax] in
            guard let condition = item.decl.as(IfConfigDeclSyntax.self) else { return [item.decl] }
            return condition.clauses.flatMap { clause -> [DeclSyntax] in
                if case .decls(let members) = clause.elements { members.allMembers } else { [] }
            }
        }
    }

    /// Lines made of members, each under the condition that its member is declared under.
    ///
    /// - Parameter line: Makes a line from a member; nil for none.
    /// - Returns: The lines.
    func lines(_ line: (DeclSyntax) -> String?) -> [String] {
        flatMap { item -> [String] in
            guard let condition = item.decl.as(IfConfigDeclSyntax.self) else {
                return line(item.decl).map { [$0] } ?? []
            }
            let clauses = condition.clauses.map { clause -> (head: String, lines: [String]) in
                let head = [clause.poundKeyword.trimmedDescription, clause.condition?.trimmedDescription ?? ""]
                var lines: [String] = []
                if case .decls(let members) = clause.elements { lines = members.lines(line) }
                return (head.joined(separator: " "), lines)
            }
            if clauses.allSatisfy({ $0.lines.isEmpty }) { return [] }
            return clauses.flatMap { [$0.head] + $0.lines } + ["#endif"]
        }
    }
}
#endif
