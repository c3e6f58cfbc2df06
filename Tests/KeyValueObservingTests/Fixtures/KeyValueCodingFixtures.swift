// The classes that the tests reach by name.
import KeyValueCoding
import KeyValueObserving

/// Has a property for each case of the search, and of every sort of value.
class Customer: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var age = 0
    @Observed var name = ""
    @Observed var nickname: String?
    @Observed var points: Int?
    @Observed var weight = 0.0
    @Observed var small: UInt8 = 0
    @Observed var isMember = false
    @Observed var home: Place?
    @Observed var office = Place("office")
    @Observed var friends: [Customer] = []
    @Observed var circle: Set<Place> = []
    @Observed var tags: [String] = []
    @Observed var info: [String: Any] = [:]
    @Observed var frame = Frame()
    @Observed var anything: Any? = nil
    @Observed var size = 0
    @Observed private var storedCode = 0
    @Observed private var storedFlag = false

    var isAdult: Bool { age >= 18 }
    var sortedTags: [String] { tags.sorted() }
    /// Touches nothing that can be observed.
    var constant: Int { 7 }

    /// Ends cycles: places may have this customer as their owner.
    func letGo() {
        for place in Array(circle) + [office, home].compactMap({ $0 }) { place.owner = nil }
    }

    class var keyPathsByKey: [String: AnyKeyPath] {
        [
            "age": \Customer.age, "name": \Customer.name, "nickname": \Customer.nickname, "points": \Customer.points,
            "weight": \Customer.weight, "small": \Customer.small, "isMember": \Customer.isMember,
            "home": \Customer.home, "office": \Customer.office, "friends": \Customer.friends,
            "circle": \Customer.circle, "tags": \Customer.tags, "info": \Customer.info, "frame": \Customer.frame,
            "width": \Customer.frame.width, "anything": \Customer.anything, "größe": \Customer.size,
            "isAdult": \Customer.isAdult, "sortedTags": \Customer.sortedTags, "constant": \Customer.constant,
            "_code": \Customer.storedCode,
            "_isHidden": \Customer.storedFlag,
        ]
    }
}

/// Adds a key to those it inherits.
final class RegularCustomer: Customer {
    @Observed var discount = 10

    override class var keyPathsByKey: [String: AnyKeyPath] {
        super.keyPathsByKey.merging(["discount": \RegularCustomer.discount]) { $1 }
    }
}

final class Place: KeyValueCodable, Hashable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var city: String?
    @Observed var owner: Customer?
    @Observed var rooms = 0

    init(_ city: String? = nil) {
        self.city = city
    }

    static var keyPathsByKey: [String: AnyKeyPath] {
        ["city": \Place.city, "owner": \Place.owner, "rooms": \Place.rooms]
    }

    static func == (left: Place, right: Place) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Its storage is out of reach unless it is asked for by its whole name.
final class Reserved: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var storedCode = 1
    @Observed var isOpen = false

    static var keyPathsByKey: [String: AnyKeyPath] { ["_code": \Reserved.storedCode, "isOpen": \Reserved.isOpen] }
    static var accessesStorageDirectly: Bool { false }
}

/// Answers for unknown keys, and takes nil.
class Accommodating: KeyValueCodable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var count = 5
    @Observed var others: [String: Any] = [:]

    class var keyPathsByKey: [String: AnyKeyPath] { ["count": \Accommodating.count] }

    func value(forUndefinedKey key: String) throws -> Any? { others[key] }

    func setValue(_ value: Any?, forUndefinedKey key: String) throws { others[key] = value }

    func setNilValue(forKey key: String) throws { count = 0 }

    func validateValue(_ value: inout Any?, forKey key: String) throws {
        guard key == "count" else { return }
        guard let number = value as? Int else {
            throw KeyValueCodingError(code: .invalidValue, key: key, objectType: type(of: self))
        }
        value = max(0, number)
    }
}

/// Refuses what its superclass accepts.
final class Strict: Accommodating {
    override func value(forUndefinedKey key: String) throws -> Any? { "strictly no \(key)" }

    override func setNilValue(forKey key: String) throws {
        throw KeyValueCodingError(code: .nilForNonOptional, key: key, objectType: type(of: self))
    }
}

/// The code, the key and the type of the error that `body` throws.
func codingError(_ body: () throws -> Any?) -> KeyValueCodingError? {
    do { _ = try body() } catch { return error as? KeyValueCodingError }
    return nil
}

extension KeyValueCodingError {
    /// The error in short, such as `undefinedKey agee of Customer (age)`.
    var summary: String {
        "\(code) \(key) of \(objectType)" + (nearKeys.isEmpty ? "" : " (\(nearKeys.joined(separator: ", ")))")
    }
}
