// Closures that GTK calls.
import CGtk

/// A closure that an object of GTK holds.
private final class Closure: Sendable {
    let call: @MainActor () -> Void
    init(_ call: @escaping @MainActor () -> Void) { self.call = call }
}

/// Calls a closure on the main thread, on which GTK runs.
private func call(_ data: UnsafeMutableRawPointer?) {
    guard let data = unsafe data else { return }
    let closure = unsafe Unmanaged<Closure>.fromOpaque(data).takeUnretainedValue()
    MainActor.assumeIsolated { closure.call() }
}

/// Connects a closure to a signal of an object, which holds it.
///
/// - Parameters:
///   - object: The object.
///   - signal: The name of the signal.
///   - parameterCount: How many parameters the signal has in addition to the object: none or one.
///   - handler: The closure.
@MainActor
func connect(
    _ object: UnsafeMutableRawPointer, _ signal: String, parameterCount: Int,
    _ handler: @escaping @MainActor () -> Void
) {
    typealias Pointer = UnsafeMutableRawPointer?
    let plain: @convention(c) (Pointer, Pointer) -> Void = { unsafe call($1) }
    let withOne: @convention(c) (Pointer, Pointer, Pointer) -> Void = { unsafe call($2) }
    let callback =
        parameterCount == 0
        ? unsafe unsafeBitCast(plain, to: GCallback.self) : unsafe unsafeBitCast(withOne, to: GCallback.self)
    unsafe g_signal_connect_data(
        object, signal, callback, Unmanaged.passRetained(Closure(handler)).toOpaque(),
        { data, _ in if let data = unsafe data { unsafe Unmanaged<Closure>.fromOpaque(data).release() } },
        GConnectFlags(rawValue: 0))
}

extension Widget {
    /// Calls a closure at a signal without parameters, such as `changed` or `activate`, for as long as the widget lives.
    package func on(_ signal: String, _ handler: @escaping @MainActor () -> Void) {
        unsafe connect(pointer, signal, parameterCount: 0, handler)
    }
}

extension ListBox {
    /// Calls a closure when another row is selected.
    package func onSelection(_ handler: @escaping @MainActor () -> Void) {
        unsafe connect(widget.pointer, "row-selected", parameterCount: 1, handler)
    }
}
