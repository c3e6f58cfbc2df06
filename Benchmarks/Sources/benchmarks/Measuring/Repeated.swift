// The loop around each operation.

/// Performs the body so many times, with 1, 2, 3 and so on.
///
/// It could be replaced at run time, so the optimizer calls the body as it is: it neither moves the check of exclusive
/// access out of the loop, nor takes the loop for what it adds up to. Each time stands for one in a program that did
/// something else before. The call costs about a nanosecond, for all contenders alike.
dynamic func repeated(_ count: Int, _ body: (Int) -> Void) {
    for step in 1...count { body(step) }
}
