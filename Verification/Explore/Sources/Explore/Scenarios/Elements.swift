// The elements of a collection, which come, change and go on several threads.
import KeyValueObserving

extension Scenario {
    static var elements: [Scenario] {
        [
            Scenario("an element is put in while another thread changes it", "9.1 9.2") {
                let (group, tally, journal) = (Group(), Tally(), Journal())
                let call = Box<(Int?, Int?) -> Void> { _, _ in }
                let token = group.observe(eachOf: \.members, \.x, options: [.old, .new]) {
                    call.value?($2.oldValue, $2.newValue)
                }
                return Trial(
                    journal,
                    {
                        journal.register("one") {
                            call.value = $0
                            group.mutable(\.members).append(tally)
                        }
                    },
                    { for value in 1...2 { journal.change(from: value - 1, to: value) { tally.x = value } } }
                )
                .keeping(group, token)
            },
            Scenario("an element is taken out while another thread changes it", "9.1 9.3") {
                let (group, cell, journal) = (Group(), Cell(), Journal())
                group.cells = [cell]
                let token = journal.register("one") { call in
                    group.observe(eachOf: \.cells, \.value, options: [.old, .new]) {
                        call($2.oldValue, $2.newValue)
                    }
                }
                return Trial(
                    journal, { journal.end("one") { _ = group.mutable(\.cells).remove(at: 0) } },
                    { for value in 1...2 { journal.change(from: value - 1, to: value) { cell.value = value } } },
                    check: { require(cell.observationInfo.isEmpty, "1.6 what has left is still observed") }
                )
                .keeping(group, token)
            },
            Scenario("one of two places of an element is taken out while another thread changes it", "9.1 9.2") {
                let (group, tally, journal) = (Group(), Tally(), Journal())
                group.members = [tally, tally]
                let departures = Box(0)
                let token = journal.register("one") { call in
                    group.observe(eachOf: \.members, \.x, options: [.old, .new]) {
                        call($2.oldValue, $2.newValue)
                    } departure: { _, _ in
                        departures.value? += 1
                    }
                }
                return Trial(
                    journal, { _ = group.mutable(\.members).remove(at: 0) },
                    { for value in 1...2 { journal.change(from: value - 1, to: value) { tally.x = value } } },
                    check: {
                        require(departures.value == 0, "it has left, and is still there")
                        group.members = []
                        require(departures.value == 1, "it left \(departures.value ?? -1) times")
                        require(tally.observationInfo.isEmpty, "1.6 what has left is still observed")
                    }
                )
                .keeping(group, token)
            },
            Scenario("the observation of elements ends while one is put in", "9.3 1.6") {
                let (group, tally, journal, captured) = (Group(), Tally(), Journal(), Counted())
                let isHeld = { [weak captured] in captured != nil }
                let token = Box(
                    journal.register("arrivals", on: "members", hasNoValues: true) { call in
                        group.observe(eachOf: \.members, \.x) { _, _, _ in
                            require(false, "9.3 an element is observed after the end")
                        } arrival: { _, _ in
                            withExtendedLifetime(captured) { call(nil, nil) }
                        }
                    })
                return Trial(
                    journal,
                    { journal.change("members", from: 0, to: 1) { group.mutable(\.members).append(tally) } },
                    { journal.end("arrivals") { token.empty() } },
                    check: {
                        tally.x = 1
                        require(tally.observationInfo.isEmpty, "1.6 the element is still observed")
                        require(group.observationInfo.isEmpty, "1.6 the collection is still observed")
                        require(!isHeld(), "1.6 the handlers are still held")
                    })
            },
            Scenario("the observation of elements ends while one changes and one is put in", "9.3") {
                let (group, tally, journal) = (Group(), Tally(), Journal())
                group.members = [tally]
                let token = journal.register("one") { call in
                    group.observe(eachOf: \.members, \.x, options: [.old, .new]) {
                        call($2.oldValue, $2.newValue)
                    }
                }
                return Trial(
                    journal,
                    { for value in 1...2 { journal.change(from: value - 1, to: value) { tally.x = value } } },
                    { group.mutable(\.members).insert(Tally(), at: 0) },
                    { journal.end("one") { token.invalidate() } },
                    check: { require(tally.observationInfo.isEmpty, "1.6 the element is still observed") })
            },
            Scenario("the observation of elements ends while one is put in and changes", "9.3") {
                let (group, tally, journal) = (Group(), Tally(), Journal())
                let token = journal.register("one", on: "none", hasNoValues: true) { call in
                    group.observe(eachOf: \.members, \.x) { _, _, _ in call(nil, nil) }
                }
                return Trial(
                    { group.mutable(\.members).append(tally) },
                    {
                        journal.end("one") { token.invalidate() }
                        tally.x = 1
                    },
                    check: { require(journal.count("one") == 0, "9.3 an element is observed after the end") }
                )
                .keeping(journal)
            },
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
            Scenario("two threads put elements in", "9.1 9.2") {
                let (group, first, second) = (Group(), Tally(), Tally())
                let (arrivals, calls) = (Box(0), Box(0))
                let token = group.observe(eachOf: \.members, \.x) { _, _, _ in
                    calls.value? += 1
                } arrival: { _, _ in
                    userCode()
                    arrivals.value? += 1
                }
                return Trial(
                    { group.mutable(\.members).append(first) }, { group.mutable(\.members).append(second) },
                    check: {
                        require(arrivals.value == 2, "9.2 \(arrivals.value ?? -1) arrivals")
                        for element in [first, second] { element.x = 1 }
                        require(calls.value == 2, "9.1 \(calls.value ?? -1) calls")
                    }
                )
                .keeping(group, token)
            },
            Scenario("an element is put in by one thread and taken out by another one", "9.1 9.2") {
                let (group, tally) = (Group(), Tally())
                let (arrivals, departures) = (Box(0), Box(0))
                let token = group.observe(eachOf: \.members, \.x) { _, _, _ in
                } arrival: { _, _ in
                    userCode()
                    arrivals.value? += 1
                } departure: { _, _ in
                    userCode()
                    departures.value? += 1
                }
                return Trial(
                    { group.mutable(\.members).append(tally) }, { group.members = [] },
                    check: {
                        require(arrivals.value == 1, "9.2 \(arrivals.value ?? -1) arrivals")
                        let present = group.members.count
                        require(departures.value == 1 - present, "9.2 \(departures.value ?? -1) departures")
                        require(tally.observationInfo.count == present, "9.1 the observers are others than the members")
                    }
                )
                .keeping(group, token)
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
            Scenario("an element with .initial is put in while another thread changes it", "1.3 9.1") {
                let (group, tally) = (Group(), Tally())
                let news = Box<[Int]>([])
                let token = group.observe(eachOf: \.members, \.x, options: [.initial, .new]) {
                    news.value?.append($2.newValue ?? -1)
                    userCode()
                }
                return Trial(
                    { group.mutable(\.members).append(tally) }, { for value in 1...2 { tally.x = value } },
                    check: {
                        // The initial call is made by the thread that puts it in, and may start late.
                        let news = Set(news.value ?? [])
                        let first = news.min() ?? -1
                        require(news == Set(first...2), "9.1 \(news) has a gap")
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
