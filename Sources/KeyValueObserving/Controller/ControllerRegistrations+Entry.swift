// One registration of a controller, and where it was made.

extension ControllerRegistrations {
    /// Where in a program a registration is made.
    struct Place: Equatable, CustomStringConvertible {
        let fileID: StaticString
        let line: UInt

        static func == (left: Place, right: Place) -> Bool {
            left.line == right.line && left.fileID.description == right.fileID.description
        }

        var description: String { "\(fileID):\(line)" }
    }

    /// What finds registrations.
    enum Name: Hashable {
        case object(ObjectIdentifier)
        /// What registrations are made on, for as long as they last.
        case target(ObjectIdentifier)
        /// The key path of an object as a string, which has one of its own for each class it may be registered as.
        case text(String, of: ObjectIdentifier)

        /// Those of a key path of an object, as far as it is known.
        static func ofKeyPath(_ target: ObjectIdentifier?, _ text: String?, of object: AnyObject) -> [Name] {
            [target.map { .target($0) }, text.map { .text($0, of: ObjectIdentifier(object)) }].compactMap(\.self)
        }
    }

    final class Entry {
        let observation: KeyValueObservation
        /// What is observed of the elements, if it is made on a collection for them.
        let element: AnyKeyPath?
        /// Nil for a token that was stored, for which no policy is asked.
        let place: Place?
        let options: KeyValueObservingOptions
        /// What finds its objects, and what finds its key path.
        let names: (objects: [Name], keyPath: [Name])
        /// The types of its objects.
        let objectTypes: [Any.Type]
        /// Its place in the order of all that the controller makes.
        var number = 0
        private let text: String?
        private let retained: AnyObject?

        init(
            of object: some KeyValueObservable, _ observation: KeyValueObservation, ofEach element: AnyKeyPath?,
            _ request: borrowing RegistrationRequest, retaining retained: AnyObject?
        ) {
            objectTypes = [type(of: object)]
            names = (
                [.object(ObjectIdentifier(object))], Name.ofKeyPath(observation.target, request.text, of: object)
            )
            place = Place(fileID: request.fileID, line: request.line)
            options = request.options
            text = request.text
            self.observation = observation
            self.element = element
            self.retained = retained
        }

        /// That of a token that was made elsewhere.
        init(_ observation: KeyValueObservation) {
            let objects = observation.objects
            objectTypes = objects.map { type(of: $0) }
            names = (objects.map { .object(ObjectIdentifier($0)) }, observation.target.map { [.target($0)] } ?? [])
            (self.observation, element, place, text, retained) = (observation, nil, nil, nil, nil)
            options = observation.registrations.first?.site.options ?? []
        }

        /// The key path, for people.
        var keyPathText: String {
            text ?? observation.keyPath.map { PropertyNames.text(of: $0) } ?? "an ended key path"
        }

        /// The types, for people.
        var objectText: String { objectTypes.map { TypeName.text(of: $0) }.joined(separator: " and ") }
    }
}
