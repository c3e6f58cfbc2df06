"""Uses the window of `downloads` as a person does: types, clicks, and reads what it shows by the names of accessibility.

    use_window.py PROGRAM [PICTURE]     a screenshot is left there
"""
import subprocess
import sys
import tempfile
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi

program, picture = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
checks = 0


def walk(node):
    yield node
    for index in range(node.get_child_count()):
        child = node.get_child_at_index(index)
        if child is not None:
            yield from walk(child)


def wait_for(what, find):
    """What `find` returns once it is true."""
    for _ in range(600):
        try:
            found = find()
        except Exception:  # A widget that went while it was asked.
            found = None
        if found:
            return found
        time.sleep(0.05)
    sys.exit(f"The window never had this: {what}\n{describe()}")


def check(what, find):
    global checks
    wait_for(what, find)
    checks += 1


def application():
    desktop = Atspi.get_desktop(0)
    desktop.clear_cache()
    for index in range(desktop.get_child_count()):
        child = desktop.get_child_at_index(index)
        if child is not None and child.get_name() == "downloads":
            return child
    return None


def describe():
    try:
        return "\n".join(f"{n.get_role_name()}: {n.get_name()} {text(n)!r}" for n in walk(application()))
    except Exception as error:
        errors.seek(0)
        return f"It cannot be read: {error}. The program said: {errors.read()}"


def text(node):
    interface = node.get_text_iface()
    return Atspi.Text.get_text(interface, 0, Atspi.Text.get_character_count(interface)) if interface else None


def all_of(role):
    return [node for node in walk(application()) if node.get_role_name() == role]


def named(role, name):
    return next((node for node in all_of(role) if node.get_name() == name), None)


def rows():
    """The name of the download in each row."""
    return [
        next((n.get_name() for n in walk(row) if n.get_role_name() == "label"), "") for row in all_of("list item")
    ]


def states():
    return [[n.get_name() for n in walk(row) if n.get_role_name() == "label"][1] for row in all_of("list item")]


def status():
    return next((text(n) or n.get_name() for n in walk(application()) if "running," in (text(n) or n.get_name() or "")), "")


def keys(*names):
    subprocess.run(["xdotool", "key", "--clearmodifiers", *names], check=True)


def type_text(what):
    subprocess.run(["xdotool", "type", "--delay", "20", what], check=True)


def click_at(node):
    box = Atspi.Component.get_extents(node.get_component_iface(), Atspi.CoordType.WINDOW)
    subprocess.run(
        ["xdotool", "mousemove", "--window", window, str(box.x + box.width // 2), str(box.y + box.height // 2), "click", "1"],
        check=True,
    )


def press(name):
    """Clicks a button, by the action that assistive technology has for it."""
    button = wait_for(f"a button {name}", lambda: named("push button", name) or named("button", name))
    Atspi.Action.do_action(button.get_action_iface(), 0)


def screenshot():
    if picture:
        time.sleep(0.5)
        subprocess.run(["import", "-window", window, "-strip", picture], check=True)


# The registry of accessibility is there before the program looks for it.
Atspi.init()
wait_for("a registry of accessibility", lambda: Atspi.get_desktop(0).get_child_count() >= 0)
errors = tempfile.TemporaryFile("w+")
process = subprocess.Popen([program, "http://mirror/linux.iso", "http://mirror/film.mkv"], stderr=errors)
wait_for("an application", application)
window = wait_for(
    "a window", lambda: subprocess.run(["xdotool", "search", "--name", "Downloads"], capture_output=True, text=True).stdout.split()
)[-1]
subprocess.run(["xdotool", "windowfocus", window])

check("two rows", lambda: rows() == ["linux.iso", "film.mkv"])
check("work that goes on", lambda: "running," in status() and not status().endswith(" 0 bytes a second"))

click_at(wait_for("the address", lambda: named("text", "Address") or named("entry", "Address")))
type_text("http://mirror/book.pdf")
keys("Return")
check("a third row", lambda: rows() == ["linux.iso", "film.mkv", "book.pdf"])

name = wait_for("the entry of the name", lambda: named("text", "Name") or named("entry", "Name"))
check("the name of the selection", lambda: text(name) == "book.pdf")
click_at(name)
keys("ctrl+a")
type_text("novel.pdf")
check("a row with the new name", lambda: rows() == ["linux.iso", "film.mkv", "novel.pdf"])

press("Up")
check("rows in another order", lambda: rows() == ["linux.iso", "novel.pdf", "film.mkv"])
press("Pause")
check("a row that is paused", lambda: states()[1] == "Paused")
screenshot()
press("Remove")
check("two rows, and the next one selected", lambda: rows() == ["linux.iso", "film.mkv"] and text(name) == "film.mkv")

click_at(named("push button", "Edit"))
check("the name of the step in the menu", lambda: any(n.get_name() == "Undo Remove" for n in walk(application())))
keys("Escape")
# A row has no undo of its own, as an entry has.
click_at(all_of("list item")[0])
for step in range(3):
    keys("ctrl+z")
check("what undo leads back to", lambda: rows() == ["linux.iso", "film.mkv", "book.pdf"])
keys("ctrl+shift+z", "ctrl+shift+z")
check("what redo leads to", lambda: rows() == ["linux.iso", "novel.pdf", "film.mkv"])

keys("ctrl+w")
code = process.wait(timeout=60)
checks += 1
if code != 0:
    sys.exit(f"The program ended with {code} when its window was closed.")
errors.seek(0)
warnings = [line for line in errors if "CRITICAL" in line or "WARNING" in line]
if warnings:
    sys.exit("GTK warned:\n" + "".join(warnings))
print(f"{checks} passed, 0 failed")
