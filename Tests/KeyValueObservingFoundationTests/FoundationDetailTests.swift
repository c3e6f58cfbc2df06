// Classes of Foundation, in the cases that come up seldom: D15.
import Foundation
import KeyValueObserving
import KeyValueObservingFoundation
import KeyValueObservingSwizzling
import TestSupport
import Testing

@Suite("D15 Classes of Foundation, in the cases that come up seldom")
struct FoundationDetailTests {
    private let log = Log()

    @Test("D15 The kind of a progress is stored, read and observed")
    func kind() throws {
        let log = log
        let progress = Progress(totalUnitCount: 10)
        let notifying = try NotifyingProgress.makeObservable(progress)
        let token = notifying.observe(\.kind, options: [.old, .new]) { _, change in
            log.add("\(change.oldValue??.rawValue ?? "nil") → \(change.newValue??.rawValue ?? "nil")")
        }
        progress.kind = .file
        #expect(log.take() == ["nil → \(ProgressKind.file.rawValue)"] && progress.kind == .file)
        progress.kind = nil
        #expect(log.take() == ["\(ProgressKind.file.rawValue) → nil"] && progress.kind == nil)
        withExtendedLifetime(token) {}
    }

    @Test("D15 A truth value is written to the defaults by its type")
    func truthValue() throws {
        let suite = "KeyValueObservingFoundationTests.\(UUID().uuidString)"
        let plain = try #require(UserDefaults(suiteName: suite))
        defer { plain.removePersistentDomain(forName: suite) }
        let defaults = try NotifyingUserDefaults.makeObservable(plain)
        for value in [true, false] {
            defaults[bool: "a"] = value
            #expect(plain.bool(forKey: "a") == value && defaults[bool: "a"] == value)
            #expect(plain.object(forKey: "a") != nil)
        }
    }

    @Test("D15 8.4 Data that are an archive of a URL are that URL")
    func archivedURL() throws {
        let suite = "KeyValueObservingFoundationTests.\(UUID().uuidString)"
        let plain = try #require(UserDefaults(suiteName: suite))
        defer { plain.removePersistentDomain(forName: suite) }
        let defaults = try NotifyingUserDefaults.makeObservable(plain)
        let log = log
        let token = defaults.observe(\.[url: "a"], options: [.old, .new]) { log.add($1) }
        let url = try #require(NSURL(string: "https://example.org/a?b=c"))
        plain.set(try NSKeyedArchiver.archivedData(withRootObject: url, requiringSecureCoding: true), forKey: "a")
        #expect(log.take() == ["nil→https://example.org/a?b=c"] && defaults[url: "a"]?.query == "b=c")
        withExtendedLifetime(token) {}
    }

    @Test("D15 An operation that has finished is not cancelled any more, and nobody is called")
    func cancelledLate() {
        let log = log
        let operation = NotifyingOperation()
        operation.start()
        let token = operation.observe(\.isCancelled, options: [.old, .new]) { log.add($1) }
        operation.cancel()
        #expect(operation.isFinished && log.take() == [])
        withExtendedLifetime(token) {}
    }
}
