// No code of a user's type runs under a lock of the library: 9.3.
import Foundation
import KeyValueCoding
import KeyValueObserving
import TestSupport
import Testing

@Suite("9.3 Code of users and the library's locks", .timeLimit(.minutes(10)))
struct UserCodeUnderLockTests {
    @Test(
        "9.3 The == and hash of a key path's argument may observe, change and ask about the same object",
        arguments: ArgumentCall.allCases)
    func argumentCalls(call: ArgumentCall) async {
        await #expect(processExitsWith: .success) { [call] in
            stopsItself {
                let drawer = Drawer()
                let controller = KVOController(observer: drawer)
                let shared = Unchecked(value: controller)
                Label.hook.withLock { hook in
                    hook = {
                        switch call {
                        case .observationInfo: _ = drawer.observationInfo
                        case .observe: drawer.observe(\.content) { _, _ in }.invalidate()
                        case .isObserved: _ = drawer.isObserved(\.content)
                        case .set: drawer.content += 1
                        case .controller: shared.value.unobserve(drawer, \.content)
                        }
                    }
                }
                for round in 0..<3 {
                    let tokens = (0..<3).map { number in
                        drawer.observe(\.[Label(number)], options: [.old, .new]) { _, _ in }
                    }
                    controller.observe(drawer, \.[Label(round)]) { _, _, _ in }
                    _ = drawer.isObserved(\.[Label(1)])
                    drawer.content += 1
                    drawer.willChangeValue(for: \.[Label(2)])
                    drawer.didChangeValue(for: \.[Label(2)])
                    _ = drawer.observationInfo
                    controller.unobserve(drawer, \.[Label(round)])
                    tokens[0].invalidate()
                }
                Label.hook.withLock { $0 = nil }
            }
        }
    }

    enum ArgumentCall: CaseIterable, Codable, Sendable { case observationInfo, observe, isObserved, set, controller }

    @Test(
        "9.3 What a handler captured may call its controller when it is let go",
        arguments: Ending.allCases)
    func captures(ending: Ending) async {
        await #expect(processExitsWith: .success) { [ending] in
            stopsItself {
                let person = Person()
                var screen: Screen? = Screen()
                let controller = KVOController(
                    observer: screen!, retainsObserved: false, duplicates: ending == .replaced ? .replace : .ignore)
                var gone = 0
                for _ in 0..<3 {
                    var subject: Person? = ending == .swept ? Person() : person
                    let guest = Guest {
                        gone += 1
                        controller.unobserve(person, \.name)
                        controller.observe(person, \.tags) { _, _, _ in }
                        controller.unobserve(person)
                        _ = controller.debugDescription
                    }
                    controller.observe(subject, \.age) { [guest] _, _, _ in withExtendedLifetime(guest) {} }
                    subject = nil
                    switch ending {
                    case .replaced: controller.observe(person, \.age) { _, _, _ in }
                    case .keyPath: controller.unobserve(person, \.age)
                    case .object: controller.unobserve(person)
                    case .all: controller.unobserveAll()
                    case .swept: for _ in 0..<50 { controller.observe(Person(), \.age) { _, _, _ in } }
                    case .observerGone:
                        screen = nil
                        person.age += 1
                        controller.observe(person, \.name) { _, _, _ in }
                    }
                    controller.unobserve(person, \.age)
                }
                controller.unobserveAll()
                #expect(gone > 0)
                withExtendedLifetime(screen) {}
            }
        }
    }

    @Test(
        "9.3 D6 What a class says of its properties may wait for a lock under which others register",
        arguments: ClassQuestion.allCases)
    func classAnswers(question: ClassQuestion) async {
        await #expect(processExitsWith: .success) { [question] in
            stopsItself {
                let (isAsked, isLocked) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
                let userLock = NSLock()
                Waiting.hook.withLock { hook in
                    hook = {
                        isAsked.signal()
                        isLocked.wait()
                        isLocked.signal()
                        userLock.withLock {}
                    }
                }
                onThreads(2) { thread in
                    if thread == 0 { return question.ask() }
                    // The other thread is asking the class.
                    isAsked.wait()
                    Waiting.hook.withLock { $0 = nil }
                    userLock.withLock {
                        isLocked.signal()
                        question.ask()
                    }
                }
            }
        }
    }

    enum ClassQuestion: CaseIterable, Codable, Sendable {
        case stored, computed, keys

        func ask() {
            let waiting = Waiting()
            switch self {
            case .stored: waiting.observe(\.number) { _, _ in }.invalidate()
            case .computed: waiting.observe(\.doubled) { _, _ in }.invalidate()
            case .keys: _ = try? waiting.value(forKey: "number")
            }
        }
    }

    enum Ending: CaseIterable, Codable, Sendable { case replaced, keyPath, object, all, swept, observerGone }
}

/// Calls a function when it goes.
private final class Guest {
    private let whenGone: () -> Void

    init(_ whenGone: @escaping () -> Void) { self.whenGone = whenGone }

    deinit { whenGone() }
}

/// An argument that calls a function when it is compared or hashed, but not from inside that.
private struct Label: Hashable {
    static let hook = Guarded<(@Sendable () -> Void)?>(nil)

    let number: Int

    init(_ number: Int) { self.number = number }

    static func == (left: Self, right: Self) -> Bool {
        callHook()
        return left.number == right.number
    }

    func hash(into hasher: inout Hasher) {
        Self.callHook()
        hasher.combine(number)
    }

    private static func callHook() {
        let key = "is calling"
        let thread = Thread.current.threadDictionary
        guard thread[key] == nil, let hook = hook.withLock({ $0 }) else { return }
        thread[key] = true
        hook()
        thread[key] = nil
    }
}

private final class Drawer: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var content = 0

    /// Notifies by hand.
    subscript(label: Label) -> Int {
        accessValue(for: \.[label])
        return label.number
    }
}

/// Calls a function when it is asked what it says of its properties.
private final class Waiting: KeyValueCodable {
    static let hook = Guarded<(@Sendable () -> Void)?>(nil)

    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var number = 0
    var doubled: Int { number * 2 }

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool {
        hook.withLock { $0 }?()
        return true
    }

    static var keyPathsByKey: [String: AnyKeyPath] {
        hook.withLock { $0 }?()
        return ["number": \Waiting.number]
    }
}
