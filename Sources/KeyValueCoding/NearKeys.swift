// Finding keys that resemble an unknown one.
import KeyValueObserving

/// Finds the keys that may have been meant.
enum NearKeys {
    /// The number of suggestions, so that they stay readable.
    private static let limit = 3

    /// The keys that are a slip or two away from `key`, the nearest first, and by name where they are equally near.
    static func of(_ key: String, among keys: some Sequence<String>) -> [String] {
        let allowed = max(2, key.count / 3)
        let near = keys.compactMap { candidate -> (distance: Int, key: String)? in
            guard abs(candidate.count - key.count) <= allowed else { return nil }
            let distance = distance(from: Array(key), to: Array(candidate))
            // Two slips would leave nothing of a very short key.
            guard distance <= allowed, distance < max(key.count, candidate.count) else { return nil }
            return (distance, candidate)
        }
        return near.sorted { $0 < $1 }.prefix(limit).map(\.key)
    }

    /// How many characters must be added, left out, replaced or swapped with their neighbor to make one word of the
    /// other.
    static func distance(from left: [Character], to right: [Character]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let isSame = left[row] == right[column]
                var distance = min(last[column] + (isSame ? 0 : 1), last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    distance = min(distance, beforeLast[column - 1] + 1)
                }
                current.append(distance)
            }
            beforeLast = last
            last = current
        }
        return last[right.count]
    }
}
