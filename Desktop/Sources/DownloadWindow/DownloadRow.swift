// The row of one download.
import DownloadModel
import Gtk
import GtkObserving
import KeyValueObserving

/// A row that follows a download.
@MainActor
final class DownloadRow {
    let widget: Widget
    private let token: KeyValueObservation

    init(of download: Download) {
        let (name, state) = (Widget.label().expanding(vertically: false), Widget.label().style("dim-label"))
        let bar = Widget.progressBar().named("Progress")
        widget = .box(vertical: true, spacing: 3, [.box(vertical: false, [name, state]), bar]).margins(6)
        func show(_ summary: Download.Summary) {
            name.setLabel(summary.name)
            state.setLabel(summary.transfer.description)
            bar.setFraction(summary.transfer.fraction)
        }
        show(download.summary)
        token = download.values(of: \.summary).labeled("summary").deliverToWidgets(show)
    }
}
