// Setting a property of one of 1,000 objects, whose total is observed: read anew, and kept by `observe(eachOf:)`.
import BenchmarkModels
import KeyValueObserving

extension Loop {
    static var totals: [Loop] {
        [
            total("total-1000/read", of: CountingFolder(), \.readTotal),
            total("total-1000/kept", of: CountingFolder(), \.total),
        ]
    }

    private static func total(
        _ name: String, of folder: @autoclosure @escaping () -> CountingFolder, _ total: KeyPath<CountingFolder, Int>
    ) -> Loop {
        Loop(name) {
            let (folder, told) = (folder(), Told())
            folder.files = (0..<1_000).map { _ in ObservedModel() }
            if total == \.total { folder.count() }
            let observation = folder.observe(total, options: [.new]) { told.note($1.newValue ?? -1) }
            return { count in
                repeated(count) { folder.files[0].number = $0 }
                told.expectSteps(to: count, from: nil)
                withExtendedLifetime(observation) {}
            }
        }
    }
}
