// What is reported to a tracer of registrations that end together.

extension RegistrationList {
    /// Reports that all of them have ended, except those that are made for others which are listed.
    func traceEnd() {
        for registration in all where registration.isOfKeyPath { registration.traceEnd() }
    }
}
