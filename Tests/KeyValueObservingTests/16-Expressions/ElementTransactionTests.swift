// What each element's registration follows of a transaction is the whole at its end: 10.2, 16.4.
import KeyValueObserving
import TestSupport
import Testing

/// Has collections of friends that are announced in every way.
private final class Member: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    let name: String
    @Observed var age = 0
    @Observed var stored: [Member] = []
    /// Is set silently, and announced manually.
    @Observed var quiet: [Member] = []
    @Observed var next: Member?
    private var announcedFriends: [Member] = []
    private var accessorFriends: [Member] = [] { didSet { settings += 1 } }
    private(set) var settings = 0

    init(_ name: String) { self.name = name }

    var announced: [Member] {
        get {
            accessValue(for: \.announced)
            return announcedFriends
        }
        set { changeValue(for: \.announced) { announcedFriends = newValue } }
    }
    /// Written as the macro writes it.
    var written: [Member] {
        get {
            accessValue(for: \.written)
            return accessorFriends
        }
        set {
            let change = AccessorChange(of: \.written, in: self)
            accessorFriends = newValue
            change.end()
        }
        _modify {
            let access = AccessorAccess(to: \.written, of: self)
            defer { access.end() }
            yield &accessorFriends
        }
    }
    var computed: [Member] {
        get { stored.filter { $0.name != "-" } }
        set { stored = newValue }
    }

    static func automaticallyNotifiesObservers(for keyPath: AnyKeyPath) -> Bool { keyPath != \Member.quiet }

    typealias Friends = ReferenceWritableKeyPath<Member, [Member]>
    /// Where its friends are, in one of five ways.
    static func friends(_ way: Int) -> Friends { [\.stored, \.quiet, \.announced, \.written, \.computed][way] }
    /// The same of its next member.
    static func nextFriends(_ way: Int) -> KeyPath<Member, [Member]?> {
        [\.next?.stored, \.next?.quiet, \.next?.announced, \.next?.written, \.next?.computed][way]
    }
}

@Suite("10.2 16.4 Each element in transactions")
struct ElementTransactionTests {
    private let owner = Member("-")
    private let a = Member("a")
    private let b = Member("b")
    private let c = Member("c")
    private let log = Log()

    /// Sets the friends as a whole, announced.
    private func set(_ friends: [Member], at keyPath: Member.Friends) {
        if keyPath == \Member.quiet {
            owner.changeValue(for: keyPath) { owner[keyPath: keyPath] = friends }
        } else {
            owner[keyPath: keyPath] = friends
        }
    }

    private func observe(_ keyPath: Member.Friends) -> KeyValueObservation {
        owner.observe(eachOf: keyPath, \.age) { [log] _, member, change in
            log.add(change, as: member.name)
        } arrival: { [log] _, member in
            log.add("+\(member.name)")
        } departure: { [log] _, member in
            log.add("-\(member.name)")
        }
    }

    /// Expects that just these friends are followed.
    private func check(_ names: String, at place: Int, _ step: Int) {
        for member in [a, b, c] { member.age += 1 }
        let followed = log.take().compactMap { $0.split(separator: " ").first }.joined()
        #expect(followed == names, "way \(place), step \(step)")
    }

    @Test("10.2 16.4 The first change after registering may be a transaction of sets", arguments: 0..<5, [false, true])
    func sets(place: Int, isObserved: Bool) {
        let keyPath = Member.friends(place)
        let steps: [([[Member]], arrivals: [String], names: String)] = [
            ([[], [b]], ["+b"], "b"), ([[c], []], ["-b"], ""), ([[c], [a], [b, c]], ["+b", "+c"], "bc"),
            ([[], [c, b]], [], "bc"), ([[a, b, c], [a, c], [a]], ["-c", "-b", "+a"], "a"),
            ([[b], [b], []], ["-a"], ""),
        ]
        // Each of them is the first change once.
        for first in steps.indices {
            let other = isObserved ? owner.observe(keyPath) { _, _ in } : nil
            var count = 0
            set(first == 0 ? [] : steps[first - 1].0.last ?? [], at: keyPath)
            let token = observe(keyPath)
            _ = log.take()
            for (lists, arrivals, names) in steps[first...] {
                withKeyValueTransaction { for list in lists { set(list, at: keyPath) } }
                #expect(log.take().sorted() == arrivals.sorted(), "way \(place), from \(first), step \(count)")
                check(names, at: place, first)
                count += 1
            }
            withExtendedLifetime((token, other)) {}
        }
    }

    @Test("10.2 16.4 So may one of changes of elements, of sets and of both", arguments: 0..<5)
    func elements(place: Int) {
        let keyPath = Member.friends(place)
        let view = owner.mutable(keyPath)
        let steps: [(change: () -> Void, lines: [String], names: String)] = [
            ({ _ = (view.append(a), view.append(b)) }, ["+a", "+b"], "ab"),
            ({ _ = (view.append(c), view.removeLast()) }, [], "ab"),
            ({ _ = (view.removeAll(), view.append(b)) }, ["-a"], "b"),
            ({ _ = (set([a], at: keyPath), view.append(c)) }, ["-b", "+a", "+c"], "ac"),
            ({ _ = (view.append(b), set([c], at: keyPath)) }, ["-a"], "c"),
            ({ _ = (view.insert(b, at: 0), view.swapAt(0, 1), view.remove(at: 0)) }, ["-c", "+b"], "b"),
            ({ _ = (view.append(b), view.removeFirst()) }, [], "b"),
        ]
        for first in steps.indices {
            set(first == 0 ? [] : [a, b, c].filter { steps[first - 1].names.contains($0.name) }, at: keyPath)
            let token = observe(keyPath)
            _ = log.take()
            for (change, lines, names) in steps[first...] {
                withKeyValueTransaction { change() }
                #expect(log.take() == lines, "way \(place), from \(first)")
                check(names, at: place, first)
            }
            withExtendedLifetime(token) {}
        }
    }

    @Test("10.2 16.4 At the end of a path, registered inside, too", arguments: 0..<5)
    func pathInside(place: Int) {
        let (keyPath, root) = (Member.friends(place), Member("root"))
        root.next = owner
        var token: KeyValueObservation?
        withKeyValueTransaction {
            set([a], at: keyPath)
            token = root.observe(eachOf: Member.nextFriends(place), \.age) { [log] _, member, change in
                log.add(change, as: member.name)
            }
            set([], at: keyPath)
            set([b], at: keyPath)
            owner.mutable(keyPath).append(c)
        }
        check("bc", at: place, 0)
        withExtendedLifetime(token) {}
    }
}
