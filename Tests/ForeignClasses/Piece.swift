// The class of random programs whose objects belong to another module.

/// A class with properties of several kinds, of which some read others.
open class Piece {
    /// Which one it is.
    public let index: Int
    private let isShifted: Bool
    private var storedNumber = 0
    private var storedItems: [Int] = []
    private var storedManual = 0
    /// What a shifted piece adds to what it shows.
    open var shift = 0
    /// A set.
    open var members: Set<Int> = []
    /// Another piece.
    open var child: Piece?

    /// A piece; one that is shifted shows more than it stores.
    public init(index: Int, isShifted: Bool) {
        self.index = index
        self.isShifted = isShifted
    }

    /// A number.
    open var number: Int {
        get { isShifted ? storedNumber + shift : storedNumber }
        set { storedNumber = newValue }
    }

    /// An array.
    open var items: [Int] {
        get { isShifted && shift > 0 ? storedItems + [shift] : storedItems }
        set { storedItems = newValue }
    }

    /// A number that can be written without its setter.
    open var manual: Int {
        get { storedManual }
        set { storedManual = newValue }
    }

    /// Writes what is behind `manual`.
    public func writeBehindManual(_ value: Int) { storedManual = value }

    /// The number and the items as they are stored.
    public var stored: (number: Int, items: [Int]) { (storedNumber, storedItems) }
}
