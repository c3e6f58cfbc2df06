// Getters, announcements, accesses in place and changes of elements where they meet: 3.5, 7.5 and others.
import KeyValueObserving
import TestSupport
import Testing

@Suite("3.5 Getters, announcements and elements that meet")
struct OverlapDetailTests {
    private let log = Log()

    @Test("3.5 While the way to a collection is accessed in place, a change of its elements reads nothing on the way")
    func elementsWithinAnAccess() async {
        await #expect(processExitsWith: .success) {
            let (rack, box) = (Rack(), SpecialBox())
            rack.box = box
            var news: [[Int]?] = []
            let token = rack.observe(\.box.items, options: .new) { news.append($1.newValue) }
            access(&rack.box) { (box as Box).mutable(\.items).append(1) }
            #expect(news == [[1]])
            withExtendedLifetime(token) {}
        }
    }

    @Test("3.4 A getter that changes what it reads each time it is called from outside ends", .timeLimit(.minutes(10)))
    func restlessGetter() {
        let restless = Restless()
        let chain = Chain<Int>()
        let token = restless.observe(\.shown, options: [.old, .new]) { chain.add($1) }
        restless.isRestless = true
        restless.source = 5
        restless.isRestless = false
        restless.source = 6
        #expect(restless.shown == 6)
        withExtendedLifetime(token) {}
    }

    @Test("1.6 3.5 A change that is announced within an access and ends after it keeps nothing alive")
    func endedAfterTheAccess() {
        weak var weakBox: Box?
        do {
            let box = Box()
            weakBox = box
            let token = box.observe(\.reads, options: [.old, .new]) { log.add($1) }
            box.willChangeValue(for: \.reads)
            box.reads.change {
                $0 = 3
                box.didChangeValue(for: \.reads)
            }
            #expect(log.take() == ["0→3"])
            withExtendedLifetime(token) {}
        }
        #expect(weakBox == nil)
    }

    @Test("3.5 A surplus did inside an access in place is ignored")
    func surplusInside() {
        let box = Box()
        let token = box.observe(\.reads, options: [.old, .new]) { log.add($1) }
        box.reads.change {
            $0 = 3
            box.didChangeValue(for: \.reads)
            $0 = 4
        }
        #expect(log.take() == ["0→4"])
        withExtendedLifetime(token) {}
    }

    @Test(
        "P3 3.5 A handler that is called before a change may end it; later changes are delivered",
        arguments: [false, true])
    func endedBefore(isComputed: Bool) {
        let box = Box()
        let keyPath = isComputed ? \Box.doubled : \.reads
        let token = box.observe(keyPath, options: [.prior, .old, .new]) { box, change in
            log.add(change)
            if change.isPrior, box.reads == 0 { box.didChangeValue(for: keyPath) }
        }
        box.willChangeValue(for: keyPath)
        #expect(log.take() == ["prior 0→·", "0→0"])
        box.reads = 1
        box.didChangeValue(for: keyPath)
        #expect(log.take() == ["prior 0→·", isComputed ? "0→2" : "0→1"])
        withExtendedLifetime(token) {}
    }

    @Test("1.6 3.5 A will without a did does not keep an old value that nobody asks for any more")
    func oldOfOpenChange() {
        var child: Box? = Box()
        weak let weakChild = child
        let box = Box()
        box.child = child
        let token = box.observe(\.child, options: .old) { _, _ in }
        let remaining = box.observe(\.child, options: []) { _, _ in }
        box.willChangeValue(for: \.child)
        token.invalidate()
        (box.child, child) = (nil, nil)
        #expect(weakChild == nil)
        box.didChangeValue(for: \.child)
        withExtendedLifetime(remaining) {}
    }
}

private class Box: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var child: Box?
    var doubled: Int { reads * 2 }
    @Observed var items: [Int] = []
    @Observed var reads = 0
}

private final class SpecialBox: Box {
    override var items: [Int] {
        get { super.items }
        set { super.items = newValue }
    }
}

private final class Rack: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var box = Box()
}

private final class Restless: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var source = 0
    @Observed private var turns = 0
    var isRestless = false
    private var isInside = false
    var shown: Int {
        if isRestless, !isInside {
            isInside = true
            turns += 1
            isInside = false
        }
        return source + turns * 0
    }
}

extension Int {
    @inline(never) fileprivate mutating func change(_ body: (inout Int) -> Void) { body(&self) }
}

@inline(never) private func access(_ box: inout Box, _ body: () -> Void) { body() }
