// What the evaluations of a path read.

/// What is known of a path when an evaluation begins.
struct EvaluationStart {
    /// Its number.
    let evaluation: Int
    /// What the evaluation before read.
    let reads: ContiguousArray<PathRead>
    /// How often hooks may have changed until then.
    let changes: Int
    /// Whether it is enough to compare with that: nothing was read but by getters.
    let canAgree: Bool
}

/// What an evaluation read.
struct PathReads {
    var reads: ContiguousArray<PathRead> = []
    var last: LastRead?
    var canAgree = false
}

/// One property that was read.
struct PathRead {
    let place: PathHook.Place
    /// What stands for the property in key paths, if that is known.
    let part: KeyPathComponents.Component?
    /// Whether no override can stand between the property's getter and what is stored.
    let isCertain: Bool
    let type: Any.Type
}

/// The property on the way that an evaluation of a path read last.
struct LastRead {
    let place: PathHook.Place
    /// Whether the path's last part is this property, so that its value is the path's.
    let isEnd: Bool
    /// Whether that is so without doubt: no override can stand in between.
    let isCertain: Bool
    /// Makes the path's value of the property's, if every part of the path is one property that is read by itself, this
    /// is the last one, and it is not on the way as well.
    let ending: PathEnding?
}
