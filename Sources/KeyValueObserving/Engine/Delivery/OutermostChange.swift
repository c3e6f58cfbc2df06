// Which changes of a thread belong together.
import CKeyValueObserving
import Synchronization

/// The outermost change or transaction under way on a thread, with all that its handlers change.
///
/// It has a number only if somebody asks for it, so it costs nothing where nobody does. The number is kept for the
/// thread, and the outermost delivery knows whether it is its own. A transaction and the deliveries at its end have the
/// same number.
package struct OutermostChange {
    /// A number that no other has or had, on any thread.
    package let number: UInt64
    /// Whether it is the end of a transaction.
    package let isTransaction: Bool

    private static let lastNumber = Atomic<UInt64>(0)

    /// The one on this thread; nil if nothing is being delivered and no transaction is open.
    package static var current: OutermostChange? {
        guard let place = DeliveryPlace.outermost else { return nil }
        if !place.isNumbered {
            kvo_set_change_number(lastNumber.wrappingAdd(1, ordering: .relaxed).newValue)
            place.isNumbered = true
        }
        return OutermostChange(number: kvo_change_number(), isTransaction: place.isOfTransaction)
    }

    /// Whether a transaction is open on this thread, so that changes are not delivered before it ends.
    package static var isInTransaction: Bool { unsafe kvo_transaction() != nil }
}
