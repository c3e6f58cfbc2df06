#!/usr/bin/env python3
"""Opens the page of the board in headless Chromium, and uses it.

Arguments: the program `live`, and Chromium.
"""

import asyncio
import json
import pathlib
import re
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "Inspector/Tests/browser"))
from inspect_page import FAINT, open_page  # noqa: E402

# The cards as the page shows them.
SHOWN = """[...document.querySelectorAll('#cards li')].map(item =>
    ({ text: item.children[0].textContent, progress: +item.querySelector('progress').value }))"""

# Keeps the page's copy after each change.
KEEP = "window.kept = new Map(); events.addEventListener('change', event => kept.set(event.lastEventId, JSON.stringify(board)))"

# Whether the copy is what another client gets as a snapshot at the same number.
IS_RIGHT = """new Promise(done => {
    const other = new EventSource('/events');
    other.addEventListener('snapshot', event => {
        other.close();
        const look = () => kept.has(event.lastEventId) ? done(kept.get(event.lastEventId) === event.data) : setTimeout(look, 20);
        look();
    });
})"""


class Server:
    """A server at a port, 0 for any, that makes a number of changes in each second."""

    def __init__(self, program, rate, port=0):
        self.process = subprocess.Popen([program, str(port), str(rate)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.address = re.search(r"http://\S+:(\d+)/", self.process.stdout.readline())
        self.port = int(self.address.group(1))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(30) == 0, "the server did not end well"


async def use(page, program):
    await page.call("Page.enable")
    await page.call("Runtime.enable")
    await page.size(900, 700)
    with Server(program, 200) as server:
        port = server.port
        await page.call("Page.navigate", url=server.address.group() + "board")
        await page.until("the page is live", "document.getElementById('connection')?.textContent === 'live'")
        await page.until("cards appear, and advance", f"{SHOWN}.length > 6 && {SHOWN}.some(card => card.progress > 50)")
        await page.until("cards are finished", "+document.getElementById('finished').textContent > 3")
        for width, scheme in ((900, "light"), (380, "light"), (900, "dark"), (380, "dark")):
            await page.size(width, 700, scheme)
            await page.until(f"{width} wide, {scheme}: it fits", "document.documentElement.scrollWidth <= innerWidth")
            await page.until(f"{width} wide, {scheme}: all text has enough contrast",
                             f"({FAINT.replace('main section:not([hidden]) *, header *', 'body *')})().length === 0")
    await page.until("the end of the server is shown", "document.getElementById('connection').textContent === 'connecting'")
    # The same port, so that the page comes back; a new run, so that it gets a snapshot.
    with Server(program, 0, port) as server:
        await page.until("it connects again by itself", "document.getElementById('connection').textContent === 'live'")
        await page.until("it shows the board of the new run", f"{SHOWN}.length === 0")
        for text in ("milk", "<b>bread</b>"):
            await page.write("[name=text]", text)
            await page.click("#add button")
            await page.until(f"{text} is added", f"{SHOWN}.at(-1)?.text === {json.dumps(text)}")
        await page.until("the field is empty again", "document.querySelector('[name=text]').value === ''")
    with Server(program, 500, port) as server:
        await page.until("changes go on", "+document.getElementById('finished').textContent > 10")
        await page.value(KEEP)
        for _ in range(3):
            assert await page.value(IS_RIGHT), "the page's copy differs from the board"
        print("  the copy in the page is the board")
    problems = [one for one in page.problems if "exception" in one.lower()]
    assert not problems, f"the page has problems: {problems}"


async def main():
    program, browser = sys.argv[1:3]
    async with open_page(browser) as page:
        await use(page, program)


if __name__ == "__main__":
    asyncio.run(main())
    print("The page of the board works in a browser.")
