// What the library does with a toolchain whose key paths it cannot read: it keeps its promises, and reads none.
#if !KEY_VALUE_OBSERVING_PLAIN
import KeyValueObserving
import TestSupport
import Testing

@Suite("1.8 Key paths of an unknown layout")
struct UnknownLayoutTests {
    /// Makes the layout one that is not known.
    private static func forgetLayout() {
        #expect(!KeyPathComponents.tryLayout { _ in nil })
    }

    @Test("1.8 Where one sample is read wrongly, nothing is read from then on")
    func nothingIsRead() async {
        await #expect(processExitsWith: .success) {
            Self.forgetLayout()
            #expect(!KeyPathComponents.isLayoutKnown && !KeyPathRoot.isCopyRight)
            #if !canImport(ObjectiveC)
            #expect(!PropertyOverrides.isLayoutKnown)
            #endif
        }
    }

    @Test("1.8 6.1 Where nothing is read, sets, accesses in place, paths and inherited properties are delivered")
    func promises() async {
        await #expect(processExitsWith: .success) {
            Self.forgetLayout()
            let (log, pupil, other) = (Log(), Pupil(), Pupil())
            pupil.next = other
            let tokens = [
                pupil.observe(\.age, options: [.old, .new]) { log.add($1, as: "age") },
                (pupil as Member).observe(\.age, options: .new) { log.add($1, as: "as Member") },
                pupil.observe(\.years, options: [.old, .new]) { log.add($1, as: "years") },
                pupil.observe(\.next?.age, options: .new) { log.add("next \($1.newValue! ?? -1)") },
                pupil.observe(\.mark, options: [.old, .new]) { log.add($1, as: "mark") },
            ]
            pupil.age = 1
            #expect(log.take() == ["age 0→1", "as Member ·→1", "years 0 years→1 years"])
            pupil.age += 1
            #expect(log.take() == ["age 1→2", "as Member ·→2", "years 1 years→2 years"])
            other.age = 5
            pupil.next = nil
            #expect(log.take() == ["next 5", "next -1"])
            pupil.mark += 3
            pupil.changeValue(for: \.mark) { pupil.mark = 4 }
            #expect(log.take() == ["mark 0→3", "mark 3→4"])
            for token in tokens { token.invalidate() }
            #expect(pupil.observationInfo.isEmpty)
        }
    }

    @Test("1.4 Where nothing is read, nothing is said of a path through an object that cannot be observed")
    func unobservableOwner() async {
        await #expect(processExitsWith: .success) {
            Self.forgetLayout()
            #expect(Self.observeThroughDesk() == 0)
        }
        await #expect(processExitsWith: .success) { #expect(Self.observeThroughDesk() == 1) }
    }

    /// - Returns: How much is said of it.
    private static func observeThroughDesk() -> Int {
        let (notes, pupil) = (Log(), Pupil())
        KeyValueDiagnostics.noteHandler = { notes.add($0) }
        let token = pupil.observe(\.desk.number) { _, _ in }
        #expect(!token.isInvalidated)
        return notes.take().count
    }
}

private class Member: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var age = 0
    var years: String { "\(age) years" }
}

private final class Pupil: Member {
    @Observed var next: Pupil?
    @Observed var mark = 0
    @Observed var desk = Desk()
}

private final class Desk {
    var number = 1
}
#endif
