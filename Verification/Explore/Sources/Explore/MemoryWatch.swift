// Whether runs leave memory behind.
import CExplore

/// Compares how much memory is allocated after each run.
///
/// The allocator's caches count as allocated. `Scripts/explore` turns those of threads off.
struct MemoryWatch {
    /// The most that was allocated after a run.
    private var most = 0

    /// Notes the end of a run; true if more is allocated than ever before.
    mutating func noteEnd() -> Bool {
        let now = explore_allocated_bytes()
        defer { most = max(most, now) }
        return now > most
    }
}
