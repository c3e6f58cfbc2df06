// One download.
package import KeyValueObserving

/// A download and its progress, which any thread may change.
package final class Download: KeyValueObservable, @unchecked Sendable {
    package let keyValueRegistrar = KeyValueRegistrar()
    package let address: String
    @ObservedShared package var name: String
    /// Each access in place is one change.
    @ObservedShared package var transfer: Transfer

    package init(address: String, size: Int = 100_000_000) {
        self.address = address
        name = address.split(separator: "/").last.map(String.init) ?? address
        transfer = Transfer(size: size)
    }

    /// The values that a row shows.
    package var summary: Summary { Summary(name: name, transfer: transfer) }

    package struct Summary: Equatable, Sendable {
        package var name: String
        package var transfer: Transfer
    }
}

/// The progress of a download.
package struct Transfer: Equatable, Sendable, CustomStringConvertible {
    package enum State: String, Sendable {
        case running = "Running"
        case paused = "Paused"
        case done = "Done"
    }

    /// The size in bytes.
    package let size: Int
    package private(set) var received = 0
    /// The speed in bytes a second.
    package private(set) var speed = 0
    package private(set) var state = State.running

    package init(size: Int) { self.size = size }

    /// The received part, from 0 to 1.
    package var fraction: Double { size == 0 ? 1 : Double(received) / Double(size) }

    package var description: String {
        state == .running ? "\(Bytes(received)) of \(Bytes(size)), \(Bytes(speed)) a second" : state.rawValue
    }

    /// Adds received bytes, unless the transfer is paused or done.
    package mutating func receive(_ count: Int, in seconds: Double) {
        guard state == .running else { return }
        received = min(size, received + count)
        state = received == size ? .done : .running
        speed = state == .done ? 0 : Int(Double(count) / seconds)
    }

    /// Pauses or resumes the transfer.
    package mutating func pauseOrResume() {
        if state == .done { return }
        (state, speed) = (state == .paused ? .running : .paused, 0)
    }
}
