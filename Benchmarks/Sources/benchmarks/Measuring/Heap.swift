// What objects and observations take on the heap, and what a set allocates.
import BenchmarkModels
import CAllocationCounter
import KeyValueObserving
import Observation
import OpenCombine

/// What was allocated and not freed, and how many blocks were allocated.
struct HeapUse {
    let bytes: Double
    let blocks: Double

    /// Runs the body and counts.
    init(of body: () -> Void) {
        allocation_counter_start()
        body()
        allocation_counter_stop()
        bytes = Double(allocation_counter_live_bytes())
        blocks = Double(allocation_counter_blocks())
    }

    /// The bytes for each of so many; what is allocated once for all of them is less than a byte for each.
    func bytes(for count: Int) -> Double { (bytes / Double(count)).rounded() }
}

/// Counts for each contender.
///
/// - Parameter count: How many objects, and how many sets, the counts are the mean of.
/// - Returns: Figures of one sample each; none where allocations cannot be counted.
func heapFigures(count: Int = 1_000) -> [Figure] {
    guard allocation_counter_works else { return [] }
    let told = Told()
    let contenders: [[Figure]] = [
        heapFigures("plain", count, make: PlainModel.make),
        heapFigures(
            "closure", count, told, make: CallbackModel.make, set: { $0.number = $1 },
            observe: { model in model.numberHandler = { [unowned told] in told.note($0, $1) } }, isRepeatable: false),
        heapFigures(
            "locked-list", count, told, make: { LockedListModel() }, set: { $0.number = $1 },
            observe: { model in model.add { [unowned told] in told.note($0, $1) } }),
        heapFigures(
            "observed", count, told, make: ObservedModel.make, set: { $0.number = $1 },
            observe: { model in
                model.observe(\.number, options: [.old, .new]) { [unowned told] _, change in
                    told.note(change.oldValue ?? -1, change.newValue ?? -1)
                }
            }),
        heapFigures(
            "observation", count, told, make: ObservableModel.make,
            set: { model, value in
                model.number = value
                track(model, told)
            },
            observe: { model in track(model, told) }),
        heapFigures(
            "published", count, told, make: PublishedModel.make, set: { $0.number = $1 },
            observe: { model in model.$number.sink { [unowned told] in told.note($0) } }),
        heapFigures(
            "subject", count, told, make: SubjectModel.make, set: { $0.number.value = $1 },
            observe: { model in model.number.sink { [unowned told] in told.note($0) } }),
    ]
    return contenders.flatMap(\.self)
}

private func track(_ model: ObservableModel, _ told: Told) {
    withObservationTracking {
        told.read(model.number)
    } onChange: { [unowned told] in
        told.note()
    }
}

/// Counts for a contender that cannot be observed.
private func heapFigures<Model: AnyObject>(
    _ name: String, _ count: Int, make: () -> Model
) -> [Figure] {
    let use = objects(count, make).use
    return [
        Figure("bytes-object/\(name)", .bytes, [use.bytes(for: count)]),
        Figure("allocations-create/\(name)", .allocations, [use.blocks / Double(count)]),
    ]
}

/// Counts for a contender that can be observed.
///
/// - Parameters:
///   - name: Who it is.
///   - count: How many objects, and how many sets.
///   - told: What is told, to be checked.
///   - make: A new object.
///   - set: Sets an object's property.
///   - observe: Observes the property until what is returned dies. The handler keeps a reference that is not strong, as
///     most do, which takes a block of 32 bytes.
///   - isRepeatable: Whether an object can have several observers.
/// - Returns: Figures of one sample each.
private func heapFigures<Model: AnyObject, Token>(
    _ name: String, _ count: Int, _ told: Told, make: () -> Model, set: (Model, Int) -> Void,
    observe: (Model) -> Token, isRepeatable: Bool = true
) -> [Figure] {
    let further = 9
    // The first of a class has tables made that serve all others.
    let warm = make()
    let warmToken = observe(warm)
    for value in [2, 1, 0] { set(warm, value) }
    told.reset()
    let setting = HeapUse {
        for value in 1...count { set(warm, value) }
    }
    told.expectSteps(to: count, from: nil)
    let (objects, use) = objects(count, make)
    var tokens: [Token] = []
    tokens.reserveCapacity(count * (1 + further))
    let first = HeapUse {
        for object in objects { tokens.append(observe(object)) }
    }
    var figures = [
        Figure("bytes-object/\(name)", .bytes, [use.bytes(for: count)]),
        Figure("allocations-create/\(name)", .allocations, [use.blocks / Double(count)]),
        Figure("allocations-set-1/\(name)", .allocations, [setting.blocks / Double(count)]),
        Figure("bytes-first/\(name)", .bytes, [first.bytes(for: count)]),
    ]
    if isRepeatable {
        let more = HeapUse {
            for _ in 0..<further {
                for object in objects { tokens.append(observe(object)) }
            }
        }
        figures.append(Figure("bytes-further/\(name)", .bytes, [more.bytes(for: count * further)]))
    }
    withExtendedLifetime((warmToken, tokens)) {}
    return figures
}

/// Makes so many objects.
private func objects<Model: AnyObject>(_ count: Int, _ make: () -> Model) -> (made: [Model], use: HeapUse) {
    _ = make()
    var made: [Model] = []
    made.reserveCapacity(count)
    let use = HeapUse {
        for _ in 0..<count { made.append(make()) }
    }
    return (made, use)
}
