// Live models to look at with the inspector.
//
// The first argument is the port. The second one is the model to show: `shop`, a monitor of a machine and a cart that a
// discount depends on, which change four times a second; `many`, 3,000 robots that rest; `late`, 100 robots that were
// observed before the inspector started; `busy`, robots that change 100,000 times a second. Robots that rest work for a
// while after each line of input; then the program prints how often its handlers were called, and its values.
import Foundation
import KeyValueInspector

let arguments = CommandLine.arguments.dropFirst()
let port = arguments.first.flatMap { UInt16($0) } ?? 4777
let state = arguments.dropFirst().first ?? "shop"

switch state {
case "many":
    KeyValueInspector.start(port: port)
    Fleet(robots: 3_000).workForEachLine()
case "late":
    let fleet = Fleet(robots: 100)
    KeyValueInspector.start(port: port)
    fleet.workForEachLine()
case "busy":
    KeyValueInspector.start(port: port)
    Fleet(robots: 30).workForever()
default:
    KeyValueInspector.start(port: port)
    Shop().workForever()
}
