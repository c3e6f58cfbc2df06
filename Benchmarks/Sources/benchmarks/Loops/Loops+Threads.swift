// One thread, and two that set properties of different objects of one class.
import BenchmarkModels
import Foundation
import KeyValueObserving

extension Loop {
    static var threads: [Loop] {
        [1, 2].flatMap { count in
            [
                threaded("set-0-threads-\(count)/plain", count) { sets in
                    let model = PlainModel()
                    repeated(sets) { model.number = $0 }
                    require(model.number == sets, "it is \(model.number)")
                },
                threaded("set-0-threads-\(count)/observed", count) { sets in
                    let model = ObservedModel()
                    repeated(sets) { model.number = $0 }
                    require(model.number == sets, "it is \(model.number)")
                },
                threaded("set-1-threads-\(count)/closure", count) { sets in
                    let model = CallbackModel()
                    let told = Told()
                    model.numberHandler = { told.note($0, $1) }
                    repeated(sets) { model.number = $0 }
                    told.expectSteps(to: sets, from: 0)
                },
                threaded("set-1-threads-\(count)/observed", count) { sets in
                    let model = ObservedModel()
                    let told = Told()
                    let observation = model.observe(\.number, options: [.old, .new]) {
                        told.note($1.oldValue ?? -1, $1.newValue ?? -1)
                    }
                    repeated(sets) { model.number = $0 }
                    told.expectSteps(to: sets, from: 0)
                    withExtendedLifetime(observation) {}
                },
            ]
        }
    }

    /// Runs the body, which makes its own objects, on so many threads at once.
    private static func threaded(_ name: String, _ threads: Int, _ body: @escaping @Sendable (Int) -> Void) -> Loop {
        Loop(name, milliseconds: 30) {
            { count in
                let group = DispatchGroup()
                for _ in 0..<threads {
                    group.enter()
                    Thread {
                        body(count)
                        group.leave()
                    }.start()
                }
                group.wait()
            }
        }
    }
}
