// Whether a run left memory behind.
import CExplore

/// Compares how much memory is allocated before and after a run.
///
/// The allocator's caches count as allocated. `Scripts/explore` turns those of threads off.
struct MemoryWatch {
    private var before = 0

    mutating func begin() { before = Self.allocated }

    var growth: Int { Self.allocated - before }
    var hasGrown: Bool { growth > 0 }

    private static var allocated: Int { explore_allocated_bytes() }
}
