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
            Loop("set-1/observed-text") {
                let (model, told) = (ObservedText(), Told())
                let observation = observation(model, told)
                return { count in
                    model.first = values.first
                    told.reset()
                    repeated(count) { model.first = values.at($0) }
                    values.expect(told, count)
                    withExtendedLifetime(observation) {}
                }
            },
            Loop("add-1/observed-text") {
                let (model, told) = (ObservedText(), Told())
                let observation = observation(model, told)
                return { count in
                    model.first = values.first
                    told.reset()
                    repeated(count) { put(values.at($0), into: &model.first) }
                    values.expect(told, count)
                    withExtendedLifetime(observation) {}
                }
            },
            Loop("transaction-10/observed-text") {
                let (model, told) = (ObservedText(), Told())
                let observation = observation(model, told)
                return { count in
                    model.first = values.first
                    told.reset()
                    repeated(count) { index in
                        withKeyValueTransaction {
                            for step in 1...10 { model.first = values.at(step == 10 ? index : step) }
                        }
                    }
                    values.expect(told, count)
                    withExtendedLifetime(observation) {}
                }
            },
            Loop("dependent/observed-text") {
                let (model, told) = (ObservedText(), Told())
                let observation = model.observe(\.chosen, options: [.old, .new]) {
                    told.note($1.oldValue?.utf8.count ?? -1, $1.newValue?.utf8.count ?? -1)
                }
                return { count in
                    model.first = values.first
                    told.reset()
                    repeated(count) { model.first = values.at($0) }
                    values.expect(told, count)
                    withExtendedLifetime(observation) {}
                }
            },
            Loop("path-optional/observed-text") {
                let (model, told) = (ObservedText(), Told())
                let root = ObservedText(next: ObservedText(next: model))
                let observation = root.observe(\.next?.next?.first, options: [.old, .new]) {
                    told.note(($1.oldValue ?? nil)?.utf8.count ?? -1, ($1.newValue ?? nil)?.utf8.count ?? -1)
                }
                return { count in
                    model.first = values.first
                    told.reset()
                    repeated(count) { model.first = values.at($0) }
                    values.expect(told, count)
                    withExtendedLifetime((root, observation)) {}
                }
            },
            Loop("set-1/shared-text") {
                let (model, told) = (SharedText(), Told())
                let observation = model.observe(\.value, options: [.old, .new]) {
                    told.note($1.oldValue?.utf8.count ?? -1, $1.newValue?.utf8.count ?? -1)
                }
                return { count in
                    model.value = values.first
                    told.reset()
                    repeated(count) { model.value = values.at($0) }
                    values.expect(told, count)
                    withExtendedLifetime(observation) {}
                }
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
            Loop("set-1/observed-list") {
                let (model, told) = (ObservedList(), Told())
                let observation = observation(model, told)
                return { count in
                    model.first = values.first
                    told.reset()
                    repeated(count) { model.first = values.at($0) }
                    values.expect(told, count)
                    withExtendedLifetime(observation) {}
                }
            },
            Loop("add-1/observed-list") {
                let (model, told) = (ObservedList(), Told())
                let observation = observation(model, told)
                return { count in
                    model.first = values.first
                    told.reset()
                    repeated(count) { put(values.at($0), into: &model.first) }
                    values.expect(told, count)
                    withExtendedLifetime(observation) {}
                }
            },
            Loop("transaction-10/observed-list") {
                let (model, told) = (ObservedList(), Told())
                let observation = observation(model, told)
                return { count in
                    model.first = values.first
                    told.reset()
                    repeated(count) { index in
                        withKeyValueTransaction {
                            for step in 1...10 { model.first = values.at(step == 10 ? index : step) }
                        }
                    }
                    values.expect(told, count)
                    withExtendedLifetime(observation) {}
                }
            },
            Loop("dependent/observed-list") {
                let (model, told) = (ObservedList(), Told())
                let observation = model.observe(\.chosen, options: [.old, .new]) {
                    told.note($1.oldValue?.count ?? -1, $1.newValue?.count ?? -1)
                }
                return { count in
                    model.first = values.first
                    told.reset()
                    repeated(count) { model.first = values.at($0) }
                    values.expect(told, count)
                    withExtendedLifetime(observation) {}
                }
            },
            Loop("path-optional/observed-list") {
                let (model, told) = (ObservedList(), Told())
                let root = ObservedList(next: ObservedList(next: model))
                let observation = root.observe(\.next?.next?.first, options: [.old, .new]) {
                    told.note(($1.oldValue ?? nil)?.count ?? -1, ($1.newValue ?? nil)?.count ?? -1)
                }
                return { count in
                    model.first = values.first
                    told.reset()
                    repeated(count) { model.first = values.at($0) }
                    values.expect(told, count)
                    withExtendedLifetime((root, observation)) {}
                }
            },
            Loop("set-1/shared-list") {
                let (model, told) = (SharedList(), Told())
                let observation = model.observe(\.value, options: [.old, .new]) {
                    told.note($1.oldValue?.count ?? -1, $1.newValue?.count ?? -1)
                }
                return { count in
                    model.value = values.first
                    told.reset()
                    repeated(count) { model.value = values.at($0) }
                    values.expect(told, count)
                    withExtendedLifetime(observation) {}
                }
            },
        ]
    }
}

@inline(never)
private func put(_ value: String, into place: inout String) { place = value }

@inline(never)
private func put(_ value: [Int], into place: inout [Int]) { place = value }
