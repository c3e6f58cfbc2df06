// A view's change that becomes a setting for what reads the collection has its old value: 5.3 and 6.6.
import Foundation
import KeyValueObserving
import TestSupport
import Testing

@Suite("6.6 Changes of elements as settings")
struct ViewOldValueTests {
    @Test("6.6 5.3 An array, a slice, data and other collections have old and new where the change is a setting")
    func collections() {
        check([1, 2, 3])
        check(ContiguousArray([1, 2, 3]))
        check([9, 1, 2, 3, 9][1...3])
        check(Data([1, 2, 3]))
        check(Data([9, 1, 2, 3, 9])[1...3])
    }

    @Test("6.6 5.3 So do they where an override shows something else from that change on")
    func overridden() {
        checkOverridden([1, 2, 3])
        checkOverridden(ContiguousArray([1, 2, 3]))
        checkOverridden([9, 1, 2, 3, 9][1...3])
        checkOverridden(Data([1, 2, 3]))
        checkOverridden(Data([9, 1, 2, 3, 9])[1...3])
    }

    private func checkOverridden<Items>(_ items: Items, sourceLocation: SourceLocation = #_sourceLocation)
    where
        Items: RandomAccessCollection & MutableCollection & RangeReplaceableCollection, Items.Index == Int,
        Items.Element: FixedWidthInteger
    {
        let (stock, owner, log) = (ShortStock(items), Owner<Items>(), Log())
        owner.stock = stock
        func add(_ name: String, _ kind: KeyValueChange, _ old: Items?, _ new: Items?) {
            log.add("\(name) \(kind) \(old.map { "\(Array($0))" } ?? "·")→\(new.map { "\(Array($0))" } ?? "·")")
        }
        let tokens = [
            stock.observe(\.items, options: [.old, .new]) { add("items", $1.kind, $1.oldValue, $1.newValue) },
            owner.observe(\.stock?.items, options: [.old, .new]) {
                add("path", $1.kind, $1.oldValue.flatMap { $0 }, $1.newValue.flatMap { $0 })
            },
        ]
        stock.view.append(Items.Element(7))
        #expect(
            log.take() == ["items setting [1, 2, 3]→[1, 2]", "path setting [1, 2, 3]→[1, 2]"],
            sourceLocation: sourceLocation)
        withExtendedLifetime(tokens) {}
    }

    private func check<Items>(_ items: Items, sourceLocation: SourceLocation = #_sourceLocation)
    where
        Items: RandomAccessCollection & MutableCollection & RangeReplaceableCollection, Items.Index == Int,
        Items.Element: FixedWidthInteger
    {
        let (stock, owner, log) = (Stock(items), Owner<Items>(), Log())
        owner.stock = stock
        let (one, seven) = (Items.Element(1), Items.Element(7))
        let tokens = [
            stock.observe(\.items.count, options: [.old, .new]) { log.add($1, as: "count") },
            stock.observe(\.total, options: [.old, .new]) { log.add($1, as: "total") },
            owner.observe(\.stock?.items.first, options: [.old, .new]) { _, change in
                log.add("first \(change.oldValue.flatMap { $0 }.flatMap { $0 }.map { "\($0)" } ?? "·")")
            },
            stock.observe(\.copy, options: [.old, .new]) { _, change in
                log.add(
                    "copy \(change.kind) \(change.oldValue.map { "\(Array($0))" } ?? "·")"
                        + "→\(change.newValue.map { "\(Array($0))" } ?? "·")")
            },
        ]
        func heard(_ lines: String...) { #expect(log.take() == lines, sourceLocation: sourceLocation) }
        let view = stock.view
        view.append(seven)
        heard("count 3→4", "total 6→13", "first 1", "copy setting [1, 2, 3]→[1, 2, 3, 7]")
        view.remove(at: view.startIndex)
        heard("count 4→3", "total 13→12", "first 1", "copy setting [1, 2, 3, 7]→[2, 3, 7]")
        view[view.startIndex] = one
        heard("count 3→3", "total 12→11", "first 2", "copy setting [2, 3, 7]→[1, 3, 7]")
        view.removeAll()
        heard("count 3→0", "total 11→0", "first 1", "copy setting [1, 3, 7]→[]")
        withExtendedLifetime(tokens) {}
    }
}

private class Stock<Items>: KeyValueObservable
where
    Items: RandomAccessCollection & MutableCollection & RangeReplaceableCollection, Items.Index == Int,
    Items.Element: FixedWidthInteger
{
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var items: Items
    var total: Int { items.reduce(0) { $0 + Int($1) } }
    var copy: Items { items }
    var view: ObservedMutableProperty<Items> { mutable(\.items) }

    init(_ items: Items) {
        self.items = items
    }
}

/// Shows no more than two if it has more than three.
private final class ShortStock<Items>: Stock<Items>
where
    Items: RandomAccessCollection & MutableCollection & RangeReplaceableCollection, Items.Index == Int,
    Items.Element: FixedWidthInteger
{
    override var items: Items {
        get { super.items.count > 3 ? Items(super.items.prefix(2)) : super.items }
        set { super.items = newValue }
    }
}

private final class Owner<Items>: KeyValueObservable
where
    Items: RandomAccessCollection & MutableCollection & RangeReplaceableCollection, Items.Index == Int,
    Items.Element: FixedWidthInteger
{
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var stock: Stock<Items>?
}
