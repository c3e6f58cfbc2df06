// What the evaluations of a path read.

/// What is known of a path when an evaluation begins.
struct EvaluationStart {
    /// What the evaluation before read.
    let reads: ContiguousArray<PathRead>
    /// How often hooks may have changed until then.
    let changes: Int
    /// Whether it is enough to compare with that: nothing was read but by getters.
    let canAgree: Bool
}

/// What an evaluation read.
struct PathReads {
    private(set) var reads: ContiguousArray<PathRead> = []
    /// Which of them is the last one on the way; -1 if none is.
    private(set) var lastIndex = -1
    /// Whether it makes the path's value of the property's, and the property is not on the way as well.
    private var isEnding = false
    private(set) var canAgree = false

    init() {}

    init(_ reads: ContiguousArray<PathRead>, canAgree: Bool) {
        self.reads = reads
        self.canAgree = canAgree
        lastIndex = reads.lastIndex { $0.shape.isOnWay } ?? -1
        findEnding()
    }

    /// The property on the way that was read last.
    var last: LastRead? {
        guard lastIndex >= 0 else { return nil }
        let (place, shape) = (reads[lastIndex].place, reads[lastIndex].shape)
        return LastRead(
            place: place, isEnd: shape.isEnd, isCertain: shape.isCertain, ending: isEnding ? shape.ending : nil)
    }

    /// Where the same properties of other objects were read, notes that.
    ///
    /// - Parameters:
    ///   - recorder: Noted it, and expected the same reads as are here.
    ///   - changes: How often hooks may have changed since.
    /// - Returns: Whether the last one is of another object, or makes the path's value in another way.
    mutating func move(as recorder: PathRecorder, _ changes: Int) -> Bool {
        let wasEnding = isEnding
        let isLastMoved = recorder.movesRead(lastIndex)
        // The recorder has them alone then, and they are changed in place.
        reads = []
        reads = recorder.exchangeMoved(changes)
        findEnding()
        return isLastMoved || isEnding != wasEnding
    }

    private mutating func findEnding() {
        isEnding = false
        guard lastIndex >= 0, reads[lastIndex].shape.ending != nil else { return }
        for index in 0..<lastIndex where reads[index].place == reads[lastIndex].place { return }
        isEnding = true
    }
}

/// One property that was read.
struct PathRead {
    var place: PropertyPlace
    let shape: ReadShape
}

/// What a read means to a path, whichever object of a class was read.
///
/// An evaluation that meets other objects of the same classes need not find it out anew.
final class ReadShape {
    /// The class of the object.
    let objectType: Any.Type
    /// The function that names the property's storage, if that is known.
    let reader: UInt
    /// What that class says about the property.
    let facts: PropertyFacts
    /// Names the property, if that is known.
    let keyPath: AnyKeyPath?
    /// What stands for the property in key paths, if that is known.
    let part: KeyPathComponents.Component?
    /// Whether no override can stand between the property's getter and what is stored.
    let isCertain: Bool
    /// Whether it was read on the way, and not for a declared dependency.
    let isOnWay: Bool
    /// Whether the path's last part is this property, so that its value is the path's.
    let isEnd: Bool
    /// Makes the path's value of the property's, if every part of the path is one property that is read by itself and
    /// this is the last one.
    let ending: PathEnding?

    init(
        objectType: Any.Type, reader: UInt, facts: PropertyFacts, keyPath: AnyKeyPath?,
        part: KeyPathComponents.Component?,
        isCertain: Bool, isOnWay: Bool, isEnd: Bool, ending: PathEnding?
    ) {
        self.objectType = objectType
        self.reader = reader
        self.facts = facts
        self.keyPath = keyPath
        self.part = part
        self.isCertain = isCertain
        self.isOnWay = isOnWay
        self.isEnd = isEnd
        self.ending = ending
    }
}

/// The property on the way that an evaluation of a path read last.
struct LastRead {
    let place: PropertyPlace
    /// Whether the path's last part is this property, so that its value is the path's.
    let isEnd: Bool
    /// Whether that is so without doubt: no override can stand in between.
    let isCertain: Bool
    /// Makes the path's value of the property's, if every part of the path is one property that is read by itself, this
    /// is the last one, and it is not on the way as well.
    let ending: PathEnding?
}
