// What articles on Cocoa's key-value observing show, with the calls of this library.
import KeyValueObserving
import KeyValueObservingStyles
import TestSupport
import Testing

@Suite("Story: Cocoa's KVO")
struct CocoaStory {
    @Test("A4 One callback for all, told apart by key path and context; nobody removes anything in deinit")
    func oneCallback() {
        let pupil = Pupil()
        var teacher: Teacher? = Teacher()
        teacher!.kvo.observe(pupil, \.age, options: [.old, .new], context: "age")
        teacher!.kvo.observe(pupil, \.name, options: [.old, .new], context: 2)
        pupil.age = 7
        pupil.name = "Ada"
        #expect(teacher!.lines == ["age 0→7", "2 →Ada"])
        teacher = nil
        pupil.age = 8
        #expect(pupil.observationInfo.isEmpty && teacher == nil)
    }

    // #36
    @Test("D5 Address, class and description stay the same before, during and after; another instance is like it")
    func sameClass() {
        let (pupil, other) = (Pupil(), Pupil())
        func look(_ pupil: Pupil) -> [String] {
            ["\(ObjectIdentifier(pupil))", "\(type(of: pupil))", "\(pupil)", "\(type(of: pupil) == Pupil.self)"]
        }
        let before = look(pupil)
        let tokens = [pupil.observe(\.age) { _, _ in }, other.observe(\.age) { _, _ in }]
        #expect(look(pupil) == before && type(of: other) == type(of: pupil))
        for token in tokens { token.invalidate() }
        #expect(look(pupil) == before)
    }
}

private final class Pupil: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var age = 0
    @Observed var name = ""
    private var plainAge = 0
    var grade: Int { plainAge - 6 }

    static func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> {
        keyPath == \Pupil.grade ? [\Pupil.age] : []
    }
}

private final class Teacher: KeyValueObserver {
    private(set) lazy var kvo = KVOController(observer: self)
    private(set) var lines: [String] = []

    func observeValue(
        forKeyPath keyPath: AnyKeyPath, of object: AnyObject, change: KeyValueObservedChange<Any>,
        context: AnyHashable?
    ) {
        switch keyPath {
        case \Pupil.age, \Pupil.name: lines.append("\(context.map { "\($0)" } ?? "") \(text(of: change))")
        default: Issue.record("never observed")
        }
    }
}
