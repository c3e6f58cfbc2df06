// The defaults of a user: D15.
import Foundation
import KeyValueCoding
import KeyValueObserving
import KeyValueObservingFoundation
import KeyValueObservingSwizzling
import TestSupport
import Testing

@Suite("D15 UserDefaults", .enabled(if: RuntimeAssumption.objectClasses.holds))
final class UserDefaultsTests {
    private let kept = Kept()
    private let suite = "KeyValueObservingFoundationTests.\(UUID().uuidString)"
    private let plain: UserDefaults
    private let defaults: NotifyingUserDefaults
    private let log = Log()

    init() throws {
        plain = try #require(UserDefaults(suiteName: suite))
        defaults = try NotifyingUserDefaults.makeObservable(plain)
    }

    deinit { plain.removePersistentDomain(forName: suite) }

    @Test("D15 15.4 Each key is a property of its own; all setters are seen, whatever the type")
    func keys() {
        let log = log
        [
            defaults.observe(\.["a"], options: [.old, .new]) { log.add($1, as: "a") },
            defaults.observe(\.["b"], options: [.old, .new]) { log.add($1, as: "b") },
        ].store(in: kept)
        plain.set("text", forKey: "a")
        plain.set(1, forKey: "b")
        plain.set(2.5, forKey: "a")
        plain.set(true, forKey: "a")
        plain.set(Float(0.5), forKey: "a")
        #expect(log.take() == ["a nil→text", "b nil→1", "a text→2.5", "a 2.5→true", "a true→0.5"])
        plain.removeObject(forKey: "a")
        plain.set(Data([1]), forKey: "b")
        plain.set(nil as Any?, forKey: "b")
        #expect(log.take() == ["a 0.5→nil", "b 1→1 bytes", "b 1 bytes→nil"])
        plain.set(URL(fileURLWithPath: "/tmp"), forKey: "a")
        #expect(log.take() == ["a nil→/tmp"])
        defaults["a"] = 7
        #expect(log.take() == ["a /tmp→7"] && plain.integer(forKey: "a") == 7)
    }

    @Test("D15 8.4 Data that is no archive of a URL is no URL, and one that is, is that")
    func urls() throws {
        defaults.observe(\.[url: "url"], options: [.old, .new]) { [log] in log.add($1) }.store(in: kept)
        let url = try #require(NSURL(string: "https://example.org/a?b=c"))
        let archive = try NSKeyedArchiver.archivedData(withRootObject: url, requiringSecureCoding: true)
        let list = try PropertyListSerialization.data(fromPropertyList: ["a": 1], format: .binary, options: 0)
        for data in [archive, Data(), Data("bplist00 and no more".utf8), list] { plain.set(data, forKey: "url") }
        plain.set(URL(fileURLWithPath: "/"), forKey: "url")
        #expect(
            log.take() == [
                "nil→https://example.org/a?b=c", "https://example.org/a?b=c→nil", "nil→nil", "nil→nil",
                "nil→\(defaults[url: "url"]?.absoluteString ?? "")",
            ])
        #expect(plain.url(forKey: "url")?.path == "/")
    }

    @Test("D15 Keys with types, read and written")
    func types() {
        let log = log
        [
            defaults.observe(\.[string: "s"], options: [.old, .new]) { log.add($1) },
            defaults.observe(\.[integer: "i"], options: [.old, .new]) { log.add($1) },
            defaults.observe(\.[double: "d"], options: [.old, .new]) { log.add($1) },
            defaults.observe(\.[bool: "b"], options: [.old, .new, .distinct]) { log.add($1) },
            defaults.observe(\.[data: "data"], options: [.old, .new]) { log.add($1) },
            defaults.observe(\.[stringArray: "array"], options: [.old, .new]) { log.add($1) },
            defaults.observe(\.[url: "url"], options: [.old, .new]) { log.add("url \($1.newValue!?.path ?? "nil")") },
        ].store(in: kept)
        defaults[string: "s"] = "x"
        defaults[integer: "i"] = 3
        defaults[double: "d"] = 0.5
        defaults[bool: "b"] = true
        plain.set(true, forKey: "b")
        defaults[data: "data"] = Data([1])
        defaults[stringArray: "array"] = ["y"]
        defaults[url: "url"] = URL(fileURLWithPath: "/tmp")
        #expect(log.take() == ["nil→x", "0→3", "0.0→0.5", "false→true", "nil→1 bytes", #"nil→["y"]"#, "url /tmp"])
        defaults[string: "s"] = nil
        defaults[data: "data"] = nil
        defaults[stringArray: "array"] = nil
        defaults[url: "url"] = nil
        #expect(log.take() == ["x→nil", "1 bytes→nil", #"["y"]→nil"#, "url nil"])
        defaults[bool: "b"] = false
        #expect(plain.object(forKey: "b") != nil && !defaults[bool: "b"])
    }

    @Test("D15 A19 D9 By name: observed, read and set")
    func byName() throws {
        try defaults.observe("volume", options: [.old, .new]) { [log] in log.add($1) }.store(in: kept)
        plain.set(3, forKey: "volume")
        try defaults.setValue(4, forKey: "volume")
        try defaults.setValue(nil, forKey: "volume")
        #expect(log.take() == ["nil→3", "3→4", "4→nil"])
        #expect(try defaults.value(forKey: "volume") == nil)
    }

    @Test("D15 A getter of one's own depends on the keys that it reads, by whichever method")
    func getters() {
        let player = Player(defaults)
        player.observe(\.label, options: .new) { [log] in log.add($1) }.store(in: kept)
        plain.set(3, forKey: "volume")
        plain.set("Ada", forKey: "name")
        plain.set("other", forKey: "nobody reads")
        #expect(log.take() == ["·→nobody at 3", "·→Ada at 3"])
    }

    @Test("D15 Registered defaults and the argument domain")
    func domains() {
        defaults.observe(\.[string: suite], options: [.old, .new]) { [log] in log.add($1) }.store(in: kept)
        plain.register(defaults: [suite: "registered", "z": 1])
        plain.setVolatileDomain([suite: "argument"], forName: UserDefaults.argumentDomain)
        plain.removeVolatileDomain(forName: UserDefaults.argumentDomain)
        plain.setVolatileDomain([suite: "argument"], forName: "another")
        plain.removeVolatileDomain(forName: "another")
        #expect(log.take() == ["nil→registered", "registered→argument", "argument→registered"])
    }

    @Test("D15 15.4 Not seen: another object of the same suite, and whole domains")
    func unseen() throws {
        defaults.observe(\.[string: "a"], options: .new) { [log] in log.add($1) }.store(in: kept)
        try #require(UserDefaults(suiteName: suite)).set("other", forKey: "a")
        #expect(defaults[string: "a"] == "other")
        plain.setPersistentDomain(["a": "domain"], forName: suite)
        #expect(defaults[string: "a"] == "domain")
        plain.removePersistentDomain(forName: suite)
        #expect(defaults[string: "a"] == nil && log.take() == [])
    }
}

private final class Player: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    private let defaults: NotifyingUserDefaults
    var label: String { "\(defaults.string(forKey: "name") ?? "nobody") at \(defaults.integer(forKey: "volume"))" }

    init(_ defaults: NotifyingUserDefaults) { self.defaults = defaults }
}
