// What a set costs, beside a plain property and a hand-written callback.
import BenchmarkModels
import KeyValueObserving

// `--brief` runs each measure once, to see that it works.
let isBrief = CommandLine.arguments.contains("--brief")
let rounds = isBrief ? 1 : 25
let sets = isBrief ? 1_000 : 100_000

let told = Told()
let plain = PlainModel()
let unheard = CallbackModel()
let heard = CallbackModel()
heard.handler = { told.note($0, $1) }
let unobserved = ObservedModel()
let observed = ObservedModel()
let observation = observed.observe(\.number, options: [.old, .new]) { told.note($1.oldValue ?? -1, $1.newValue ?? -1) }
let beside = ObservedModel()
let besideObservation = beside.observe(\.other) { _, _ in told.note(-1, -1) }
let released = ObservedModel()
released.observe(\.number) { _, _ in told.note(-1, -1) }.invalidate()

var measures = [
    Measure("plain property") { plain.number = $0 },
    Measure("didSet, nobody listens") { unheard.number = $0 },
    Measure("didSet, one closure", deliveries: 1) { heard.number = $0 },
    Measure("@Observed, never observed") { unobserved.number = $0 },
    Measure("@Observed, after the last removal") { released.number = $0 },
    Measure("@Observed, another property observed") { beside.number = $0 },
    Measure("@Observed, one observer, old and new", deliveries: 1) { observed.number = $0 },
]

for _ in 0..<rounds {
    for index in measures.indices { measures[index].run(sets, told) }
}
withExtendedLifetime((observation, besideObservation)) {}

print("set of an Int, ns:                        min    median   ÷ plain   ÷ didSet with one closure")
for measure in measures {
    let ratios = [measures[0], measures[2]].map { decimal(measure.median / $0.median, width: 9) }
    print(
        measure.name.padded(to: 38), decimal(measure.minimum, width: 7), decimal(measure.median, width: 9),
        ratios.joined(separator: " "))
}
