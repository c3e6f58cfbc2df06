// What the page looks like.
#if Inspector
extension Page {
    static let style = #"""
        :root { color-scheme: light dark; --back: light-dark(#fff, #16181c); --text: light-dark(#1b1f24, #e6e8eb);
          --quiet: light-dark(#57606a, #9aa4af); --line: light-dark(#d0d7de, #343a42); --panel: light-dark(#f6f8fa, #1f2329);
          --accent: light-dark(#0550ae, #79b8ff); --lit: light-dark(#bc4c00, #ffa657); --bind: light-dark(#116329, #7ee787); }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--back); color: var(--text); font: 14px/1.45 system-ui, sans-serif;
          display: flex; flex-direction: column; height: 100vh; }
        header { display: flex; flex-wrap: wrap; align-items: center; gap: .3rem 1rem; padding: .5rem 1rem;
          border-bottom: 1px solid var(--line); background: var(--panel); }
        h1 { font-size: 1rem; margin: 0; } h2 { font-size: .95rem; margin: .8rem 0 .4rem; }
        #status { margin: 0 0 0 auto; color: var(--quiet); }
        nav { display: flex; gap: .2rem; }
        button, input, select { font: inherit; color: inherit; background: var(--back); border: 1px solid var(--line);
          border-radius: 5px; padding: .2rem .6rem; }
        button { cursor: pointer; } [role=tab][aria-selected=true], [aria-pressed=true] { background: var(--accent);
          color: var(--back); border-color: var(--accent); }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
        main { flex: 1; min-height: 0; display: flex; } main > section { flex: 1; min-width: 0; padding: .6rem 1rem;
          overflow: auto; } section[hidden] { display: none; }
        .bar { display: flex; flex-wrap: wrap; gap: .4rem .7rem; align-items: center; margin-bottom: .6rem; }
        .quiet { color: var(--quiet); } .lit { color: var(--lit); }
        code, .mono, #events, td.name { font-family: ui-monospace, monospace; font-size: .92em; }
        #object-list { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 24rem), 1fr)); gap: .7rem; }
        article { border: 1px solid var(--line); border-radius: 7px; padding: .5rem .8rem; background: var(--panel);
          overflow-wrap: anywhere; }
        article h3 { margin: 0 0 .3rem; font-size: .95rem; } article h3 .quiet { font-weight: normal; }
        table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .15rem .7rem .15rem 0;
          vertical-align: top; } th { color: var(--quiet); font-weight: normal; } td.number, th.number { text-align: right; }
        .scroll { overflow-x: auto; } .scroll tr { border-bottom: 1px solid var(--line); }
        article td:first-child { width: 40%; }
        #graph { display: flex; flex-direction: column; } #graph[hidden] { display: none; }
        #svg { flex: 1; min-height: 14rem; width: 100%; border: 1px solid var(--line); border-radius: 7px; cursor: grab;
          touch-action: none; background: var(--panel); }
        #svg text { fill: var(--text); font: 12px ui-monospace, monospace; } #svg text.quiet { fill: var(--quiet); font-size: 10px; }
        :where(#svg) rect { fill: var(--back); stroke: var(--line); } .node { cursor: pointer; }
        .node.dependent rect { stroke: var(--accent); } .node.binding rect { stroke: var(--bind); }
        .node.handler rect { stroke-dasharray: 4 2; stroke: var(--quiet); }
        .node:focus { outline: none; } .node:focus rect, .node.chosen rect { stroke-width: 3; stroke: var(--accent); }
        .edge { fill: none; stroke: var(--quiet); stroke-width: 1.2; marker-end: url(#arrow); } marker path { fill: var(--quiet); }
        .edge.lit { stroke: var(--lit); stroke-width: 3; } .dim { opacity: .15; }
        .node.now rect { stroke: var(--lit); stroke-width: 3; stroke-dasharray: none; } button:disabled { opacity: .45; cursor: default; }
        #timeline { display: flex; flex-direction: column; } #timeline[hidden] { display: none; }
        .split { flex: 1; min-height: 0; display: grid; grid-template-columns: minmax(0, 1fr) minmax(14rem, 24rem); gap: 1rem; }
        .list { display: flex; flex-direction: column; min-height: 0; }
        .times { display: flex; justify-content: flex-end; align-items: end; gap: .3rem; padding-right: .5%; margin-bottom: .2rem; }
        .times button { padding: 0 .5rem; } #ruler { width: 29%; display: flex; justify-content: space-between; color: var(--quiet); font-size: .8em; }
        #events { flex: 1; list-style: none; margin: 0; padding: 0; overflow: auto; border: 1px solid var(--line); border-radius: 7px; }
        #events button { display: block; width: 100%; border: 0; border-radius: 0; text-align: left; padding: .12rem .6rem;
          background: none; overflow-wrap: anywhere; border-bottom: 1px solid var(--line);
          border-left: 3px solid; position: relative; padding-right: 31%; }
        #events i { position: absolute; top: .4em; height: .7em; border-radius: 2px; background: var(--accent); opacity: .75; }
        #events i.change { background: var(--lit); } #events i.binding { background: var(--bind); }
        #events i.cut { border-radius: 2px 0 0 2px; mask: linear-gradient(90deg, #000 70%, transparent); }
        article h3 button { float: right; font-size: .85rem; font-weight: normal; padding: 0 .5rem; }
        label.button { border: 1px solid var(--line); border-radius: 5px; padding: .2rem .6rem; background: var(--back); cursor: pointer; }
        #events button:hover, #events button[aria-current=true] { background: var(--panel); }
        #events button[aria-current=true] { box-shadow: inset 3px 0 var(--accent); }
        aside { overflow: auto; border: 1px solid var(--line); border-radius: 7px; padding: 0 .8rem; background: var(--panel); }
        button.link { border: 0; padding: 0; background: none; text-align: left; color: var(--accent); overflow-wrap: anywhere; }
        button.link:hover { text-decoration: underline; } #explanation > button { margin-top: .4rem; }
        aside p { margin: .4rem 0; overflow-wrap: anywhere; } .kind { color: var(--accent); } .kind.change { color: var(--lit); }
        .kind.binding { color: var(--bind); }
        @media (max-width: 44rem) { .split { grid-template-columns: 1fr; grid-template-rows: 1fr minmax(7rem, 35%); }
          header, main > section { padding-inline: .5rem; } #status { margin-left: 0; } }
        @media (prefers-reduced-motion: no-preference) { .edge { transition: stroke .4s, stroke-width .4s; } }
        """#
}
#endif
