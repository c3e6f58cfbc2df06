// Changes that some registrations are not notified of.

extension IgnoredRegistrations {
    /// Runs `body`, whose changes are not delivered to some registrations.
    ///
    /// What is being delivered on this thread is completed first: what handlers change that are called for earlier changes
    /// is not ignored.
    ///
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws.
    static func ignoring<Result, Failure: Error>(
        _ numbers: () -> [RegistrationNumber], of owner: AnyObject? = nil, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        Delivery.completeAll()
        let numbers = numbers()
        if numbers.isEmpty, owner == nil { return try body() }
        return try adding(numbers, of: owner, body)
    }
}
