// Classes on which the files of this folder try what they know, before they rely on it.

#if !KEY_VALUE_OBSERVING_PLAIN
class SampleBase {
    struct Pair {
        var first = 1
        var second = 2
    }

    var computed: Int {
        get { 1 }
        set {}
    }
    var link: SampleBase { self }
    var maybe: SampleBase? { nil }
    var pair: Pair {
        get { Pair() }
        set {}
    }
    subscript(index: Int) -> Int { index }
    subscript(name: String) -> Int { name.count }
    // Behind the two words of every object.
    final var first = 1
    final var second = 2

    init() {}

    func method() {}
}

class SampleDerived: SampleBase {
    var other: Int {
        get { 1 }
        set {}
    }

    override init() {}

    override func method() {}
}

class SampleOverriding: SampleDerived {
    override var computed: Int {
        get { 2 }
        set {}
    }
}

final class SampleBelowOverriding: SampleOverriding {
    override func method() {}

    override var maybe: SampleBase? { nil }
}

#if os(Linux)
actor SampleActor {}
#endif
#endif
