// Changes that some registrations are not notified of.

extension IgnoredRegistrations {
    /// Runs `body`, whose changes are not delivered to some registrations.
    ///
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws.
    static func ignoring<Result, Failure: Error>(
        _ numbers: () -> [RegistrationNumber], of owner: AnyObject? = nil, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let numbers = numbers()
        if numbers.isEmpty, owner == nil { return try body() }
        return try adding(numbers, of: owner, body)
    }
}
