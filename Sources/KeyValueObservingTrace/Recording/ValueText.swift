// Values as text of bounded length.
import KeyValueObserving

/// The start of a value's description.
struct ValueText {
    let text: String
    /// A hash of the whole description, as far as it was made; for objects, of their identities.
    let hash: Int
    /// The object, if the value is one and is described by its name.
    private(set) var object: KeyValueTrace.Object?

    /// How many elements of a collection are described.
    static let mostElements = 32

    private init(_ whole: String, of objects: [ObjectIdentifier] = [], length: Int) {
        var hasher = Hasher()
        hasher.combine(whole)
        hasher.combine(objects)
        hash = hasher.finalize()
        let start = whole.prefix(length)
        text = start.endIndex == whole.endIndex ? whole : start + "…"
    }

    /// Describes a value, which may run code of its type.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - length: How many characters to keep.
    init(_ value: Any, length: Int) {
        if let value = value as? String {
            self.init(value, length: length)
        } else if let values = value as? any Collection {
            self.init(collection: values, length: length)
        } else if Swift.type(of: value) is AnyClass, Self.isPlain(value as AnyObject) {
            self.init(KeyValueTrace.Object(value as AnyObject), length: length)
        } else {
            // An optional is described as its wrapped value.
            let mirror = Mirror(reflecting: value)
            if mirror.displayStyle == .optional, let content = mirror.children.first {
                self.init(content.value, length: length)
            } else {
                self.init(mirror.displayStyle == .optional ? "nil" : String(describing: value), length: length)
            }
        }
    }

    private init(collection values: some Collection, length: Int) {
        let start = Array(values.prefix(Self.mostElements))
        if !start.isEmpty, start.allSatisfy({ Self.isObject($0) }) {
            let types = Set(start.map { TypeName.of($0) })
            self.init(
                "\(values.count) × \(types.count == 1 ? types.first ?? "" : "objects")",
                of: start.map { ObjectIdentifier($0 as AnyObject) }, length: length)
        } else if values.count > start.count {
            self.init(start, count: values.count, length: length)
        } else {
            self.init(String(describing: values), length: length)
        }
    }

    /// Describes the first elements of a collection with a count.
    init(_ start: Any, count: Int, length: Int) {
        // The last part may be long.
        self.init("\(start) and \(count - Self.mostElements) more", length: length)
    }

    /// Describes an object by its class, and by its number if it is known.
    init(_ object: KeyValueTrace.Object, length: Int) {
        self.init(Recorder.shared.look { $0.name(of: object) }, of: [object.identity], length: length)
        self.object = object
    }

    /// Describes a collection of objects of a class.
    init(_ type: Any.Type, count: Int, length: Int) {
        self.init(count == 0 ? "[]" : "\(count) × \(TypeName.text(of: type))", length: length)
    }

    private static func isObject(_ value: Any) -> Bool {
        Swift.type(of: value) is AnyClass && isPlain(value as AnyObject)
    }

    /// Whether an object's only description is the name of its class.
    static func isPlain(_ object: AnyObject) -> Bool { isPlain(Swift.type(of: object)) }

    static func isPlain(_ type: Any.Type) -> Bool {
        !(type is any CustomStringConvertible.Type || type is any CustomDebugStringConvertible.Type
            || type is any TextOutputStreamable.Type)
    }
}
