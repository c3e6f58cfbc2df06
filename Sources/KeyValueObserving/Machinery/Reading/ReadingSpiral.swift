// A getter that waits for itself, told before the stack ends.
import CKeyValueObserving

/// Recognizes a getter that leads back to itself, before the stack ends.
///
/// A property that is read again and again, each time deeper in the stack, until that is nearly used up, is read by a
/// getter that waits for itself. Recursion over distinct objects reads distinct properties, and a loop reads at one depth.
struct ReadingSpiral {
    private var object: ObjectIdentifier?
    private var property = PropertyIdentity(rawValue: 0)
    private var depth: UInt = 0
    private var turns = 0
    private var readsSinceTurn = 0
    /// What was read on this turn, for the message.
    private var names: [String] = []

    /// The stack is looked at once in so many turns.
    private static let turnsBetweenLooks = 16
    /// After so many reads without a turn, another property is watched.
    private static let longestTurn = 256

    /// Takes note of a read, and traps if it is one too many.
    ///
    /// - Parameters:
    ///   - object: The object that is read.
    ///   - property: The property.
    ///   - name: What the property is called.
    mutating func note(_ object: AnyObject, _ property: PropertyIdentity, name: () -> String) {
        readsSinceTurn += 1
        let here = kvo_stack_depth()
        guard self.object == ObjectIdentifier(object), self.property == property else {
            if self.object == nil || readsSinceTurn > Self.longestTurn { watch(object, property, here) }
            if isAboutToLook { names.append(name()) }
            return
        }
        guard here > depth else { return watch(object, property, here) }
        depth = here
        turns += 1
        readsSinceTurn = 0
        if turns.isMultiple(of: Self.turnsBetweenLooks), kvo_stack_nears_its_end() {
            fatalError(
                """
                A getter of \(type(of: object)) waits for itself: \(names.joined(separator: ", ")) are read over and \
                over, each time deeper in the stack. Break the cycle of computed properties.
                """)
        }
        names = isAboutToLook ? [name()] : []
    }

    private var isAboutToLook: Bool {
        turns % Self.turnsBetweenLooks == Self.turnsBetweenLooks - 1 && names.count < Self.longestTurn
    }

    private mutating func watch(_ object: AnyObject, _ property: PropertyIdentity, _ here: UInt) {
        self.object = ObjectIdentifier(object)
        self.property = property
        depth = here
        turns = 0
        readsSinceTurn = 0
        names = []
    }
}
