// The compiler plugin that expands macros, with the package's trait `Macros`.
#if Macros && canImport(SwiftSyntaxMacros)
import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct KeyValueObservingMacrosPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        KeyValueObservableMacro.self, ObservedByAccessorsMacro.self, KeyValueSharedMacro.self,
        NotObservedMacro.self, KeyValueCallbacksMacro.self, WhenChangedMacro.self,
    ]
}
#endif
