// A method marked to be called at changes, as a macro sees it.
#if Macros && canImport(SwiftSyntaxMacros)
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// A method marked with `@WhenChanged`.
struct Callback {
    /// The shapes of a method's parameters, in the order of precedence.
    enum Shape: String, CaseIterable {
        case new
        case newOld
        case sourceNew
        case sourceNewOld

        var hasOld: Bool { self == .newOld || self == .sourceNewOld }

        /// The arguments to pass, from those of a handler.
        fileprivate var arguments: [String] {
            let (new, old) = ("change.newValue!", "change.oldValue!")
            switch self {
            case .new: return [new]
            case .newOld: return [new, old]
            case .sourceNew: return ["source", new]
            case .sourceNewOld: return ["source", new, old]
            }
        }

        /// The shape of a list of parameters; nil if it has none.
        fileprivate init?(_ parameters: FunctionParameterListSyntax) {
            let parameters = Array(parameters)
            func isNamed(_ index: Int, _ name: String) -> Bool {
                let names = [parameters[index].firstName, parameters[index].secondName].compactMap { $0?.text }
                return names.contains { $0.hasPrefix(name) }
            }
            // The first parameter is never an old value.
            if parameters.first != nil, isNamed(0, "old") { return nil }
            switch parameters.count {
            case 1: self = .new
            case 2 where isNamed(1, "old"): self = .newOld
            case 2 where isNamed(1, "new"): self = .sourceNew
            case 3 where isNamed(1, "new") && isNamed(2, "old"): self = .sourceNewOld
            default: return nil
            }
        }
    }

    let attribute: AttributeSyntax
    let method: FunctionDeclSyntax
    let shape: Shape
    /// The key path as it is written.
    let keyPath: KeyPathExprSyntax
    /// The root type of the key path.
    let source: TypeSyntax
    let isInitial: Bool
    let isDistinct: Bool

    /// The mistake in an attribute.
    struct Failure: Error {
        let message: Message
        let node: Syntax
    }

    init(_ method: FunctionDeclSyntax, _ attribute: AttributeSyntax) throws(Failure) {
        self.method = method
        self.attribute = attribute
        guard case .argumentList(let arguments) = attribute.arguments,
            let keyPath = arguments.first?.expression.as(KeyPathExprSyntax.self)
        else {
            throw Failure(
                message: Message(
                    "@WhenChanged needs a key path that is written down, such as \\Person.age", id: "keyPath"),
                node: Syntax(attribute))
        }
        guard let source = keyPath.root else {
            throw Failure(
                message: Message(
                    "write the type that the key path starts at, such as \\Person\(keyPath.trimmedDescription.dropFirst())",
                    id: "root"),
                node: Syntax(keyPath))
        }
        self.keyPath = keyPath
        self.source = source.trimmed
        func isSet(_ label: String) -> Bool {
            arguments.first { $0.label?.text == label }?.expression.trimmedDescription == "true"
        }
        (isInitial, isDistinct) = (isSet("initial"), isSet("distinct"))
        let signature = method.signature
        let isPlain =
            signature.effectSpecifiers == nil && method.genericParameterClause == nil
            && !method.modifiers.contains(.static) && !method.modifiers.contains(.class)
        guard isPlain, let shape = Shape(signature.parameterClause.parameters) else {
            throw Failure(
                message: Message(
                    """
                    \(method.name.text) has no shape that @WhenChanged can call. The parameters must be (_ new:), (_ \
                    new:, old:), (_ source:, new:) or (_ source:, new:, old:), of a method of the object that neither \
                    waits nor throws
                    """, id: "shape"),
                node: Syntax(method.name))
        }
        if isInitial, shape.hasOld {
            throw Failure(
                message: Message(
                    "\(method.name.text) is called with an old value, and the first call has none: leave out `initial`",
                    id: "initial"),
                node: Syntax(attribute))
        }
        self.shape = shape
    }

    /// The options of the registration.
    private var options: String {
        let options = [("new", true), ("old", shape.hasOld), ("initial", isInitial), ("distinct", isDistinct)]
        return options.filter(\.1).map { ".\($0.0)" }.joined(separator: ", ")
    }

    /// The function that registers it, which may have overloads for other shapes and key paths.
    private var registrarName: String { "_whenChanged_" + method.name.text.filter { $0 != "`" } }

    private var registrarLabel: String {
        let subject = keyPath.trimmedDescription.dropFirst().map { $0.isLetter || $0.isNumber ? $0 : "_" }
        return shape.rawValue + "_" + String(subject)
    }

    /// The function that registers the method with a keeper of registrations.
    func registration(of observer: String, fileID: String, line: String) -> DeclSyntax {
        let labels = method.signature.parameterClause.parameters.map { parameter in
            parameter.firstName.tokenKind == .wildcard ? "" : "\(parameter.firstName.trimmed): "
        }
        let arguments = zip(labels, shape.arguments).map { $0 + $1 }.joined(separator: ", ")
        return """
            fileprivate static func \(raw: registrarName)(\(raw: registrarLabel) source: \(source), \
            _ place: KeyValueObservingMacros._KeyValueCallbackPlace<\(raw: observer)>) {
                place.observe(source, \(keyPath.trimmed), options: [\(raw: options)], fileID: \(raw: fileID), line: \(raw: line)) { \
            observer, source, change in
                    observer.\(method.name.trimmed)(\(raw: arguments))
                }
            }
            """
    }

    /// The call that registers it.
    var call: String { "Self.\(registrarName)(\(registrarLabel): source, place)" }
}
#endif
