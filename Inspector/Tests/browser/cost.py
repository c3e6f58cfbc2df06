#!/usr/bin/env python3
"""Measures the inspector with a page in headless Chromium: what the program loses, and whether the page can be used.

Arguments: the program `inspector-cost`, Chromium, and how many rounds. After the last round the program goes on with
100,000 changes a second for a minute, while the page shows the time line, is paused and filtered.
"""

import asyncio
import subprocess
import sys

from inspect_page import open_page

SECONDS = 60

# From when the browser got the input until the changed page has been drawn.
WATCH = """
    window.delays = { click: [], key: [] };
    window.messages = 0;
    const note = (list, event) => requestAnimationFrame(() => setTimeout(() => list.push(performance.now() - event.timeStamp)));
    document.getElementById('pause').addEventListener('click', event => note(delays.click, event));
    document.getElementById('filter-key').addEventListener('keydown', event => note(delays.key, event));
    socket.addEventListener('message', () => messages += 1);
"""

# The time between frames, and what each drawing takes.
FRAMES = """new Promise(done => {
    const frames = [], tick = (time, last) => {
        if (last) frames.push(time - last);
        if (frames.length < 300) requestAnimationFrame(next => tick(next, time));
        else done([300 / frames.reduce((sum, one) => sum + one, 0) * 1000, Math.max(...frames)]);
    };
    requestAnimationFrame(time => tick(time));
})"""

OBSERVERS = "state.snapshot.objects.flatMap(object => object.observers)"


async def connect(page, address):
    await page.call("Page.navigate", url=address)
    await page.until("the page is connected", "document.getElementById('status')?.textContent === 'Connected'")
    await page.value("document.getElementById('tab-timeline').click()")
    await page.until("events are shown", "document.querySelector('#events button')")


async def memory(page):
    await page.call("HeapProfiler.collectGarbage")
    heap = await page.call("Runtime.getHeapUsage")
    counters = await page.call("Memory.getDOMCounters")
    events = await page.value("state.events.size")
    return f"{heap['usedSize'] / 1e6:.1f} MB, {counters['nodes']} nodes, {events} events"


async def use(page):
    await page.value(WATCH)
    start = asyncio.get_running_loop().time()
    print(f"Memory of the page: {await memory(page)}")
    for step in range(SECONDS):
        # Twice on the button and a letter that is then taken back, each second.
        await page.click("#pause")
        await page.value("new Promise(done => setTimeout(done, 200))")
        await page.click("#pause")
        await page.value("document.getElementById('filter-key').focus()")
        await page.call("Input.dispatchKeyEvent", type="keyDown", key="v", code="KeyV", text="v")
        await page.call("Input.dispatchKeyEvent", type="keyUp", key="v", code="KeyV")
        await page.value("new Promise(done => setTimeout(done, 200))")
        await page.press("Backspace", 8)
        await asyncio.sleep(max(0, start + step + 1 - asyncio.get_running_loop().time()))
        if step % 20 == 19:
            print(f"Memory of the page after {step + 1} s: {await memory(page)}")
    for view in ("objects", "graph", "hotspots", "timeline"):
        await page.value(f"document.getElementById('tab-{view}').click()")
        rate, longest = await page.value(FRAMES)
        print(f"Frames a second of {view}: {rate:.0f}, the longest {longest:.0f} ms")
    seconds = asyncio.get_running_loop().time() - start
    print(f"Messages a second: {await page.value('messages') / seconds:.0f}")
    for name, title in (("click", "From a click on Pause"), ("key", "From a key in the filter")):
        delays = sorted(await page.value(f"delays.{name}"))
        print(f"{title} to the changed page: median {delays[len(delays) // 2]:.0f} ms,"
              f" longest {delays[-1]:.0f} ms, {sum(one < 200 for one in delays)} of {len(delays)} below 200 ms")


async def main():
    program, browser, rounds = sys.argv[1:4]
    cost = subprocess.Popen(
        [program, "--pages", rounds], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    try:
        async with open_page(browser) as page:
            for name in ("Page", "Runtime", "HeapProfiler"):
                await page.call(f"{name}.enable")
            await page.size(1200, 760)
            read = asyncio.to_thread
            for index in range(int(rounds)):
                await connect(page, (await read(cost.stdout.readline)).strip())
                cost.stdin.write("\n")
                line = await read(cost.stdout.readline)
                assert line == "measured\n", line
                if index == int(rounds) - 1:
                    await use(page)
                cost.stdin.write("\n")
                calls = int(await read(cost.stdout.readline))
                for name, list in (("Objects", OBSERVERS), ("Hot spots", "state.snapshot.handlers")):
                    await page.until(f"{name} has the program's own count of calls, {calls}",
                                     f"{list}.reduce((sum, one) => sum + one.calls, 0) === {calls}")
                cost.stdin.write("\n")
            print(cost.stdout.read(), end="")
            assert cost.wait() == 0
    finally:
        if cost.poll() is None:
            cost.kill()


asyncio.run(main())
