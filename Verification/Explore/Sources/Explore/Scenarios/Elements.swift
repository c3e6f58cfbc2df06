// The elements of a collection, which come, change and go on several threads.
import KeyValueObserving

extension Scenario {
    static var elements: [Scenario] {
        [
            Scenario("an element dies while it changes and is taken out", "9.4") {
                let (group, tally) = (Group(), Box(Tally()))
                if let tally = tally.value { group.members = [tally] }
                let token = group.observe(eachOf: \.members, \.x, options: [.old, .new]) { _, _, _ in userCode() }
                return Trial(
                    {
                        tally.value?.x = 1
                        tally.empty()
                    }, { group.members = [] },
                    check: { require(!token.isInvalidated, "9.4 the observation has ended") }
                )
                .keeping(group)
            },
            Scenario("an object dies while an element changes", "9.4") {
                let (group, tally) = (Box(Group()), Tally())
                group.value?.members = [tally]
                let token = group.value?.observe(eachOf: \.members, \.x) { _, _, _ in userCode() }
                return Trial(
                    { for value in 1...2 { tally.x = value } }, { group.empty() },
                    check: {
                        require(token?.isInvalidated ?? false, "9.4 the observation has not ended")
                        require(tally.observationInfo.isEmpty, "9.4 the element is still observed")
                    })
            },
            Scenario("elements are first observed while another thread puts one in and takes one out", "9.1 1.3") {
                let (group, first, second) = (Group(), Tally(), Tally())
                group.members = [first]
                let token = Box<KeyValueObservation?>(nil)
                return Trial(
                    { token.value = group.observe(eachOf: \.members, \.x) { _, _, _ in } },
                    {
                        group.mutable(\.members).append(second)
                        group.mutable(\.members).remove(at: 0)
                    },
                    check: {
                        require(first.observationInfo.isEmpty, "1.6 what has left is observed")
                        require(second.observationInfo.count == 1, "9.1 what is there is not observed")
                        group.mutable(\.members).remove(at: 0)
                        require(second.observationInfo.isEmpty, "1.6 what has left is still observed")
                    }
                )
                .keeping(group, token)
            },
        ]
    }
}

/// An object with collections that any thread may use.
final class Group: Counted, KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @ObservedShared var members: [Tally] = []
    @ObservedShared var cells: [Cell] = []
    @ObservedShared var names: Set<Int> = []
    @ObservedShared var ages: [Int: Int] = [:]
}
