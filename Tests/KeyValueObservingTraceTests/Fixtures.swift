// A shop, and events of its objects as text.
import KeyValueObserving
@_spi(Inspector) import KeyValueObservingTrace
import Testing

/// The suites of this product.
///
/// What they trace is the whole process, so they run one after the other, and look only at
/// events of their own objects.
@Suite("D19 Tracing", .serialized)
struct TraceTests {}

/// A cart, whose total is computed.
final class Cart: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var count = 0
    @Observed var price = 0
    @Observed var tags: [String] = []
    @Observed var next: Cart?
    @Observed var note: String?
    @Observed var rank: Int?
    /// Only one test uses it, so nobody knows its name before.
    @Observed var unread = 0
    var total: Int {
        accessValue(for: \.total)
        return count * price
    }
}

/// A cart that any thread may change, under a lock of the test.
final class SharedCart: KeyValueObservable, @unchecked Sendable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var count = 0
    @ObservedShared var sum = 0
    var doubled: Int { sum * 2 }
}

extension [KeyValueTrace.Event] {
    /// Those of some objects, and those without an object that they come from.
    func of(_ objects: AnyObject...) -> [KeyValueTrace.Event] {
        let identities = Set(objects.map(ObjectIdentifier.init))
        return filter { event in event.object.map { identities.contains($0.identity) } ?? false }
    }

    func of(_ kind: KeyValueTrace.Kind) -> [KeyValueTrace.Event] { filter { $0.kind == kind } }

    /// Each event as its kind, the property and the values, behind the kind and the property of its cause.
    var lines: [String] {
        let known = Dictionary(map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
        return map { event in
            let cause = event.cause.flatMap { known[$0] }.map { "\($0.kind) \($0.keyPath ?? "") › " } ?? ""
            let values =
                event.oldValue == nil && event.newValue == nil
                ? "" : " \(event.oldValue ?? "·")→\(event.newValue ?? "·")"
            let elements = event.elements.map { " \($0)" } ?? ""
            return "\(cause)\(event.kind) \(event.keyPath ?? "")\(elements)\(values)"
        }
    }
}

/// Traces with values as text.
func traced(_ body: () throws -> Void) rethrows -> [KeyValueTrace.Event] {
    try KeyValueTrace.withTrace(capacity: 1_000_000, valueLength: 40, body).1
}

/// The text that a process of its own printed to standard error.
func message(of result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
}
