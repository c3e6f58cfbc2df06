// Numbers of one type as numbers of another, if nothing is lost.

/// Converts numbers exactly.
enum ExactNumber {
    /// The number as a `Target`, if it is exactly representable; nil if `value` is no number or does not fit.
    static func convert<Target>(_ value: Any, to target: Target.Type) -> Target? {
        func open<Number: BinaryInteger>(_: Number.Type) -> Target? {
            switch value {
            case let value as any BinaryInteger: Number(exactly: value) as? Target
            case let value as any BinaryFloatingPoint: Number(exactly: value) as? Target
            default: nil
            }
        }
        func open<Number: BinaryFloatingPoint>(_: Number.Type) -> Target? {
            switch value {
            case let value as any BinaryInteger: Number(exactly: value) as? Target
            case let value as any BinaryFloatingPoint: Number(exactly: value) as? Target
            default: nil
            }
        }
        return switch target {
        case let type as any BinaryInteger.Type: open(type)
        case let type as any BinaryFloatingPoint.Type: open(type)
        default: nil
        }
    }
}
