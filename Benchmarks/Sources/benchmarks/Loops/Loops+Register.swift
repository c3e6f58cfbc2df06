// Registering an observer and removing it, with none and a thousand others present.
import BenchmarkModels
import KeyValueObserving
import OpenCombine

extension Loop {
    static var registrations: [Loop] { [0, 1_000].flatMap { registrations(present: $0) } }

    /// Registering and removing while so many others observe the property.
    ///
    /// A controller, of which all are, ends it by its key path. Observation is missing, for it cannot remove.
    static func registrations(present: Int) -> [Loop] {
        [
            Loop(
                "register-\(present)/list",
                checked: {
                    let model = ListModel()
                    let told = Told()
                    for _ in 0..<present { _ = model.add { told.note($0, $1) } }
                    return Prepared { count in
                        repeated(count) { _ in model.remove(model.add { told.note($0, $1) }) }
                    } check: {
                        model.number = 0
                        told.expect(deliveries: present, news: 0)
                    }
                }),
            Loop(
                "register-\(present)/locked-list",
                checked: {
                    let model = LockedListModel()
                    let told = Told()
                    for _ in 0..<present { _ = model.add { told.note($0, $1) } }
                    return Prepared { count in
                        repeated(count) { _ in model.remove(model.add { told.note($0, $1) }) }
                    } check: {
                        model.number = 0
                        told.expect(deliveries: present, news: 0)
                    }
                }),
            Loop(
                "register-\(present)/observed",
                checked: {
                    let model = ObservedModel()
                    let told = Told()
                    let observations = (0..<present).map { _ in
                        model.observe(\.number, options: [.old, .new]) {
                            told.note($1.oldValue ?? -1, $1.newValue ?? -1)
                        }
                    }
                    return Prepared { count in
                        repeated(count) { _ in
                            model.observe(\.number, options: [.old, .new]) {
                                told.note($1.oldValue ?? -1, $1.newValue ?? -1)
                            }.invalidate()
                        }
                    } check: {
                        model.number = 0
                        told.expect(deliveries: present, news: 0)
                        withExtendedLifetime(observations) {}
                    }
                }),
            Loop(
                "register-\(present)/controller",
                checked: {
                    let model = ObservedModel()
                    let told = Told()
                    let controller = KVOController(observer: told, duplicates: .allow)
                    for _ in 0..<present { controller.observe(model, \.number) { told, _, _ in told.note() } }
                    return Prepared { count in
                        repeated(count) { _ in
                            controller.observe(model, \.text) { told, _, _ in told.note() }
                            controller.unobserve(model, \.text)
                        }
                    } check: {
                        model.number = 0
                        told.expect(deliveries: present, news: 0)
                    }
                }),
            Loop(
                "register-\(present)/published",
                checked: {
                    let model = PublishedModel()
                    let told = Told()
                    let subscriptions = (0..<present).map { _ in model.$number.sink { told.note($0) } }
                    return Prepared { count in
                        repeated(count) { _ in model.$number.sink { told.note($0) }.cancel() }
                    } check: {
                        told.reset()
                        model.number = 0
                        told.expect(deliveries: present, news: 0)
                        withExtendedLifetime(subscriptions) {}
                    }
                }),
            Loop(
                "register-\(present)/subject",
                checked: {
                    let model = SubjectModel()
                    let told = Told()
                    let subscriptions = (0..<present).map { _ in model.number.sink { told.note($0) } }
                    return Prepared { count in
                        repeated(count) { _ in model.number.sink { told.note($0) }.cancel() }
                    } check: {
                        told.reset()
                        model.number.value = 0
                        told.expect(deliveries: present, news: 0)
                        withExtendedLifetime(subscriptions) {}
                    }
                }),
        ]
    }
}
