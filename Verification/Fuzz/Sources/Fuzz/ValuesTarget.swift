// Values that are set by name: 8.1 to 8.4 of the contract.
import Foundation
import KeyValueCoding
import KeyValueObserving

/// Sets properties by name to values of all types, which are converted or refused.
enum ValuesTarget {
    static func run(_ input: Input, _ root: FuzzNode) {
        var calls = 0
        let tokens = FuzzNode.keys.compactMap { key in
            try? root.observe(key, options: [.old, .new]) { _, _ in calls += 1 }
        }
        for _ in 0..<8 where !input.isEmpty {
            let key = input.number(20) == 0 ? input.word() : input.one(of: FuzzNode.keys)
            let value = value(input)
            let before = root.snapshot
            calls = 0
            do {
                try root.setValue(value, forKey: key)
            } catch {
                let isUnchanged = root.snapshot == before && calls == 0
                require(isUnchanged, "8 a refused value of \(key) changed something: \(error)")
                continue
            }
            // What is computed from a number is notified, too.
            require(calls == (key == "number" ? 2 : 1), "8.2 setting \(key) notified \(calls) times")
            let read = root.read(key, promise: "8.1 \(value as Any) was set:")
            if let number = FuzzNode.double(value), let again = FuzzNode.double(read) {
                require(number == again || number.isNaN && again.isNaN, "8.4 \(key): \(number) became \(again)")
            }
        }
        withExtendedLifetime(tokens) {}
    }

    private static func value(_ input: Input) -> Any? {
        switch input.number(20) {
        case 0: nil
        case 1: Int(Int8(bitPattern: input.byte()))
        case 2: Int(bitPattern: UInt(input.bits()))
        case 3: input.bits()
        case 4: Int8(bitPattern: input.byte())
        case 5: Double(bitPattern: input.bits())
        case 6: Float(bitPattern: UInt32(truncatingIfNeeded: input.bits()))
        case 7: Double(input.byte())
        case 8: input.number(2) == 0
        case 9: input.word()
        case 10: NSNumber(value: Int(bitPattern: UInt(input.bits())))
        case 11: NSNumber(value: Double(bitPattern: input.bits()))
        case 12: Decimal(Int(input.byte()))
        case 13: (0..<input.number(4)).map { _ in Int(input.byte()) }
        case 14: (0..<input.number(4)).map { _ in value(input) } as [Any?]
        case 15: Set((0..<input.number(3)).map { _ in input.word() })
        case 16: [input.word(): Int(input.byte())]
        case 17: FuzzNode()
        case 18: Int?.none as Any
        default: Data([input.byte()])
        }
    }
}
