// What SJKVOController's article shows, with the calls of this library.
import KeyValueObserving
import KeyValueObservingStyles
import Testing

@Suite("Story: SJKVOController")
struct SJKVOControllerStory {
    private let model = Model()
    private let label = Label()

    @Test(
        "A5 B2 D1 Adding both keys in one call or in two, and the list and the label after each step",
        arguments: [1, 2])
    func story(calls: Int) {
        if calls == 1 {
            model.addObserver(label, for: [\.number, \.color], fileID: "S/J.swift", line: 1, changeHandler: Label.show)
        } else {
            model.addObserver(label, for: [\.number], fileID: "S/J.swift", line: 1, changeHandler: Label.show)
            model.addObserver(label, for: [\.color], fileID: "S/J.swift", line: 1, changeHandler: Label.show)
        }
        #expect(
            model.observationDescription == """
                2 registrations on Model:
                  number  [new, old]  Label  S/J.swift:1  delivered 0
                  color   [new, old]  Label  S/J.swift:1  delivered 0
                """)
        model.update(number: 7, color: "red")
        #expect(label.text == "7" && label.color == "red")

        // The same again is not added.
        model.addObserver(label, for: [\.number, \.color], fileID: "S/J.swift", line: 1, changeHandler: Label.show)
        #expect(model.observationInfo.count == 2)

        model.removeObserver(label, for: \.number)
        #expect(model.observationInfo.map { [$0.keyPath, $0.observer] } == [["color", "Label"]])
        model.update(number: 8, color: "blue")
        #expect(label.text == "7" && label.color == "blue")
    }

    @Test("B2 D1 Removing both keys in one call, the observer, or all: the list is a sentence", arguments: 0..<3)
    func removing(way: Int) {
        model.addObserver(label, for: [\.number, \.color], changeHandler: Label.show)
        switch way {
        case 0: model.removeObserver(label, for: \.number, \.color)
        case 1: model.removeObserver(label)
        default: model.removeAllObservers()
        }
        #expect(model.observationDescription == "Nobody observes this Model.")
        model.update(number: 9, color: "green")
        #expect(label.text == "" && label.color == "")
    }
}

private final class Model: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 0
    @Observed var color = ""

    func update(number: Int, color: String) {
        self.number = number
        self.color = color
    }
}

private final class Label {
    var text = ""
    var color = ""

    static func show(_ label: Label, _ model: Model, _ change: KeyValueObservedChange<Any>) {
        switch change.keyPath {
        case \Model.number: label.text = "\(change.requiredNewValue)"
        default: label.color = "\(change.requiredNewValue)"
        }
    }
}
