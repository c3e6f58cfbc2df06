// What is done to follow paths quickly must not be seen: values of all kinds, getters that change something.
import KeyValueObserving
import TestSupport
import Testing

@Suite("6 Paths and their values")
struct PathValueTests {
    private let log = Log()

    @Test("6.1 A value behind an optional is delivered whatever its size, and a nil in it is not the path's")
    func valuesBehindOptional() {
        let (holder, values) = (ValueHolder(), Values())
        holder.values = values
        let observations = [
            holder.observe(\.values?.flag, options: [.old, .new]) { log.add($1) },
            holder.observe(\.values?.number, options: [.old, .new]) { log.add($1) },
            holder.observe(\.values?.text, options: [.old, .new]) { log.add($1) },
            holder.observe(\.values?.large, options: [.old, .new]) {
                log.add("\($1.oldValue??.last ?? -1)→\($1.newValue??.last ?? -1)")
            },
            holder.observe(\.values?.items, options: [.old, .new]) { log.add($1) },
        ]
        values.flag = true
        values.number = 300
        values.text = "a text that is too long to lie in the string itself"
        values.large = Large(last: 9)
        values.mutable(\.items).append(1)
        values.mutable(\.items).remove(at: 0)
        #expect(
            log.take() == [
                "false→true", "0→300", "→a text that is too long to lie in the string itself", "0→9",
                "insertion ·→[1]", "removal [1]→·",
            ])
        withExtendedLifetime(observations) {}
    }

    @Test("6.2 An object of another class on the way is read as one of its own")
    func otherClasses() {
        let holder = ValueHolder()
        let observation = holder.observe(\.values?.number, options: [.old, .new]) { log.add($1) }
        let (plain, shifted) = (Values(), ShiftedValues())
        for values in [plain, shifted, plain, shifted] { holder.values = values }
        shifted.number = 1
        shifted.shift = 20
        plain.number = 5
        #expect(log.take() == ["nil→0", "0→10", "10→0", "0→10", "10→11", "11→21"])
        withExtendedLifetime(observation) {}
    }

    @Test("6.4 Objects that take turns on a way that meets one of them twice")
    func sameObjectTwice() {
        let (root, other) = (Person(), Person())
        root.name = "root"
        other.name = "other"
        let observation = root.observe(\.friend?.friend?.name, options: [.old, .new]) { log.add($1) }
        other.friend = root
        root.friend = other
        root.friend = root
        root.name = "changed"
        root.friend = other
        other.friend = other
        other.name = "end"
        #expect(
            log.take() == [
                "nil→root", "root→root", "root→changed", "changed→changed", "changed→other", "other→end",
            ])
        observation.invalidate()
        // Objects that refer to one another would stay.
        other.friend = nil
    }
}

private struct Large: Equatable {
    var words = (1, 2, 3, 4, 5, 6)
    var last = 0

    init(last: Int = 0) { self.last = last }

    static func == (left: Large, right: Large) -> Bool { left.last == right.last }
}

private class Values: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var flag = false
    @Observed var number = 0
    @Observed var text = ""
    @Observed var large = Large()
    @Observed var items: [Int] = []
}

private final class ShiftedValues: Values {
    @Observed var shift = 10
    override var number: Int {
        get { super.number + shift }
        set { super.number = newValue }
    }
}

private final class ValueHolder: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var values: Values?
}
