// Types a query, types it again, and changes the scope: two searches follow. Then a display follows a meter.
import KeyValueObserving

let books = [
    (title: "Gulliver's Travels", author: "Jonathan Swift"),
    (title: "Swift Justice", author: "Laura DiSilverio"),
    (title: "The Swifts", author: "Beth Lincoln"),
]

var field: SearchField? = SearchField()
for letter in "swift" { field?.query.append(letter) }

if let searches = field?.searches(after: .milliseconds(200), clock: .continuous) {
    for await (query, scope) in searches {
        let texts = books.map { scope == .titles ? $0.title : $0.author }
        print("\(query) in \(scope): \(texts.filter { $0.lowercased().contains(query) })")
        if scope == .titles {
            // The same query, when typing pauses: no search follows.
            field?.query.removeLast()
            field?.query.append("t")
            // Another scope: a search follows at once.
            field?.scope = .authors
        } else {
            field = nil
        }
    }
}
print("the field is gone")

// A meter changes a thousand times, and its display twice.
var meter: Meter? = Meter()
if let readings = meter?.values(of: \.reading).buffer(policy: .bufferingNewest(1)) {
    try await follow(readings, every: .milliseconds(50), clock: .continuous) { reading in
        print("the meter shows \(reading)")
        if reading == 0 {
            for reading in 1...1_000 { meter?.reading = reading }
        } else {
            meter = nil
        }
    }
}
print("the meter is gone")
