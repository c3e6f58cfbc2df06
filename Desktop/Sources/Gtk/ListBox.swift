// A list of rows.
import CGtk

/// A list box, whose rows each have one child.
@MainActor
@safe package struct ListBox {
    package let widget: Widget

    package init() {
        widget = unsafe Widget(gtk_list_box_new())
        unsafe gtk_list_box_set_selection_mode(widget.opaque, GTK_SELECTION_SINGLE)
    }

    package var count: Int {
        var count = 0
        while unsafe gtk_list_box_get_row_at_index(widget.opaque, Int32(count)) != nil { count += 1 }
        return count
    }

    /// Inserts a row with a child.
    package func insert(_ child: Widget, at index: Int) {
        unsafe gtk_list_box_insert(widget.opaque, child.pointer, Int32(index))
    }

    package func remove(at index: Int) {
        guard let row = unsafe gtk_list_box_get_row_at_index(widget.opaque, Int32(index)) else { return }
        unsafe gtk_list_box_remove(widget.opaque, UnsafeMutableRawPointer(row).assumingMemoryBound(to: GtkWidget.self))
    }

    /// Moves a row, which keeps its child; it is not selected after that.
    package func move(from index: Int, to other: Int) {
        guard let row = unsafe gtk_list_box_get_row_at_index(widget.opaque, Int32(index)) else { return }
        // A row that is removed while it is selected could not be selected again.
        unsafe gtk_list_box_unselect_row(widget.opaque, row)
        unsafe g_object_ref(row)
        remove(at: index)
        unsafe gtk_list_box_insert(
            widget.opaque, UnsafeMutableRawPointer(row).assumingMemoryBound(to: GtkWidget.self), Int32(other))
        unsafe g_object_unref(row)
    }

    package var selectedIndex: Int? {
        get {
            guard let row = unsafe gtk_list_box_get_selected_row(widget.opaque) else { return nil }
            return Int(unsafe gtk_list_box_row_get_index(row))
        }
        nonmutating set {
            let row = unsafe gtk_list_box_get_row_at_index(widget.opaque, Int32(newValue ?? -1))
            if unsafe row != gtk_list_box_get_selected_row(widget.opaque) {
                unsafe gtk_list_box_select_row(widget.opaque, row)
            }
        }
    }
}
