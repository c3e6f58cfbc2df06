// What the compiler starts to expand macros; with the package's trait `Macros` only.
#if Macros && canImport(SwiftSyntaxMacros)
import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct KeyValueObservingMacrosPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        KeyValueObservableMacro.self, ObservedByAccessorsMacro.self, ObservedSharedMacro.self,
        NotObservedMacro.self, KeyValueCallbacksMacro.self, WhenChangedMacro.self,
    ]
}
#else
/// Without the trait there is no swift-syntax, and nothing to expand.
@main
struct KeyValueObservingMacrosPlugin {
    static func main() {}
}
#endif
