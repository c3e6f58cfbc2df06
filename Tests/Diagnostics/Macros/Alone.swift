// Macros without any other import: each part below is compiled with this head, and must draw the message of its first line.
import KeyValueObservingMacros

// expect: (it compiles)
@KeyValueObservable
class Person {
    var age = 0
    var name = "" { didSet { print(name) } }
    func watch() -> KeyValueObservation { onChange(of: \.age) { print($0, $1) } }
}

@KeyValueCallbacks
final class Screen {
    @WhenChanged(\Person.age) func show(_ new: Int, old: Int) {}
}

// expect: age has no shape that @WhenChanged can call
@KeyValueObservable
final class Person { var age = 0 }

@KeyValueCallbacks
final class Screen {
    @WhenChanged(\Person.age) func age(old: Int, new: Int) {}
}

// expect: coding must be the literal true
private let isCoded = true
@KeyValueObservable(coding: isCoded)
final class Person { var age = 0 }
