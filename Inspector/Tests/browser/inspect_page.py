#!/usr/bin/env python3
"""Opens the inspector's page in headless Chromium, and uses it.

Chromium is driven by its debugging protocol over a WebSocket. Arguments: the program `inspected`, Chromium, and
optionally a directory for the screenshots.
"""

import asyncio
import base64
import contextlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import websockets

PATIENCE = 60  # seconds until something that is waited for counts as missing


# The lines that run behind a box, and the boxes that cover another one.
BOXES = """() => {
    const boxes = [...view.nodes.values()].map(node => [node.x + 1, node.y + 1, node.x + 209, node.y + 41, node.id]);
    const isIn = (point, box) => point.x > box[0] && point.x < box[2] && point.y > box[1] && point.y < box[3];
    const found = [];
    for (const path of document.querySelectorAll('.edge')) {
        for (let at = 0; at < path.getTotalLength(); at += 4) {
            const point = path.getPointAtLength(at), box = boxes.find(box => isIn(point, box));
            if (box) { found.push([path.dataset.from, path.dataset.to, box[4]]); break; }
        }
    }
    for (const one of boxes) for (const other of boxes)
        if (one !== other && isIn({ x: (one[0] + one[2]) / 2, y: (one[1] + one[3]) / 2 }, other)) found.push([one[4], other[4]]);
    return found;
}"""

# The texts of which the contrast to what is behind them is below what WCAG 2 asks of text, 4.5 to 1.
FAINT = """() => {
    const parse = text => text.match(/[\\d.]+/g).map(Number);
    const light = color => { const [r, g, b] = color.map(one => one / 255).map(one => one <= .03928 ? one / 12.92 : ((one + .055) / 1.055) ** 2.4);
        return .2126 * r + .7152 * g + .0722 * b; };
    const back = element => { const color = parse(getComputedStyle(element).backgroundColor);
        return color.length < 4 || color[3] > .99 || !element.parentElement ? color : back(element.parentElement); };
    return [...document.querySelectorAll('main section:not([hidden]) *, header *')].filter(one => one.checkVisibility() && !one.disabled && !one.closest('svg')
        && [...one.childNodes].some(child => child.nodeType === 3 && child.textContent.trim())).map(one => {
            const [a, b] = [light(parse(getComputedStyle(one).color)), light(back(one))];
            return [(Math.max(a, b) + .05) / (Math.min(a, b) + .05), one.outerHTML.slice(0, 80)];
        }).filter(one => one[0] < 4.5);
}"""

# Whether the bars are as long as what they show: in pixels for each microsecond, but for the shortest and those cut off.
BARS = """() => {
    const bars = [...document.querySelectorAll('#events i:not(.cut)')].filter(bar => bar.offsetWidth > 8);
    const events = new Map(shownEvents().map(event => [event.number, event]));
    const scales = bars.map(bar => bar.getBoundingClientRect().width / events.get(+bar.parentElement.dataset.number).duration);
    return bars.length > 5 && Math.max(...scales) < 1.05 * Math.min(...scales);
}"""


class Page:
    """One page of the browser."""

    def __init__(self, socket):
        self.socket = socket
        self.number = 0
        self.session = None
        self.problems = []

    async def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        await self.socket.send(json.dumps(message))
        while True:
            answer = json.loads(await asyncio.wait_for(self.socket.recv(), PATIENCE))
            if answer.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded"):
                self.problems.append(json.dumps(answer["params"]))
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]

    async def value(self, expression):
        result = await self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise AssertionError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    async def until(self, what, expression):
        """Waits in the page until an expression is true."""
        limit = asyncio.get_running_loop().time() + PATIENCE
        while not await self.value(f"!!({expression})"):
            assert asyncio.get_running_loop().time() < limit, f"missing: {what}"
            await self.value("new Promise(done => setTimeout(done, 50))")
        print(f"  {what}")

    async def click(self, selector):
        place = await self.value(
            f"(() => {{ const box = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
            "return { x: box.x + Math.min(box.width / 2, 60), y: box.y + box.height / 2 }; })()")
        for kind in ("mousePressed", "mouseReleased"):
            await self.call("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **place)

    async def press(self, key, code):
        for kind in ("keyDown", "keyUp"):
            await self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code)

    async def write(self, selector, text):
        await self.value(f"document.querySelector({json.dumps(selector)}).select()")
        await self.call("Input.insertText", text=text)

    async def size(self, width, height, scheme="light"):
        await self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        await self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    async def screenshot(self, directory, name):
        if not directory:
            return
        picture = await self.call("Page.captureScreenshot", format="png")
        file = directory / f"{name}.png"
        file.write_bytes(base64.b64decode(picture["data"]))
        if shutil.which("convert"):
            # Few colors are enough for text and lines.
            subprocess.run(["convert", file, "+dither", "-colors", "48", "-strip", f"PNG8:{file}"], check=True)


async def open_address(page, address):
    await page.size(1200, 760)
    await page.call("Page.navigate", url=address)
    await page.until("the page is connected", "document.getElementById('status')?.textContent === 'Connected'")


async def show(page, view):
    await page.value(f"document.getElementById('tab-{view}').click()")


CARDS = "[...document.querySelectorAll('article h3')].map(one => one.textContent)"
COUNT = "document.getElementById('object-count').textContent"
LIST = "document.getElementById('object-list').textContent"


async def use_many(page, inspected, pictures):
    """3,000 robots that rest, work and rest again."""
    await page.until("Many: all are counted, and some shown",
                     f"{COUNT} === '200 of 3,002 objects shown, 12,005 observers'")
    for name in ("Board 1", "Depot 1"):
        await page.until(f"Many: the only object of its class is shown, {name}", f"{CARDS}.some(text => text.startsWith('{name} '))")
    await page.until("Many: the cards stand in the order of their classes and numbers",
                     "(names => names.join() === [...names].sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).join())"
                     "(state.snapshot.objects.map(one => nameOf(one.type, one.number)))")
    hidden = await page.value("(shown => [...Array(2000).keys()].map(index => index + 1001).find(number => !shown.has(number)))"
                              "(new Set(state.snapshot.objects.map(one => one.number)))")
    await page.value("document.getElementById('search').focus()")
    await page.call("Input.insertText", text=f"robot {hidden}")
    await page.until("Many: what is not shown is found",
                     f"/^1 of 3,002 objects found$/.test({COUNT}) && {CARDS}.some(text => text.startsWith('Robot {hidden} '))")
    await page.value("searchFor('')")
    inspected.stdin.write("\n")
    own = json.loads(inspected.stdout.readline())
    await page.until("Many: the calls are those that the program has counted",
                     f"state.snapshot.handlers.reduce((sum, one) => sum + one.calls, 0) === {own['calls']}")
    values = "(type => Object.fromEntries(state.snapshot.objects.find(one => one.type === type).values.map(one => [one.keyPath, one.text])))"
    for type, key_path in (("Board", "text"), ("Board", "depot.headline"), ("Depot", "headline")):
        await page.until(f"Many: at rest {key_path} of {type} is what the program has",
                         f"{values}('{type}')['{key_path}'] === {json.dumps(own['text'])}")
    await page.until("Many: at rest no robot has a job, and no value is said to be old",
                     "state.snapshot.objects.filter(one => one.type === 'Robot').every(one => one.values.every(value =>"
                     " value.age == null && (value.keyPath !== 'job.remaining' || value.text === 'nil')))"
                     f" && !{LIST}.includes('newer')")
    await page.screenshot(pictures, "inspector-many")
    await show(page, "hotspots")
    await page.until("Many: what was never called is one row for each line", "document.getElementById('silent').textContent.includes('× 3,000')")
    await page.until("Many: one row for one path", "document.getElementById('evaluations').querySelectorAll('tr').length === 6"
                     " && !document.body.textContent.includes('computed Int')")
    await page.screenshot(pictures, "inspector-hotspots")
    await show(page, "graph")
    await page.until("Graph of many: all objects of a class are one",
                     "[...document.querySelectorAll('.node')].filter(one => one.textContent.includes('Robot × 3,000')).length === 5")
    await page.until("Graph of many: no line runs behind a box, and no box is over another", f"({BOXES})().length === 0")
    await page.until("Graph of many: what is computed has its inputs, and others have none past it",
                     "(names => ['finished→headline', 'headline→depot.headline'].every(one => names.includes(one))"
                     " && !names.includes('finished→depot.headline'))([...view.edges.values()].map(({ dataset: { from, to } }) =>"
                     " from.split('/').at(-1) + '→' + to.split('/').at(-1)))")
    await page.until("Graph of many: lines that run back run each on its own",
                     "(corners => corners.length > 1 && new Set(corners).size === corners.length)"
                     "([...document.querySelectorAll('.edge')].map(path => /h\\d+V[-\\d.]+/.exec(path.getAttribute('d'))?.[0]).filter(Boolean))")
    places = "Object.fromEntries([...view.nodes.values()].map(node => [node.id, [node.x, node.y]]))"
    before = await page.value(places)
    await page.value("state.snapshot.handlers.push({ type: 'Robot', keyPath: 'alarm', place: 'New.swift:1', active: 1 }); showGraph()")
    after = await page.value(places)
    # A column that has become longer moves what is below it.
    moves = {(after[node][0] - x, after[node][1] - y) for node, (x, y) in before.items()}
    assert len(after) == len(before) + 1 and (0, 0) in moves and moves <= {(0, 0), (0, 56)}, f"the nodes have moved: {moves}"
    print("  Graph of many: the nodes keep their places when one is added")


async def use_late(page, inspected, pictures):
    """100 robots that were observed before the inspector started, and rest."""
    earlier = "document.getElementById('earlier').textContent"
    await page.until("Late: it says what was before, and what can be done",
                     f"/^405 registrations were made before.* 0 of them are found.*graph\\(of:\\)/.test({earlier})")
    await page.until("Late: and does not say that nothing is observed", f"{LIST} === 'No object has changed since.'")
    await page.screenshot(pictures, "inspector-late")
    await show(page, "graph")
    await page.until("Late: nor is an empty graph shown without a word",
                     "document.getElementById('graph-step').textContent === 'No object is known yet.'")
    await show(page, "objects")
    inspected.stdin.write("\n")
    own = json.loads(inspected.stdout.readline())
    await page.until("Late: the calls are those that the program has counted, from its beginning",
                     f"state.snapshot.handlers.reduce((sum, one) => sum + one.calls, 0) === {own['calls']}")
    await page.until("Late: all registrations are found", f"{earlier} === '' && {COUNT} === '102 objects, 405 observers'")


async def use_busy(page, inspected, pictures):
    """Robots that change as fast as they can."""
    await show(page, "timeline")
    await page.until("Busy: events come, and what is not recorded is said",
                     "/^5,000 events in [\\d,]+ groups; [\\d,]+ not recorded$/.test(document.getElementById('event-count').textContent)")
    await page.size(600, 760, "dark")
    await page.screenshot(pictures, "inspector-busy")
    await page.size(1200, 760)


async def use_shop(page, inspected, pictures):
    for name in ("Cart", "Monitor", "Receipt"):
        await page.until(f"Objects: {name} appears", f"{CARDS}.some(text => text.startsWith('{name} '))")
    await page.until("Objects: a value that was set by a binding is shown",
                     "document.getElementById('object-list').textContent.includes('To pay: ')")
    await page.until("Objects: observers have their file and line",
                     r"/Shop\.swift:\d+/.test(document.querySelector('.observers').textContent)")
    await page.write("#search", "to pay")
    await page.until("Objects: the search leaves the receipt alone",
                     f"{CARDS}.length === 1 && {CARDS}[0].startsWith('Receipt 1 ')")

    await page.click("#tab-graph")
    await page.until("Graph: properties, computed ones, handlers and bindings are there",
                     "['property', 'dependent', 'handler', 'binding'].every(kind => document.querySelector('.node.' + kind))")
    await page.until("Graph: an edge lights up when a change runs along it", "document.querySelector('.edge.lit')")
    await page.until("Graph: no line runs behind a box, and no box is over another", f"({BOXES})().length === 0")
    await page.click("#graph-pause")
    await page.until("Graph: it is paused, and nothing is lit",
                     "!document.querySelector('.edge.lit') && !document.getElementById('forward').disabled")
    for _ in range(3):
        await page.click("#forward")
    await page.until("Graph: a step is said, and marks its nodes", "document.querySelector('.node.now')"
                     " && /^(change|evaluation|delivery|binding) /.test(document.getElementById('graph-step').textContent)")
    first = await page.value("document.getElementById('graph-step').textContent")
    await page.value("while (!document.querySelector('.edge.lit')) document.getElementById('forward').click()")
    await page.until("Graph: one step lights the edges of one event",
                     "[...document.querySelectorAll('.edge.lit')].length <= 2")
    await page.value("new Promise(done => setTimeout(done, 600))")
    await page.screenshot(pictures, "inspector-graph")
    await page.value("for (let index = 0; index < 2000; index += 1) document.getElementById('back').click()")
    await page.click("#forward")
    await page.click("#forward")
    await page.until("Graph: steps lead back", f"document.getElementById('graph-step').textContent === {json.dumps(first)}")
    await page.click("#graph-pause")
    await page.until("Graph: it goes on", "document.querySelector('.edge.lit')")
    await page.value("[...document.querySelectorAll('.node')].find(one => one.textContent.includes('title')).focus()")
    await page.press("Enter", 13)
    await page.until("Graph: the keyboard chooses a node, and what is not connected is dimmed",
                     "document.querySelector('.node.chosen') && document.querySelector('.node.dim')")
    place = await page.value("document.getElementById('scene').getAttribute('transform')")
    await page.press("ArrowRight", 39)
    await page.until("Graph: an arrow key moves it",
                     f"document.getElementById('scene').getAttribute('transform') !== {json.dumps(place)}")

    await page.size(1440, 900)
    await page.value("document.getElementById('fit').click()")
    await page.until("Graph: it fits, large enough to read", "view.scale > .55")

    await page.click("#tab-timeline")
    await page.until("Time line: what a change caused is closed at first",
                     "[...document.querySelectorAll('#events [aria-expanded=false]')].length > 0")
    await page.click("#open-all")
    rows = "[...document.querySelectorAll('#events button')]"
    await page.until("Time line: changes have their old and new values",
                     f"{rows}.some(row => /change title of Receipt 1 .* → To pay: /.test(row.textContent))")
    await page.until("Time line: what a change caused is nested in it",
                     f"new Set({rows}.map(row => row.style.paddingLeft)).size > 3")
    await page.click("#pause")
    await page.until("Time line: it is paused", "document.getElementById('pause').getAttribute('aria-pressed') === 'true'")
    await page.until("Time line: a bar is as long as what it took",
                     f"({BARS})() || document.getElementById('wider').click()")
    shown = await page.value(f"{rows}.map(row => row.textContent).join('|')")
    newest = await page.value("Math.max(...state.events.keys())")
    await page.until("Time line: events go on while it is paused", f"Math.max(...state.events.keys()) > {newest} + 5")
    assert shown == await page.value(f"{rows}.map(row => row.textContent).join('|')"), "the time line changed while paused"
    await page.write("#filter-key", "title")
    await page.until("Time line: the filter leaves one key path",
                     f"{rows}.length > 0 && {rows}.every(row => row.textContent.includes('title'))")
    await page.write("#filter-key", " ")
    await page.value("document.getElementById('filter-key').value = ''; document.getElementById('filter-key').oninput()")
    await page.write("#filter-object", "receipt")
    await page.until("Time line: the filter leaves one class",
                     f"{rows}.length > 0 && {rows}.every(row => row.textContent.includes(' of Receipt 1'))")
    await page.value(f"{rows}.find(row => row.textContent.includes('change title')).id = 'chosen'")
    await page.click("#chosen")
    await page.until("Time line: a click shows the explanation, back to what began it",
                     "/title of Receipt 1 was set.*binding made at inspected\\/Shop\\.swift.*outside of any handler/s"
                     ".test(document.getElementById('explanation').textContent)")
    await page.value("document.getElementById('filter-object').value = ''; document.getElementById('filter-object').oninput()")
    await page.screenshot(pictures, "inspector-timeline")
    cause = await page.value("document.querySelector('#explanation .link').textContent")
    await page.click("#explanation .link")
    await page.until("Time line: a sentence leads to its event",
                     f"document.querySelector('#explanation p').textContent === {json.dumps(cause)}"
                     " && document.querySelector('#events [aria-current=true]')?.textContent.includes('binding title of Receipt 1')")
    await page.click("#pause")
    await page.until("Time line: it goes on", f"{rows}.map(row => row.textContent).join('|') !== {json.dumps(shown)}")

    await page.click("#tab-hotspots")
    await page.until("Hot spots: handlers with their calls",
                     "/of Cart.*inspected\\/Shop\\.swift:\\d+/.test(document.getElementById('handlers').textContent)")
    await page.until("Hot spots: evaluations", "document.getElementById('evaluations').textContent.includes('of Monitor')")
    await page.until("Hot spots: handlers that were never called",
                     "document.getElementById('silent').textContent.includes('limit of Monitor')")

    await page.value("document.getElementById('tab-hotspots').focus()")
    await page.press("ArrowLeft", 37)
    await page.until("Keyboard: the arrow keys change the view", "!document.getElementById('timeline').hidden")
    await page.size(380, 700, "dark")
    for view in ("objects", "graph", "timeline", "hotspots"):
        await page.value(f"document.getElementById('tab-{view}').click()")
        await page.until(f"Narrow and dark: {view} fits", "document.documentElement.scrollWidth <= innerWidth")
    for scheme in ("light", "dark"):
        await page.size(1200, 760, scheme)
        for view in ("objects", "graph", "timeline", "hotspots"):
            await page.value(f"document.getElementById('tab-{view}').click()")
            await page.until(f"{view}, {scheme}: all text has enough contrast", f"({FAINT})().length === 0")
            if scheme == "dark" and view == "objects":
                await page.value("searchFor(''); document.activeElement.blur()")
                await page.until("Objects, dark: without a search all are shown", f"{CARDS}.length === 6")
                await page.screenshot(pictures, "inspector-objects")
    assert await page.value("matchMedia('(prefers-color-scheme: dark)').matches")
    background = await page.value("getComputedStyle(document.body).backgroundColor")
    assert background == "rgb(22, 24, 28)", f"not dark: {background}"


@contextlib.asynccontextmanager
async def open_page(browser):
    """A page in a Chromium of its own, with an empty profile."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        chromium = subprocess.Popen(
            [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             f"--user-data-dir={profile}", "--remote-debugging-port=0", "about:blank"],
            stderr=subprocess.PIPE, text=True)
        try:
            debugging = next(found.group() for line in chromium.stderr if (found := re.search(r"ws://\S+", line)))
            async with websockets.connect(debugging, max_size=None) as socket:
                page = Page(socket)
                target = (await page.call("Target.createTarget", url="about:blank"))["targetId"]
                page.session = (await page.call("Target.attachToTarget", targetId=target, flatten=True))["sessionId"]
                yield page
        finally:
            chromium.terminate()
            chromium.wait()


async def main():
    program, browser = sys.argv[1:3]
    pictures = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
    async with open_page(browser) as page:
        for domain in ("Page", "Runtime", "Log"):
            await page.call(f"{domain}.enable")
        for state, use in (("many", use_many), ("late", use_late), ("busy", use_busy), ("shop", use_shop)):
            inspected = subprocess.Popen([program, "0", state], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=subprocess.PIPE, bufsize=1, text=True)
            try:
                await open_address(page, re.search(r"http://\S+", inspected.stderr.readline()).group())
                await use(page, inspected, pictures)
                assert inspected.poll() is None, "the program ended"
                # The page would go on asking for it.
                await page.call("Page.navigate", url="about:blank")
            finally:
                inspected.terminate()
                inspected.wait()
        problems = [one for one in page.problems if "favicon" not in one]
        assert not problems, f"the console has problems: {problems}"


if __name__ == "__main__":
    asyncio.run(main())
    print("The page works in a browser.")
