// FBKVOController's examples, with the calls of this library.
import KeyValueObserving
import KeyValueObservingStyles
import Testing

@Suite("Story: FBKVOController")
struct FBKVOControllerStory {
    @Test("B9 A view controller watches its own index through its lazily made controller, and nothing is left of it")
    func ownIndex() {
        var pages: Pages? = Pages()
        weak let weakPages = pages
        pages!.watch()
        pages!.index = 2
        #expect(pages!.shown == [2])
        pages = nil
        #expect(weakPages == nil)
    }

    @Test("B4 A clock view shows the date from the beginning; releasing it ends everything")
    func clockView() {
        let clock = Clock()
        var view: ClockView? = ClockView(clock)
        clock.date = 1
        #expect(view!.shown == ["0", "1"])
        view = nil
        #expect(clock.observationInfo.isEmpty && view == nil)
    }

    // #68
    @Test("B11 A registration with .initial whose handler unobserves at once ends in a controller without infos")
    func unobservedAtOnce() {
        let (clock, view) = (Clock(), Callbacks())
        let controller = KVOController(observer: view)
        controller.observe(clock, \.date, options: .initial) { [unowned controller] view, clock, _ in
            view.lines.append("once")
            controller.unobserve(clock, \.date)
        }
        clock.date = 1
        #expect(view.lines == ["once"] && clock.observationInfo.isEmpty)
        #expect(controller.debugDescription.hasSuffix("observing nothing"))
    }

    @Test("B1 B7 Removing what was never added is nothing; a retaining controller lets go with the last key path")
    func removing() {
        let view = Callbacks()
        let controller = KVOController(observer: view)
        controller.unobserve(Clock(), \.date)
        controller.unobserve(Clock())
        controller.unobserveAll()
        var clock: Clock? = Clock()
        weak let weakClock = clock
        controller.observe(clock, \.date) { _, _, _ in }
        controller.observe(clock, \.zone) { _, _, _ in }
        clock = nil
        controller.unobserve(weakClock, \.date)
        #expect(weakClock != nil)
        controller.unobserve(weakClock, \.zone)
        #expect(weakClock == nil)
        controller.observe(Clock(), \.date) { _, _, _ in }
        controller.unobserveAll()
        #expect(controller.debugDescription.hasSuffix("observing nothing"))
    }
}

private final class Clock: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var date = 0
    @Observed var zone = "UTC"
}

private final class Pages: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var index = 0
    private(set) var shown: [Int] = []

    func watch() {
        kvoController.observe(self, \.index, options: .new) { pages, _, change in
            pages.shown.append(change.requiredNewValue)
        }
    }
}

private final class ClockView {
    private(set) var shown: [String] = []
    private lazy var kvo = KVOController(observer: self)

    init(_ clock: Clock) {
        kvo.observe(clock, \.date, options: [.initial, .new]) { view, _, change in
            view.shown.append("\(change.requiredNewValue)")
        }
    }
}

private final class Callbacks: KeyValueObserver {
    var lines: [String] = []

    func observeValue(
        forKeyPath keyPath: AnyKeyPath, of object: AnyObject, change: KeyValueObservedChange<Any>,
        context: AnyHashable?
    ) {
        lines.append("\(change.requiredNewValue) \(keyPath == \Clock.date) \(context.map { "\($0)" } ?? "")")
    }
}
