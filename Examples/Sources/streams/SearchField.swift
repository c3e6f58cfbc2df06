// A search field, and the searches that follow from what is typed into it.
import AsyncAlgorithms
import KeyValueObserving

@MainActor
final class SearchField: KeyValueObservable {
    enum Scope: String { case titles, authors }

    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var query = ""
    @Observed var scope = Scope.titles

    /// What to search for: a query when typing has paused, and the same query again in another scope.
    ///
    /// Equal searches do not follow each other. The sequence ends with the field.
    func searches<C: Clock<Duration>>(
        after pause: Duration, clock: C
    ) -> some AsyncSequence<(query: String, scope: Scope), Never> & Sendable {
        let queries = values(of: \.query).buffer(policy: .bufferingNewest(1)).stream()
            .debounce(for: pause, clock: clock)
        let scopes = values(of: \.scope).buffer(policy: .bufferingNewest(1)).stream()
        return combineLatest(queries, scopes)
            .map { (query: $0, scope: $1) }
            .removeDuplicates { $0 == $1 }
    }
}
