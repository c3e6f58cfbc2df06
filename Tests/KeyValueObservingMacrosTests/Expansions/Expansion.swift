// Expands macros in a text.
import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

private let macros: [String: MacroSpec] = {
    func observable() -> MacroSpec {
        MacroSpec(
            type: KeyValueObservableMacro.self,
            conformances: ["KeyValueObservable", "_KeyValueDeclared", "KeyValueCodable"].map { "\(raw: $0)" })
    }
    return [
        "KeyValueObservable": observable(),
        "NotObserved": MacroSpec(type: NotObservedMacro.self),
        "KeyValueObservingMacros._ObservedByAccessors": MacroSpec(type: ObservedByAccessorsMacro.self),
        "_ObservedByAccessors": MacroSpec(type: ObservedByAccessorsMacro.self),
        "KeyValueShared": MacroSpec(type: KeyValueSharedMacro.self),
        "KeyValueObservingMacros.KeyValueShared": MacroSpec(type: KeyValueSharedMacro.self),
        "KeyValueCallbacks": MacroSpec(
            type: KeyValueCallbacksMacro.self, conformances: ["KeyValueObservationOwner"]),
        "WhenChanged": MacroSpec(type: WhenChangedMacro.self),
    ]
}()

/// What macros make of a text, and what they say of it.
///
/// - Parameters:
///   - source: The text.
///   - names: The names of the macros that are expanded; nil for all.
/// - Returns: The text that they make of it, and their messages.
func expand(_ source: String, only names: Set<String>? = nil) -> (text: String, messages: [String]) {
    let file = Parser.parse(source: source)
    let context = BasicMacroExpansionContext(
        sourceFiles: [file: .init(moduleName: "App", fullFilePath: "Screen.swift")])
    let expanded = file.expand(macroSpecs: macros.filter { names?.contains($0.key) ?? true }) { syntax in
        BasicMacroExpansionContext(sharingWith: context, lexicalContext: syntax.allMacroLexicalContexts())
    }
    return (expanded.description, context.diagnostics.map(\.message))
}

/// Expects what the macros make of a text.
///
/// What they say is compared, and the text after the changes with the given titles.
func expectExpansion(
    of source: String, is expanded: String, saying messages: [DiagnosticSpec] = [], fixIts: [String]? = nil,
    fixed: String? = nil, sourceLocation: Testing.SourceLocation = #_sourceLocation
) {
    assertMacroExpansion(
        source, expandedSource: expanded, diagnostics: messages, macroSpecs: macros, applyFixIts: fixIts,
        fixedSource: fixed, testModuleName: "App", testFileName: "Screen.swift", indentationWidth: .spaces(4),
        failureHandler: { failure in Issue.record("\(failure.message)", sourceLocation: sourceLocation) })
}

/// Expects what the macros say of a text, whatever they make of it.
func expectMessages(
    of source: String, _ messages: [DiagnosticSpec], fixIts: [String]? = nil, fixed: String? = nil,
    sourceLocation: Testing.SourceLocation = #_sourceLocation
) {
    assertMacroExpansion(
        source, expandedSource: "", diagnostics: messages, macroSpecs: macros, applyFixIts: fixIts, fixedSource: fixed,
        testModuleName: "App", testFileName: "Screen.swift", indentationWidth: .spaces(4),
        failureHandler: { failure in
            if failure.message.contains("did not produce the expected expanded source") { return }
            Issue.record("\(failure.message)", sourceLocation: sourceLocation)
        })
}
