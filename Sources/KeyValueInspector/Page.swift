// The page.
#if Inspector
/// The page, which loads nothing else.
///
/// Text of the program is put into it as text alone, never as HTML.
enum Page {
    static let html = #"""
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Inspector</title>
        <style>
        \#(style)
        </style>
        </head>
        <body>
        <header>
        <h1>Inspector</h1>
        <nav role="tablist" aria-label="Views">
        <button role="tab" id="tab-objects" data-view="objects" accesskey="1">Objects</button>
        <button role="tab" id="tab-graph" data-view="graph" accesskey="2">Graph</button>
        <button role="tab" id="tab-timeline" data-view="timeline" accesskey="3">Time line</button>
        <button role="tab" id="tab-hotspots" data-view="hotspots" accesskey="4">Hot spots</button>
        </nav>
        <p id="status" role="status">Connecting …</p>
        </header>
        <main>
        <section id="objects" role="tabpanel" aria-labelledby="tab-objects">
        <div class="bar"><label>Search <input id="search" type="search" placeholder="class, property, value or file"></label>
        <span id="object-count" class="quiet"></span></div>
        <div id="object-list"></div>
        </section>
        <section id="graph" role="tabpanel" aria-labelledby="tab-graph" hidden>
        <div class="bar"><button id="fit">Fit</button><button id="zoom-in" aria-label="Larger">+</button>
        <button id="zoom-out" aria-label="Smaller">−</button><button id="show-all">Show all</button>
        <label>Find <input id="find" type="search" size="12" placeholder="name or file"></label>
        <button id="graph-pause" aria-pressed="false">Pause</button><button id="back" aria-label="Step back" disabled>‹</button>
        <button id="forward" aria-label="Step forward" disabled>›</button><span id="graph-step" class="quiet" aria-live="polite"></span></div>
        <svg id="svg" tabindex="0" role="group" aria-label="What depends on what"><defs>
        <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto">
        <path d="M0 0 8 4 0 8z"/></marker></defs><g id="scene"></g></svg>
        <p id="graph-note" class="quiet"></p>
        </section>
        <section id="timeline" role="tabpanel" aria-labelledby="tab-timeline" hidden>
        <div class="bar"><button id="pause" aria-pressed="false">Pause</button>
        <label>Object <input id="filter-object" size="10" placeholder="any"></label>
        <label>Key path <input id="filter-key" size="10" placeholder="any"></label>
        <label>Thread <select id="filter-thread"><option value="">all</option></select></label>
        <label><input id="filter-changes" type="checkbox"> changes only</label>
        <button id="open-all" aria-pressed="false">Open all</button><button id="copy">Copy</button><button id="export">Export</button>
        <label class="button">Open … <input id="open-file" type="file" accept=".jsonl" hidden></label>
        <span id="event-count" class="quiet"></span></div>
        <div class="split"><div class="list"><div class="times"><button id="closer" aria-label="Shorter bars">−</button><button id="wider" aria-label="Longer bars">+</button><div id="ruler" aria-hidden="true"></div></div><ol id="events" aria-label="Events, the newest first"></ol></div>
        <aside aria-live="polite"><h2>Explanation</h2><div id="explanation"><p class="quiet">Choose an event: a click opens what it caused, and says why it happened.</p></div></aside></div>
        </section>
        <section id="hotspots" role="tabpanel" aria-labelledby="tab-hotspots" hidden>
        <h2>Handlers</h2><div class="scroll"><table id="handlers"></table></div>
        <p id="recorded" class="quiet"></p>
        <h2>Evaluations</h2><div class="scroll"><table id="evaluations"></table></div>
        <h2>Never called</h2><div class="scroll"><table id="silent"></table></div>
        </section>
        </main>
        <script>
        \#(script)
        </script>
        </body>
        </html>
        """#
}
#endif
