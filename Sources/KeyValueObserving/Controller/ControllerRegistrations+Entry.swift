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
        /// What finds a registration among those of an object.
        ///
        /// What evaluates a string has a key path of its own for each class it may be registered as. So a string finds
        /// what was made with it, too.
        struct Key {
            /// What it is made on, for as long as the registration lasts.
            let target: ObjectIdentifier?
            /// The key path as it was given, if that was a string.
            let text: String?

            init(_ target: ObjectIdentifier?, _ text: String?) {
                self.target = target
                self.text = text
            }

            func overlaps(_ other: Key) -> Bool {
                target != nil && target == other.target || text != nil && text == other.text
            }
        }

        let objectType: any KeyValueObservable.Type
        let key: Key
        let observation: KeyValueObservation
        /// What is observed of the elements, if it is made on a collection for them.
        let element: AnyKeyPath?
        let place: Place
        let options: KeyValueObservingOptions
        /// Its place in the order of all that the controller makes.
        var number = 0

        /// The key path, for people.
        var keyPathText: String {
            key.text ?? observation.keyPath.map { PropertyNames.text(of: $0) } ?? "an ended key path"
        }
    }
}
