// With a toolchain that breaks one of these, build the plain form: see Design.md, "Engine/Runtime".
#if !KEY_VALUE_OBSERVING_PLAIN
import KeyValueObserving
import Testing

@Suite("What Engine/Runtime knows of Swift")
struct RuntimeCheckTests {
    @Test("It holds with this toolchain", arguments: RuntimeCheck.allCases)
    func holds(_ check: RuntimeCheck) {
        let (found, expected) = check.findings
        #expect(found == expected, "\(check.rawValue)")
    }
}
#endif
