// Keeping a closure that is lent, where it captures nothing.
import CKeyValueObserving

/// A function that reads something of an object.
///
/// The optimizer turns a closure that captures nothing but a key path literal into a plain function which calls the
/// getters, but only if the closure is lent. What is lent may not be kept, for what it captures may lie in the frame of
/// the caller. A closure with nothing captured is a function of the program, though, and lasts as long as that.
struct PlainFunction<Object: AnyObject> {
    // In a field the closure is represented as it is in a parameter; as a generic argument it would not be.
    let read: (Object) -> AnyValue

    /// Keeps a closure; nil if it captures something.
    init?(_ closure: (Object) -> AnyValue) {
        var words: (function: UInt, context: UInt) = (0, 0)
        unsafe getWords(of: closure, &words)
        guard words.context == 0, MemoryLayout<Self>.size == MemoryLayout.size(ofValue: words) else { return nil }
        self = unsafe unsafeBitCast(words, to: Self.self)
    }
}

/// Gives the two words that a closure is passed as: its function, and what it captures.
@_silgen_name("kvo_get_closure_words")
private func getWords<Object: AnyObject>(
    of closure: (Object) -> AnyValue, _ words: UnsafeMutablePointer<(function: UInt, context: UInt)>)
