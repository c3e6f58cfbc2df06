// An order of the steps of some threads: what was chosen where.

/// An order, as the choices that make it.
///
/// A choice is made where more than one thread can go on. The first of them is the one that was running, if it can; to
/// choose another one then is a preemption. As text, an order names the choices that did not take the first one:
/// `14:1 37:2` takes the second thread at choice 14 and the third at choice 37.
struct Order: Equatable {
    struct Choice: Equatable {
        let count: UInt8
        var taken: UInt8
        /// Whether the thread that was running could not go on.
        let isFree: Bool

        var isPreemption: Bool { !isFree && taken > 0 }
    }

    var choices: [Choice] = []

    /// The places where another than the first thread was chosen.
    struct Turn: Equatable {
        let place: Int
        let taken: Int
    }

    var turns: [Turn] {
        choices.indices.filter { choices[$0].taken > 0 }.map { Turn(place: $0, taken: Int(choices[$0].taken)) }
    }

    var preemptions: Int { choices.count(where: \.isPreemption) }

    /// Makes this the prefix of the next order with at most so many preemptions; false if there is none.
    mutating func advance(mostPreemptions: Int) -> Bool {
        var preemptions = preemptions
        while var last = choices.popLast() {
            if last.isPreemption { preemptions -= 1 }
            if last.taken + 1 < last.count, last.isFree || preemptions < mostPreemptions {
                last.taken += 1
                choices.append(last)
                return true
            }
        }
        return false
    }
}

extension Order.Turn {
    /// Reads an order's text.
    static func turns(in text: String) -> [Order.Turn]? {
        var turns: [Order.Turn] = []
        for part in text.split(separator: " ") {
            let numbers = part.split(separator: ":").compactMap { Int($0) }
            guard numbers.count == 2 else { return nil }
            turns.append(Order.Turn(place: numbers[0], taken: numbers[1]))
        }
        return turns
    }
}
