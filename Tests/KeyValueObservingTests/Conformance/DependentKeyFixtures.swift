// Classes with dependent properties, for the conformance cases of group 5.
import KeyValueObserving

/// Two properties that declare each other and three in a ring, all computed from one.
final class Rings: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var leaf = 0
    var a: Int { leaf }
    var b: Int { leaf * 2 }
    var x: Int { leaf * 10 }
    var y: Int { leaf * 20 }
    var z: Int { leaf * 30 }

    static func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> {
        switch keyPath {
        case \Rings.a: [\Rings.b, \Rings.leaf]
        case \Rings.b: [\Rings.a, \Rings.leaf]
        case \Rings.x: [\Rings.y, \Rings.leaf]
        case \Rings.y: [\Rings.z, \Rings.leaf]
        case \Rings.z: [\Rings.x, \Rings.leaf]
        default: []
        }
    }
}

/// A node with many ways out of it.
final class Crossing: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var a: Crossing?
    @Observed var b: Crossing?
    @Observed var c: Crossing?
    @Observed var d: Crossing?
    @Observed var e = 0
    @Observed var f = 0
    var computed: String { "\(a?.b?.c?.d?.f ?? -1) \(a?.c?.b?.e ?? -1)" }
    @Observed var declared = 0

    static func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> {
        keyPath == \Crossing.declared ? [\Crossing.a?.b?.c?.d?.f, \Crossing.a?.c?.b?.e] : []
    }
}

final class Amount: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var anInt = 0
    @Observed var aFloat = 0.0
    var doubled: Double { aFloat * 2 }

    static func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> {
        keyPath == \Amount.aFloat ? [\Amount.anInt] : []
    }
}

final class NameParts: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var first = ""
    @Observed var last = ""
}

final class NameHolder: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var name = NameParts()
    var fullName: String { "\(name.first) \(name.last)" }
}

/// Declares what affects a stored and a computed property.
class Totalled: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var base = 0
    @Observed var total = 0
    @Observed private var unaffected = 0
    var sum: Int { unaffected }

    class func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> {
        keyPath == \Totalled.total || keyPath == \Totalled.sum ? [\Totalled.base] : []
    }
}

/// Adds to what its superclass declares.
final class Widened: Totalled {
    @Observed var added = 0

    override class func keyPathsAffectingValue(for keyPath: AnyKeyPath) -> Set<AnyKeyPath> {
        let inherited = super.keyPathsAffectingValue(for: keyPath)
        return keyPath == \Totalled.total ? inherited.union([\Widened.added]) : inherited
    }
}

final class Bar: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    @Observed var x = 0
}

/// Depends on itself and on a `Bar`.
final class Foo: KeyValueObservable {
    let keyValueRegistrar = KeyValueRegistrar()
    let bar: Bar
    @Observed var a = 0
    var b: Int { a + bar.x }

    init(_ bar: Bar) { self.bar = bar }
}
