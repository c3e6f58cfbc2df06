// The classic: a ticking model, a controller, one line a second. `clock 5` stops after five ticks.
import Foundation
import KeyValueObserving

final class Clock: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var date = Date()
    var time: String { date.formatted(date: .omitted, time: .standard) }
}

final class Display {
    private(set) lazy var kvo = KVOController(observer: self)

    func show(_ clock: Clock) {
        kvo.observe(clock, \.time, options: .new) { display, _, change in
            display.draw(change.requiredNewValue)
        }
    }

    // Unbuffered, so that a pipe sees each line when it is drawn.
    private func draw(_ time: String) { FileHandle.standardOutput.write(Data("\(time)\n".utf8)) }
}

let argument = CommandLine.arguments.dropFirst().first
var ticksLeft = argument.map { Int($0) ?? -1 } ?? .max
guard ticksLeft >= 0 else {
    FileHandle.standardError.write(Data("usage: clock [number of ticks]\n".utf8))
    exit(64)
}
let clock = Clock()
let display = Display()
display.show(clock)
while ticksLeft > 0 {
    clock.date = Date()
    ticksLeft -= 1
    if ticksLeft > 0 { Thread.sleep(forTimeInterval: 1) }
}
