// Observing the defaults of a user, key by key.
#if !canImport(ObjectiveC)
public import Foundation
public import KeyValueCoding
import KeyValueObserving
public import KeyValueObservingSwizzling

/// A `UserDefaults` that lets you observe every key.
///
/// ```swift
/// import Foundation
/// import KeyValueCoding
/// import KeyValueObservingFoundation
///
/// let defaults = try NotifyingUserDefaults.makeObservable(UserDefaults.standard)
/// let token = defaults.observe(\.[integer: "volume"], options: .new) { print("volume \($1.requiredNewValue)") }
/// let named = try defaults.observe("volume", options: .new) { print("by name \($1.requiredNewValue)") }
/// UserDefaults.standard.set(11, forKey: "volume")     // prints "volume 11", then "by name 11"
/// ```
///
/// If a getter of yours reads a key, such as with `integer(forKey:)`, it depends on that key. A key observed by name
/// must not contain a dot.
///
/// ### Observable changes
///
/// The library sees values that are set or removed through this object in any way, defaults registered through it, and
/// the argument domain. It doesn't see values written by another `UserDefaults` object, even one with the same suite,
/// by `setPersistentDomain` and `removePersistentDomain`, which use another object, or by another process.
///
/// Handlers are called on the thread that sets the value, before the call returns.
public final class NotifyingUserDefaults: UserDefaults, NotifyingSubclass, KeyValueCodable {
    /// Empty, because each key is found by name without being listed.
    public static var keyPathsByKey: [String: AnyKeyPath] { [:] }

    /// The value of a key, as `object(forKey:)` returns it; nil removes it.
    public subscript(key: String) -> Any? {
        get { object(forKey: key) }
        set { set(newValue, forKey: key) }
    }

    /// The value of a key, or nil.
    public override func object(forKey defaultName: String) -> Any? {
        accessValue(for: \.[defaultName])
        return super.object(forKey: defaultName)
    }

    /// Sets the value of a key; nil removes it.
    public override func set(_ value: Any?, forKey defaultName: String) {
        changeValue(for: \.[defaultName]) { super.set(value, forKey: defaultName) }
    }

    /// Sets the value of a key to a URL; nil removes it.
    public override func set(_ url: URL?, forKey defaultName: String) {
        // Foundation's method calls itself without end for nil.
        guard let url else { return removeObject(forKey: defaultName) }
        super.set(url, forKey: defaultName)
    }

    /// The URL of a key; nil if the stored value is not one.
    public override func url(forKey defaultName: String) -> URL? {
        // Foundation ends the program if the data is not an archive of a URL.
        if let data = object(forKey: defaultName) as? Data {
            return (try? NSKeyedUnarchiver.unarchivedObject(ofClass: NSURL.self, from: data)).map { $0 as URL }
        }
        return super.url(forKey: defaultName)
    }

    /// Removes the value of a key.
    public override func removeObject(forKey defaultName: String) {
        changeValue(for: \.[defaultName]) { super.removeObject(forKey: defaultName) }
    }

    /// Adds values for keys that have none.
    public override func register(defaults registrationDictionary: [String: Any]) {
        changeValues(for: registrationDictionary.keys) { super.register(defaults: registrationDictionary) }
    }

    /// Adds the values of a domain that is not stored.
    public override func setVolatileDomain(_ domain: [String: Any], forName domainName: String) {
        // Values are read from no other domain of this kind.
        guard domainName == UserDefaults.argumentDomain else {
            return super.setVolatileDomain(domain, forName: domainName)
        }
        changeValues(for: domain.keys) { super.setVolatileDomain(domain, forName: domainName) }
    }

    /// Removes the values of a domain that is not stored.
    public override func removeVolatileDomain(forName domainName: String) {
        guard domainName == UserDefaults.argumentDomain else { return super.removeVolatileDomain(forName: domainName) }
        changeValues(for: volatileDomain(forName: domainName).keys) {
            super.removeVolatileDomain(forName: domainName)
        }
    }

    /// The value of a key, found by name.
    public func value(forUndefinedKey key: String) throws -> Any? { object(forKey: key) }

    /// Sets the value of a key by name.
    public func setValue(_ value: Any?, forUndefinedKey key: String) throws { set(value, forKey: key) }

    private func changeValues(for keys: some Sequence<String>, _ body: () -> Void) {
        let keys = keys.sorted()
        for key in keys { willChangeValue(for: \.[key]) }
        body()
        for key in keys { didChangeValue(for: \.[key]) }
    }
}
#endif
