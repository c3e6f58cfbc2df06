// What a registration needs of a property that several threads change.

/// The line of changes of a shared property.
protocol SharedLine: AnyObject {
    /// Runs `record` between two stores.
    ///
    /// Where `isHeld`, changes are kept for the registration until `release`: its initial call comes first. `record` returns
    /// the registration's number.
    ///
    /// - Returns: The value at that moment.
    func register(held isHeld: Bool, _ record: () -> RegistrationNumber) -> BoxedValue

    /// Takes the changes that were kept for a registration; from when there are none, it is called as others are.
    func release(_ number: RegistrationNumber) -> [OpenChange]
}
