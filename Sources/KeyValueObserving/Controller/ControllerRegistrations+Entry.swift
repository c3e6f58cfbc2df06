// One registration of a controller, and the place that made it.

extension ControllerRegistrations {
    /// The place in a program that makes a registration.
    struct Place: Equatable, CustomStringConvertible {
        let fileID: StaticString
        let line: UInt

        static func == (left: Place, right: Place) -> Bool {
            left.line == right.line && left.fileID.description == right.fileID.description
        }

        var description: String { "\(fileID):\(line)" }
    }

    /// A key that finds registrations.
    enum Name: Hashable {
        case object(ObjectIdentifier)
        /// The property or watch of registrations, as long as they last.
        case target(ObjectIdentifier)
        /// The key path of an object as a string, which may be registered with several classes of the object.
        case text(String, of: ObjectIdentifier)

        /// The names of an object's key path, as far as they are known.
        static func ofKeyPath(_ target: ObjectIdentifier?, _ text: String?, of object: AnyObject) -> [Name] {
            [target.map { .target($0) }, text.map { .text($0, of: ObjectIdentifier(object)) }].compactMap(\.self)
        }
    }

    final class Entry {
        let observation: KeyValueObservation
        /// The key path observed at the elements, if the registration follows those of a collection.
        let element: AnyKeyPath?
        /// The place; nil for a stored token, to which the policy does not apply.
        let place: Place?
        let options: KeyValueObservingOptions
        /// The names of its objects and of its key path.
        let names: (objects: [Name], keyPath: [Name])
        /// The types of its objects.
        let objectTypes: [Any.Type]
        /// Its place in the order of the controller's registrations.
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

        /// Creates an entry for a stored token.
        init(_ observation: KeyValueObservation) {
            let objects = observation.objects
            objectTypes = objects.map { type(of: $0) }
            names = (objects.map { .object(ObjectIdentifier($0)) }, observation.target.map { [.target($0)] } ?? [])
            (self.observation, element, place, text, retained) = (observation, nil, nil, nil, nil)
            options = observation.registrations.first?.site.options ?? []
        }

        /// The key path as text.
        var keyPathText: String {
            text ?? observation.keyPath.map { PropertyNames.text(of: $0) } ?? "an ended key path"
        }

        /// The types as text.
        var objectText: String { objectTypes.map { TypeName.text(of: $0) }.joined(separator: " and ") }
    }
}
