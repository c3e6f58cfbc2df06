// The same model three ways: plain, with a hand-written callback, and observable.
package import KeyValueObserving

/// Nobody can observe it.
package final class PlainModel {
    package var number = 0

    package init() {}
}

/// One closure, called by hand: the least that observing can cost.
package final class CallbackModel {
    package var handler: ((_ old: Int, _ new: Int) -> Void)?
    package var number = 0 {
        didSet { handler?(oldValue, number) }
    }

    package init() {}
}

/// The library's.
package final class ObservedModel: KeyValueObservable {
    package let keyValueRegistrar = KeyValueRegistrar()
    @Observed package var number = 0
    @Observed package var other = 0
    @Observed package var next: ObservedModel?
    package var sum: Int { number + other }

    package init() {}
}
