// Traits of tests that the plain form cannot pass; "What is lost" in the article Design says why.
import TestSupport
import Testing

extension Trait where Self == ConditionTrait {
    /// For a test of what can only be known by reading the memory of key paths.
    static var needsReadableKeyPaths: Self {
        .disabled(if: isPlainForm, "key paths cannot be read in the plain form")
    }

    /// For a test of what can only be known by seeing which properties a subclass overrides.
    static var needsVisibleOverrides: Self {
        .disabled(if: isPlainForm, "overrides cannot be seen in the plain form")
    }
}
