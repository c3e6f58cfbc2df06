// A monitor of a machine, and a cart that a discount depends on.
import Foundation
import KeyValueObserving

final class Sensor: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var load = 0.5
    @Observed var freeMemory = 4_096
}

final class Monitor: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var sensor = Sensor()
    @Observed var limit = 0.8
    @Observed var warning: String?

    // Its getter reports its name, which key paths of computed properties do not have.
    var isBusy: Bool {
        accessValue(for: \.isBusy)
        return sensor.load > limit
    }
}

final class Item: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var price: Int
    @Observed var count = 1

    init(price: Int) { self.price = price }
}

final class Cart: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var items = [Item(price: 12), Item(price: 30)]
    @Observed var discount = 0

    var subtotal: Int {
        accessValue(for: \.subtotal)
        return items.reduce(0) { $0 + $1.price * $1.count }
    }

    var total: Int {
        accessValue(for: \.total)
        return subtotal - discount
    }
}

final class Receipt: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var title = ""
    @Observed var total = 0
}

/// The monitor, the cart and its receipt, and their observers.
struct Shop {
    private let monitor = Monitor()
    private let cart = Cart()
    private let receipt = Receipt()
    private let observations: [KeyValueObservation]

    init() {
        observations = [
            monitor.observe(\.isBusy, options: [.initial]) { monitor, _ in
                monitor.warning = monitor.isBusy ? "The machine is busy." : nil
            },
            monitor.observe(\.sensor.freeMemory) { _, _ in },
            monitor.observe(\.warning) { _, _ in },
            monitor.observe(\.limit) { _, _ in },
            cart.observe(\.subtotal) { cart, _ in cart.discount = cart.subtotal > 100 ? 10 : 0 },
            cart.bind(\.total, to: receipt, \.total),
            receipt.bind(reading: { "To pay: \($0.total)" }, to: receipt, \.title),
            receipt.observe(\.title) { _, _ in },
        ]
    }

    /// Changes something four times a second.
    func workForever() -> Never {
        var step = 0
        while true {
            step += 1
            monitor.sensor.load = Double(step % 11) / 10
            monitor.sensor.freeMemory = 4_096 - step % 100
            cart.items[step % 2].count = 1 + step % 5
            Thread.sleep(forTimeInterval: 0.25)
        }
    }
}
