// A number of bytes as text.

/// A number of bytes as readable text.
package struct Bytes: CustomStringConvertible {
    private let count: Int

    package init(_ count: Int) { self.count = count }

    package var description: String {
        switch count {
        case 1_000_000...: "\(count / 1_000_000).\(count / 100_000 % 10) MB"
        case 1_000...: "\(count / 1_000) KB"
        default: "\(count) bytes"
        }
    }
}
