// Keys of a user's defaults as properties with types.
#if !canImport(ObjectiveC)
public import Foundation

extension NotifyingUserDefaults {
    /// The text of a key, as `string(forKey:)` returns it.
    public subscript(string key: String) -> String? {
        get { string(forKey: key) }
        set { set(newValue, forKey: key) }
    }

    /// The number of a key, as `integer(forKey:)` returns it: 0 if there is none.
    public subscript(integer key: String) -> Int {
        get { integer(forKey: key) }
        set { set(newValue, forKey: key) }
    }

    /// The number of a key, as `double(forKey:)` returns it: 0 if there is none.
    public subscript(double key: String) -> Double {
        get { double(forKey: key) }
        set { set(newValue, forKey: key) }
    }

    /// The truth value of a key, as `bool(forKey:)` returns it: false if there is none.
    public subscript(bool key: String) -> Bool {
        get { bool(forKey: key) }
        set { set(newValue, forKey: key) }
    }

    /// The data of a key, as `data(forKey:)` returns them.
    public subscript(data key: String) -> Data? {
        get { data(forKey: key) }
        set { set(newValue, forKey: key) }
    }

    /// The texts of a key, as `stringArray(forKey:)` returns them.
    public subscript(stringArray key: String) -> [String]? {
        get { stringArray(forKey: key) }
        set { set(newValue, forKey: key) }
    }

    /// The URL of a key, as `url(forKey:)` returns it.
    public subscript(url key: String) -> URL? {
        get { url(forKey: key) }
        set { set(newValue, forKey: key) }
    }
}
#endif
