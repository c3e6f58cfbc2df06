// The core's random programs, with objects of classes that the macro declares.
import Testing

@Suite("Random programs with macro-declared classes")
struct DeclaredProgramTests {
    @Test(
        "20.2 4.1 Every delivery of properties with code of their own is what the model expects of announced ones",
        arguments: 1...2 as ClosedRange<UInt64>)
    func watched(seed: UInt64) {
        var run = ProgramRun(seed: seed, steps: 5_000)
        if let failure = run.failure() { Issue.record("\(failure)") }
    }
}
