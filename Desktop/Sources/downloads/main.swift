// A window with downloads, which are simulated. Arguments are addresses to begin with.
import DownloadModel
import DownloadWindow
import Foundation
import Gtk

let list = DownloadList()
for address in CommandLine.arguments.dropFirst() { list.items.append(Download(address: address)) }
let simulation = Simulation(of: list)
let application = Application("org.example.Downloads")
for (keys, action) in [("<Control>z", "undo"), ("<Control><Shift>z", "redo"), ("<Control>w", "close")] {
    application.setKeys(keys, for: "win.\(action)")
}
let code = application.run { DownloadController(of: list, in: application) }
simulation.stop()
exit(code)
