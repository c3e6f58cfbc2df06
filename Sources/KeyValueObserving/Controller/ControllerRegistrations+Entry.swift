// One registration of a controller, and where it was made.

extension ControllerRegistrations {
    package enum DuplicatePolicy {
        case ignoreRepeated, ignore, replace, allow
    }

    /// Where in a program a registration is made.
    struct Place: Equatable, CustomStringConvertible {
        private let fileID: StaticString
        private let line: UInt

        init(_ request: borrowing RegistrationRequest) {
            fileID = request.fileID
            line = request.line
        }

        static func == (left: Place, right: Place) -> Bool {
            left.line == right.line && left.fileID.description == right.fileID.description
        }

        var description: String { "\(fileID):\(line)" }
    }

    struct Entry {
        let objectType: any KeyValueObservable.Type
        /// The key path as it was given, if that was a string.
        let text: String?
        let observation: KeyValueObservation
        /// What it is made on, for as long as the registration lasts.
        let target: ObjectIdentifier?
        /// What is observed of the elements, if it is made on a collection for them.
        let element: AnyKeyPath?
        let place: Place
        let options: KeyValueObservingOptions
        /// Its place in the order of all that the controller makes.
        var number = 0

        /// The key path, for people.
        var keyPathText: String {
            text ?? observation.keyPath.map { PropertyNames.text(of: $0) } ?? "an ended key path"
        }
    }
}
