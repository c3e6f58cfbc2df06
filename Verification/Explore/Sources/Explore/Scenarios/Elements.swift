// The elements of a collection, which come, change and go on several threads.
import KeyValueObserving

extension Scenario {
    static let elements = [
        Scenario("an element dies while it changes and is taken out", "9.4") {
            let tally = Box(Tally())
            let group = Group([tally.value].compactMap { $0 })
            let token = group.observe(eachOf: \.members, \.x) { _, _, _ in userCode() }
            func use() {
                tally.value?.x = 1
                tally.empty()
            }
            return Trial([use, { group.members = [] }]) {
                require(!token.isInvalidated, "9.4 the observation has ended")
            }
        },
        Scenario("an object dies while an element changes", "9.4") {
            let tally = Tally()
            let group = Box(Group([tally]))
            let token = group.value?.observe(eachOf: \.members, \.x) { _, _, _ in userCode() }
            return Trial([{ for value in 1...2 { tally.x = value } }, { group.empty() }]) {
                require(token?.isInvalidated ?? false, "9.4 the observation has not ended")
                requireAsIfNeverObserved(tally)
            }
        },
        Scenario("elements are first observed while another thread puts one in and takes one out", "9.1 1.3") {
            let (first, second, token) = (Tally(), Tally(), Box<KeyValueObservation>())
            let group = Group([first])
            func exchange() {
                group.mutable(\.members).append(second)
                group.mutable(\.members).remove(at: 0)
            }
            return Trial(
                keeping: token, [{ token.value = group.observe(eachOf: \.members, \.x) { _, _, _ in } }, exchange]
            ) {
                requireAsIfNeverObserved(first)
                require(second.observationInfo.count == 1, "9.1 what is there is not observed")
                group.mutable(\.members).remove(at: 0)
                requireAsIfNeverObserved(second)
            }
        },
    ]
}
