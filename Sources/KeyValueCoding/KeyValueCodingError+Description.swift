// The sentences of the errors of key-value coding.
import KeyValueObserving

extension KeyValueCodingError: CustomStringConvertible {
    /// The problem, with the reason that a class gave, and its remedy, in sentences.
    public var description: String {
        var sentence = explanation ?? problem
        if let reason = reason.map(Self.withoutPeriod), !reason.isEmpty { sentence += ": \(reason)" }
        return ([sentence + "."] + [advice].compactMap { $0 }).joined(separator: " ")
    }

    /// The problem, from the code, the key and the type.
    private var problem: String {
        switch code {
        case .undefinedKey: "\(objectType) has no key \"\(key)\""
        case .emptyKeyPath: "The key path \"\(key)\" for \(objectType) has an empty component"
        case .notWritable: "\"\(key)\" of \(objectType) can only be read"
        case .nilForNonOptional: "\"\(key)\" of \(objectType) cannot be nil"
        case .typeMismatch where key.hasPrefix("@"): "\"\(key)\" cannot work on a value of type \(objectType)"
        case .typeMismatch: "The value for \"\(key)\" of \(objectType) has another type than is needed"
        case .invalidOperator: "\"\(key)\" cannot be applied to \(objectType)"
        case .notACollection: "\"\(key)\" needs a collection, and \(objectType) is not one that it works on"
        case .invalidValue: "\(objectType) does not accept the value for \"\(key)\""
        case .notObservable:
            """
            \(objectType) cannot be observed at "\(key)": reading it touches no @Observed property, so no change of it \
            can be seen
            """
        default: "\(code) for \"\(key)\" of \(objectType)"
        }
    }

    /// The remedy.
    private var advice: String? {
        if code == .undefinedKey, explanation == nil, key.contains(".") {
            return "A key has no dots. The calls with forKeyPath take key paths."
        }
        if let suggestion { return suggestion }
        // An explanation by the library includes the remedy.
        switch code {
        case .undefinedKey where explanation == nil: return "Only what keyPathsByKey of a class lists is found."
        case .emptyKeyPath where explanation == nil: return "Name a key between all dots."
        case .notWritable:
            return "List a writable key path in keyPathsByKey, or set what it is computed from."
        case .nilForNonOptional: return "Set a value, or say in setNilValue(forKey:) what nil stands for."
        case .notObservable: return "Make a stored property behind it @Observed."
        default: return nil
        }
    }

    /// The near misses as a question, such as `Did you mean "age" or "page"?`.
    private var suggestion: String? {
        guard let last = nearKeys.last else { return nil }
        let others = nearKeys.dropLast().map { "\"\($0)\"" }.joined(separator: ", ")
        return "Did you mean \(others.isEmpty ? "" : "\(others) or ")\"\(last)\"?"
    }

    private static func withoutPeriod(_ text: String) -> String {
        text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}
