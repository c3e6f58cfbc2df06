#if !__has_include(<gtk/gtk.h>)
#error "GTK 4 is not here. Install libgtk-4-dev (Debian, Ubuntu), gtk4-devel (Fedora), or gtk4 (Homebrew)."
#endif
#include <gtk/gtk.h>
