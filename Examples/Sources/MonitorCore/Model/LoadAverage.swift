// The load averages.

/// How many processes wanted to run, averaged over one, five and fifteen minutes.
///
/// A value, not an object: the three are known together and replaced together.
package struct LoadAverage: Equatable, Sendable {
    package var one: Double
    package var five: Double
    package var fifteen: Double

    package init(one: Double, five: Double, fifteen: Double) {
        self.one = one
        self.five = five
        self.fifteen = fifteen
    }
}
