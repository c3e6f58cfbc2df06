// Widgets, with the part of GTK that the program needs.
package import CGtk

/// A widget, which GTK holds in its tree.
@MainActor
@safe package struct Widget: @MainActor Equatable {
    package let pointer: UnsafeMutablePointer<GtkWidget>

    package init(_ pointer: UnsafeMutablePointer<GtkWidget>) { unsafe self.pointer = pointer }

    package static func == (left: Widget, right: Widget) -> Bool { unsafe left.pointer == right.pointer }

    /// For functions that take an opaque class.
    package var opaque: OpaquePointer { unsafe OpaquePointer(pointer) }

    /// For functions that take a class derived from `GtkWidget`.
    func cast<Class>(to _: Class.Type) -> UnsafeMutablePointer<Class> {
        unsafe UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: Class.self)
    }

    // MARK: Making

    package static func box(vertical: Bool, spacing: Int32 = 6, _ children: [Widget]) -> Widget {
        let orientation = vertical ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL
        let box = unsafe Widget(gtk_box_new(orientation, spacing))
        for child in children { unsafe gtk_box_append(box.cast(to: GtkBox.self), child.pointer) }
        return box
    }

    package static func label(_ text: String = "") -> Widget {
        let label = unsafe Widget(gtk_label_new(text))
        unsafe gtk_label_set_xalign(label.opaque, 0)
        unsafe gtk_label_set_ellipsize(label.opaque, PANGO_ELLIPSIZE_END)
        return label
    }

    package static func button(_ text: String, action: String) -> Widget {
        let button = unsafe Widget(gtk_button_new_with_label(text))
        unsafe gtk_actionable_set_action_name(button.opaque, action)
        return button
    }

    package static func entry(placeholder: String) -> Widget {
        let entry = unsafe Widget(gtk_entry_new())
        unsafe gtk_entry_set_placeholder_text(entry.cast(to: GtkEntry.self), placeholder)
        return entry
    }

    package static func progressBar() -> Widget { unsafe Widget(gtk_progress_bar_new()) }

    /// A part of a window that scrolls.
    package static func scrolled(_ child: Widget) -> Widget {
        let window = unsafe Widget(gtk_scrolled_window_new())
        unsafe gtk_scrolled_window_set_child(window.opaque, child.pointer)
        return window.expanding()
    }

    /// Two parts with a border that can be moved.
    package static func paned(_ start: Widget, _ end: Widget) -> Widget {
        let paned = unsafe Widget(gtk_paned_new(GTK_ORIENTATION_HORIZONTAL))
        unsafe gtk_paned_set_start_child(paned.opaque, start.pointer)
        unsafe gtk_paned_set_end_child(paned.opaque, end.pointer)
        return paned.expanding()
    }

    // MARK: Looks

    package func expanding(vertically: Bool = true) -> Widget {
        unsafe gtk_widget_set_hexpand(pointer, 1)
        if vertically { unsafe gtk_widget_set_vexpand(pointer, 1) }
        return self
    }

    package func margins(_ width: Int32) -> Widget {
        unsafe gtk_widget_set_margin_start(pointer, width)
        unsafe gtk_widget_set_margin_end(pointer, width)
        unsafe gtk_widget_set_margin_top(pointer, width)
        unsafe gtk_widget_set_margin_bottom(pointer, width)
        return self
    }

    package func width(_ width: Int32) -> Widget {
        unsafe gtk_widget_set_size_request(pointer, width, -1)
        return self
    }

    package func style(_ name: String) -> Widget {
        unsafe gtk_widget_add_css_class(pointer, name)
        return self
    }

    /// Sets the name that assistive technology reads.
    package func named(_ name: String) -> Widget {
        var (property, value) = (GTK_ACCESSIBLE_PROPERTY_LABEL, GValue())
        unsafe g_value_init(&value, GType(16 << 2))
        unsafe g_value_set_string(&value, name)
        unsafe gtk_accessible_update_property_value(opaque, 1, &property, &value)
        unsafe g_value_unset(&value)
        return self
    }

    // MARK: Contents

    package func setLabel(_ text: String) { unsafe gtk_label_set_text(opaque, text) }

    /// The text of an entry.
    package var text: String {
        get { unsafe String(cString: gtk_editable_get_text(opaque)) }
        nonmutating set { unsafe gtk_editable_set_text(opaque, newValue) }
    }

    /// Types at the end of an entry.
    package func type(_ text: String) {
        var position: Int32 = -1
        unsafe gtk_editable_insert_text(opaque, text, Int32(text.utf8.count), &position)
    }

    package func setFraction(_ fraction: Double) { unsafe gtk_progress_bar_set_fraction(opaque, fraction) }

    package var isSensitive: Bool {
        get { unsafe gtk_widget_get_sensitive(pointer) != 0 }
        nonmutating set { unsafe gtk_widget_set_sensitive(pointer, newValue ? 1 : 0) }
    }
}
