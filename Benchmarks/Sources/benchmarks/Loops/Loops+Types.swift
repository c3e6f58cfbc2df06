// Operations whose cost may depend on the type of the value, with values that are not just bits.
import BenchmarkModels
import KeyValueObserving

extension Loop {
    static var otherTypes: [Loop] { strings + arrays }

    /// The operations, of strings.
    private static var strings: [Loop] {
        let values = Alternation<String>("a", "bb")
        func observation(_ model: ObservedText, _ told: Told) -> KeyValueObservation {
            model.observe(\.first, options: [.old, .new]) {
                told.note($1.oldValue?.utf8.count ?? -1, $1.newValue?.utf8.count ?? -1)
            }
        }
        return [
            alternating("set-1/observed-text", values) { told in
                let model = ObservedText()
                return (
                    { model.first = $0 }, { repeated($0) { model.first = values.at($0) } }, observation(model, told)
                )
            },
            alternating("add-1/observed-text", values) { told in
                let model = ObservedText()
                return (
                    { model.first = $0 }, { repeated($0) { put(values.at($0), into: &model.first) } },
                    observation(model, told)
                )
            },
            alternating("transaction-10/observed-text", values) { told in
                let model = ObservedText()
                let run = { (count: Int) in
                    repeated(count) { index in
                        withKeyValueTransaction {
                            for step in 1...10 { model.first = values.at(step == 10 ? index : step) }
                        }
                    }
                }
                return ({ model.first = $0 }, run, observation(model, told))
            },
            alternating("dependent/observed-text", values) { told in
                let model = ObservedText()
                let observation = model.observe(\.chosen, options: [.old, .new]) {
                    told.note($1.oldValue?.utf8.count ?? -1, $1.newValue?.utf8.count ?? -1)
                }
                return ({ model.first = $0 }, { repeated($0) { model.first = values.at($0) } }, observation)
            },
            alternating("path-optional/observed-text", values) { told in
                let model = ObservedText()
                let root = ObservedText(next: ObservedText(next: model))
                let observation = root.observe(\.next?.next?.first, options: [.old, .new]) {
                    told.note(($1.oldValue ?? nil)?.utf8.count ?? -1, ($1.newValue ?? nil)?.utf8.count ?? -1)
                }
                return ({ model.first = $0 }, { repeated($0) { model.first = values.at($0) } }, (root, observation))
            },
            alternating("set-1/shared-text", values) { told in
                let model = SharedText()
                let observation = model.observe(\.value, options: [.old, .new]) {
                    told.note($1.oldValue?.utf8.count ?? -1, $1.newValue?.utf8.count ?? -1)
                }
                return ({ model.value = $0 }, { repeated($0) { model.value = values.at($0) } }, observation)
            },
        ]
    }

    /// The operations, of arrays.
    private static var arrays: [Loop] {
        let values = Alternation<[Int]>([0], [0, 0])
        func observation(_ model: ObservedList, _ told: Told) -> KeyValueObservation {
            model.observe(\.first, options: [.old, .new]) {
                told.note($1.oldValue?.count ?? -1, $1.newValue?.count ?? -1)
            }
        }
        return [
            alternating("set-1/observed-list", values) { told in
                let model = ObservedList()
                return (
                    { model.first = $0 }, { repeated($0) { model.first = values.at($0) } }, observation(model, told)
                )
            },
            alternating("add-1/observed-list", values) { told in
                let model = ObservedList()
                return (
                    { model.first = $0 }, { repeated($0) { put(values.at($0), into: &model.first) } },
                    observation(model, told)
                )
            },
            alternating("transaction-10/observed-list", values) { told in
                let model = ObservedList()
                let run = { (count: Int) in
                    repeated(count) { index in
                        withKeyValueTransaction {
                            for step in 1...10 { model.first = values.at(step == 10 ? index : step) }
                        }
                    }
                }
                return ({ model.first = $0 }, run, observation(model, told))
            },
            alternating("dependent/observed-list", values) { told in
                let model = ObservedList()
                let observation = model.observe(\.chosen, options: [.old, .new]) {
                    told.note($1.oldValue?.count ?? -1, $1.newValue?.count ?? -1)
                }
                return ({ model.first = $0 }, { repeated($0) { model.first = values.at($0) } }, observation)
            },
            alternating("path-optional/observed-list", values) { told in
                let model = ObservedList()
                let root = ObservedList(next: ObservedList(next: model))
                let observation = root.observe(\.next?.next?.first, options: [.old, .new]) {
                    told.note(($1.oldValue ?? nil)?.count ?? -1, ($1.newValue ?? nil)?.count ?? -1)
                }
                return ({ model.first = $0 }, { repeated($0) { model.first = values.at($0) } }, (root, observation))
            },
            alternating("set-1/shared-list", values) { told in
                let model = SharedList()
                let observation = model.observe(\.value, options: [.old, .new]) {
                    told.note($1.oldValue?.count ?? -1, $1.newValue?.count ?? -1)
                }
                return ({ model.value = $0 }, { repeated($0) { model.value = values.at($0) } }, observation)
            },
        ]
    }

    /// Sets two values in turn.
    ///
    /// `prepare` returns what sets one, what sets so many, compiled where their type is known, and what is held meanwhile.
    private static func alternating<Value>(
        _ name: String, _ values: Alternation<Value>,
        _ prepare: @escaping (Told) -> (set: (Value) -> Void, run: (Int) -> Void, held: Any)
    ) -> Loop {
        Loop(name) {
            let told = Told()
            let (set, run, held) = prepare(told)
            return { count in
                set(values.first)
                told.reset()
                run(count)
                values.expect(told, count)
                withExtendedLifetime(held) {}
            }
        }
    }
}

@inline(never)
private func put(_ value: String, into place: inout String) { place = value }

@inline(never)
private func put(_ value: [Int], into place: inout [Int]) { place = value }
