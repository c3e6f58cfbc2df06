// Expands macros in a text.
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
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
        "ObservedShared": MacroSpec(type: ObservedSharedMacro.self),
        "KeyValueCallbacks": MacroSpec(
            type: KeyValueCallbacksMacro.self, conformances: ["KeyValueObservationOwner"]),
        "WhenChanged": MacroSpec(type: WhenChangedMacro.self),
    ]
}()

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
