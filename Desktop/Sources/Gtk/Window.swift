// Windows and their actions.
import CGtk

/// A window of an application.
@MainActor
@safe package struct Window {
    private let pointer: UnsafeMutablePointer<GtkWidget>
    private let actions: OpaquePointer
    private var window: UnsafeMutablePointer<GtkWindow> {
        unsafe UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GtkWindow.self)
    }

    /// Makes a window with a bar at the top.
    package init(in application: Application?, title: String, width: Int32, height: Int32) {
        unsafe pointer = gtk_window_new()
        // The window holds its actions.
        unsafe actions = OpaquePointer(g_simple_action_group_new())
        unsafe gtk_widget_insert_action_group(pointer, "win", actions)
        unsafe g_object_unref(UnsafeMutableRawPointer(actions))
        if let application { unsafe gtk_window_set_application(window, application.pointer) }
        unsafe gtk_window_set_title(window, title)
        unsafe gtk_window_set_default_size(window, width, height)
    }

    package func setContent(_ content: Widget) { unsafe gtk_window_set_child(window, content.pointer) }

    /// Sets the widgets at the start and the end of the bar at the top.
    package func setBar(start: Widget, end: Widget) {
        let bar = unsafe Widget(gtk_header_bar_new())
        unsafe gtk_header_bar_pack_start(bar.opaque, start.pointer)
        unsafe gtk_header_bar_pack_end(bar.opaque, end.pointer)
        unsafe gtk_window_set_titlebar(window, bar.pointer)
    }

    /// How many frames have been drawn.
    package var frameCount: Int {
        guard let clock = unsafe gtk_widget_get_frame_clock(pointer) else { return 0 }
        return Int(unsafe gdk_frame_clock_get_frame_counter(clock))
    }

    package func present() { unsafe gtk_window_present(window) }

    /// Closes the window at once.
    package func destroy() { unsafe gtk_window_destroy(window) }

    /// Retains an object as long as the window exists.
    package func keep(_ object: AnyObject) {
        unsafe g_object_set_data_full(
            UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GObject.self), "kept",
            Unmanaged.passRetained(object).toOpaque(),
            { data in if let data = unsafe data { unsafe Unmanaged<AnyObject>.fromOpaque(data).release() } })
    }

    /// Calls a closure when the window is closed, before its widgets are gone.
    package func onDestroy(_ handler: @escaping @MainActor () -> Void) {
        unsafe connect(pointer, "destroy", parameterCount: 0, handler)
    }

    /// Adds an action, which widgets and menus name `win.NAME`.
    package func addAction(_ name: String, _ handler: @escaping @MainActor () -> Void) -> Action {
        let action = unsafe Action(g_simple_action_new(name, nil))
        unsafe connect(UnsafeMutableRawPointer(action.pointer), "activate", parameterCount: 1, handler)
        unsafe g_action_map_add_action(actions, action.pointer)
        unsafe g_object_unref(UnsafeMutableRawPointer(action.pointer))
        return action
    }
}

/// An action of a user.
@MainActor
@safe package struct Action {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

    package func setEnabled(_ isEnabled: Bool) { unsafe g_simple_action_set_enabled(pointer, isEnabled ? 1 : 0) }
}

/// A menu behind a button.
@MainActor
@safe package struct Menu {
    private let model: OpaquePointer
    package let button: Widget

    package init(_ name: String) {
        unsafe model = g_menu_new()
        button = unsafe Widget(gtk_menu_button_new()).named(name)
        unsafe gtk_menu_button_set_label(button.opaque, name)
        unsafe gtk_menu_button_set_menu_model(
            button.opaque, UnsafeMutableRawPointer(model).assumingMemoryBound(to: GMenuModel.self))
        // The button holds it.
        unsafe g_object_unref(UnsafeMutableRawPointer(model))
    }

    /// Sets the items, with their texts and actions.
    package func setItems(_ items: [(text: String, action: String)]) {
        unsafe g_menu_remove_all(model)
        for item in items { unsafe g_menu_append(model, item.text, item.action) }
    }
}

/// An application.
@MainActor
@safe package final class Application {
    let pointer: UnsafeMutablePointer<GtkApplication>

    package init(_ identifier: String) {
        unsafe pointer = gtk_application_new(identifier, G_APPLICATION_NON_UNIQUE)
    }

    /// Sets the keys of an action, such as `<Control>z` for `win.undo`.
    package func setKeys(_ keys: String, for action: String) {
        unsafe keys.withCString { keys in
            var list = unsafe [UnsafePointer<CChar>?](arrayLiteral: keys, nil)
            unsafe gtk_application_set_accels_for_action(pointer, action, &list)
        }
    }

    /// Runs the main loop until all windows are closed.
    ///
    /// - Returns: The exit code.
    package func run(_ activate: @escaping @MainActor () -> Void) -> Int32 {
        unsafe connect(pointer, "activate", parameterCount: 0, activate)
        let application = unsafe UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GApplication.self)
        return unsafe g_application_run(application, 0, nil)
    }
}
