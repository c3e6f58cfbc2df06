// GLib's main loop, turned by a test.
import CGtk

@MainActor
enum MainLoop {
    /// Whether there is a display.
    static let hasDisplay = gtk_init_check() != 0

    /// Makes what waits.
    static func turn() { while g_main_context_iteration(nil, 0) != 0 {} }
}
