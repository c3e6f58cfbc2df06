// Conformance cases of group 5: properties whose value depends on others.
import KeyValueObserving
import TestSupport
import Testing

@Suite("Conformance 5: dependent keys")
struct DependentKeyCases {
    private let sample = Sample()
    private let watcher = Watcher()

    @Test("#118 A dependent property is delivered once, with its own value")
    func dependent() {
        watcher.watch(sample, \.derived, as: "computed", .new)
        watcher.watch(sample, \.echo, as: "stored", .new)
        sample.text = "Hello"
        #expect(watcher.take() == ["computed ·→!!!Hello!!!", "stored ·→(Hello)"])
        sample.number = 1
        #expect(watcher.take() == [])
    }

    @Test("#119 A property that depends on a dependent one is delivered once")
    func twiceDependent() {
        watcher.watch(sample, \.twiceDerived, .new)
        sample.text = "KVO"
        #expect(watcher.take() == ["·→---!!!KVO!!!---"])
        sample.text = "$$$"
        #expect(watcher.take() == ["·→---!!!$$$!!!---"])
    }

    @Test("#121 What depends on two parts of an object is delivered once when the object comes (5.2)")
    func twoSubKeys() {
        let child = Sample("child")
        watcher.watch(sample, \.bothTriggers, .new)
        sample.child = child
        #expect(watcher.take() == ["·→false"])
        child.firstTrigger = true
        #expect(watcher.take() == ["·→false"])
        child.secondTrigger = true
        #expect(watcher.take() == ["·→true"])
    }

    @Test("#122 Of two properties that declare each other both are delivered once per change of either (5.2)")
    func cycleOfTwo() {
        watcher.watch(sample, \.left, as: "left", .new)
        watcher.watch(sample, \.right, as: "right", .new)
        sample.left = 1
        #expect(watcher.take() == ["left ·→1", "right ·→0"])
        sample.right = 2
        #expect(watcher.take() == ["left ·→1", "right ·→2"])
    }

    @Test("#123 In declared rings of two and of three, a change of what they all read is delivered once to each (5.2)")
    func ringsWithLeaf() {
        let rings = Rings()
        watcher.watch(rings, \.a, as: "a", [.old, .new])
        watcher.watch(rings, \.y, as: "y", [.old, .new])
        rings.leaf = 1
        #expect(watcher.take() == ["a 0→1", "y 0→20"])
        watcher.watch(rings, \.b, as: "b", .new)
        watcher.watch(rings, \.x, as: "x", .new)
        watcher.watch(rings, \.z, as: "z", .new)
        rings.leaf = 2
        #expect(watcher.take() == ["a 1→2", "y 20→40", "b ·→4", "x ·→20", "z ·→60"])
    }

    @Test(
        "#124 A change is delivered once where paths meet in one object, and not at all behind nil",
        arguments: [true, false])
    func aliasedMiddles(isDeclared: Bool) {
        let root = Crossing()
        let start = Crossing()
        let shared = Crossing()
        let side = Crossing()
        (root.a, start.b, start.c, side.b) = (start, shared, side, shared)
        if isDeclared { watcher.watch(root, \.declared) } else { watcher.watch(root, \.computed) }
        func told() -> Int { watcher.take().count }

        shared.e = 1
        #expect(told() == 1)
        let newC = Crossing()
        let d = Crossing()
        newC.d = d
        shared.c = newC
        #expect(told() == 1)
        shared.e = 2
        #expect(told() == 1)
        d.f = 1
        #expect(told() == 1)
        newC.d = nil
        #expect(told() == 1)
        d.f = 2
        #expect(told() == 0)
        shared.c = nil
        #expect(told() == 1)
        shared.e = 3
        #expect(told() == 1)
    }

    @Test("#125 A stored property that declares a dependency delivers changes of that, and its own sets")
    func dependentAndIndependent() {
        let amount = Amount()
        watcher.watch(amount, \.aFloat, [.old, .new])
        amount.anInt = 3
        #expect(watcher.take() == ["0.0→0.0"])
        amount.aFloat = 1.5
        #expect(watcher.take() == ["0.0→1.5"])
    }

    @Test("#126 A full name follows the parts of another object")
    func nestedDependency() {
        let holder = NameHolder()
        holder.name.first = "Jane"
        watcher.watch(holder, \.fullName, [.old, .new])
        holder.name.last = "Doe"
        #expect(watcher.take() == ["Jane →Jane Doe"])
        holder.name = NameParts()
        #expect(watcher.take() == ["Jane Doe→ "])
    }

    @Test("#127 A dependent property delivers what it was and what it is; what is not observed changes silently")
    func oldAndNew() {
        final class Legacy: KeyValueObservable {
            let keyValueRegistrar = KeyValueRegistrar()
            @Observed var first = ""
            var middle = ""
            @Observed var last = ""
            var fullName: String { "\(first) \(middle) \(last)" }
        }
        let legacy = Legacy()
        watcher.watch(legacy, \.fullName, [.old, .new])
        legacy.first = "Hey"
        legacy.middle = "Not"
        legacy.last = "You"
        #expect(watcher.take() == ["  →Hey  ", "Hey  →Hey Not You"])
    }

    @Test("#130 A dependent of a dependent has the old value from before the change")
    func dependentOldValues() {
        let renamed = Renamed(alreadyNamed: "paul")
        watcher.watch(renamed, \.bobName, as: "bob", .old)
        watcher.watch(renamed, \.twiceRemoved, as: "twice", .old)
        renamed.name = "bob"
        #expect(watcher.take() == ["bob BOB! paul→·", "twice BOB! paul twice→·"])
        #expect(renamed.bobName == "BOB! set_bob")
    }

    @Test("#131 Nothing is declared for a property that the class does not mention")
    func nothingDeclared() {
        #expect(Person.keyPathsAffectingValue(for: \Person.age) == [])
        #expect(Sample.keyPathsAffectingValue(for: \Sample.number) == [])
        #expect(Sample.keyPathsAffectingValue(for: \Sample.left) == [\Sample.right])
    }

    @Test("#132 A subclass adds to what its superclass declares, and the superclass keeps its own (5.1)")
    func subclassAdds() {
        let derived = Widened()
        watcher.watch(derived, \.total, as: "derived", .new)
        derived.base = 1
        derived.added = 2
        #expect(watcher.take() == ["derived ·→0", "derived ·→0"])
        let base = Totalled()
        watcher.watch(base, \.total, as: "base", .new)
        base.base = 1
        #expect(watcher.take() == ["base ·→0"])
    }

    @Test(
        "#132 What is declared for a computed property holds for an object of a subclass")
    func declaredForInheritedComputed() {
        let derived = Widened()
        watcher.watch(derived as Totalled, \.sum, .new)
        derived.base = 1
        #expect(watcher.take() == ["·→0"])
    }

    @Test("#122 A property that declares a dependency follows it after it was itself hooked by another (5.1)")
    func declaredAfterHooked() {
        let amount = Amount()
        watcher.watch(amount, \.doubled)
        watcher.watch(amount, \.aFloat, as: "float")
        #expect(watcher.take() == [])
        amount.anInt = 1
        #expect(watcher.take() == ["·→·", "float ·→·"])
    }

    @Test("#132 An override that reads more is followed, whoever observed it before (5.1)", arguments: [false, true])
    func overrideReadsMore(isHookedBefore: Bool) {
        final class Flattered: Person {
            @Observed var bonus = 0
            override var age: Int {
                get { super.age + bonus }
                set { super.age = newValue }
            }
        }
        let flattered = Flattered()
        if isHookedBefore { watcher.watch(flattered, \.isAdult, as: "adult", .new) }
        watcher.watch(flattered as Person, \.age, as: "age", .new)
        flattered.bonus = 18
        #expect(watcher.take() == (isHookedBefore ? ["adult ·→true"] : []) + ["age ·→18"])
        flattered.age = 1
        #expect(watcher.take() == (isHookedBefore ? ["adult ·→true"] : []) + ["age ·→19"])
    }

    @Test("#134 Two objects that depend on a third deliver once each, with equal values too")
    func crossObject() {
        let shared = Bar()
        let foos = [Foo(shared), Foo(shared)]
        foos[0].a = 1
        foos[1].a = 2
        watcher.watch(foos[0], \.b, as: "1", [.old, .new])
        watcher.watch(foos[1], \.b, as: "2", [.old, .new])
        shared.x = 1
        #expect(watcher.take() == ["1 1→2", "2 2→3"])
        shared.x = 1
        #expect(watcher.take() == ["1 2→2", "2 3→3"])
        foos[0].a = 2
        #expect(watcher.take() == ["1 2→3"])
    }

    @Test("#138 What is computed from the elements of a collection follows the collection and each element (5.1)")
    func computedFromElements() {
        final class Order: KeyValueObservable {
            let keyValueRegistrar = KeyValueRegistrar()
            @Observed var lines: [Sample] = []
            var sum: UInt32 { lines.reduce(0) { $0 + $1.number } }
        }
        let order = Order()
        let lines = [Sample("1"), Sample("2")]
        watcher.watch(order, \.sum, [.old, .new])
        order.lines = lines
        lines[1].number = 2
        #expect(watcher.take() == ["0→0", "0→2"])
        order.lines.removeLast()
        lines[1].number = 3
        lines[0].number = 4
        #expect(watcher.take() == ["2→0", "0→4"])
    }

    @Test("#139 Prior, old and new on a dependent property make exactly one pair")
    func priorOfDependent() {
        sample.text = "a"
        watcher.watch(sample, \.derived, [.prior, .old, .new])
        sample.text = "b"
        #expect(watcher.take() == ["prior !!!a!!!→·", "!!!a!!!→!!!b!!!"])
    }

    @Test("#140 A dependency that leads through a path follows a set made through the path")
    func setThroughPath() {
        final class Shop: KeyValueObservable {
            let keyValueRegistrar = KeyValueRegistrar()
            @Observed var shelf = Sample("shelf", text: "cheddar")
            var cheese: String { "observed \(shelf.text ?? "none")" }
        }
        let shop = Shop()
        watcher.watch(shop, \.cheese, [.old, .new])
        shop[keyPath: \.shelf.text] = "brie"
        #expect(watcher.take() == ["observed cheddar→observed brie"])
    }
}
