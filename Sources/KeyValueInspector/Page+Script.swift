// What the page does.
#if Inspector
extension Page {
    static let script = model + views + graph + connection

    /// What is known, and small tools.
    private static let model = #"""
        'use strict';
        const $ = id => document.getElementById(id);
        const mostEvents = 5000, mostRows = 300;
        const state = { events: new Map(), leftOut: 0, snapshot: null, view: 'objects', isPaused: false, shown: [], threads: new Set(),
          lit: new Map(), sets: new Map(), bindings: new Set(), explained: null };
        function make(tag, text, name) {
          const element = document.createElement(tag);
          if (text !== undefined && text !== null) element.textContent = text;
          if (name) element.className = name;
          return element;
        }
        const micro = value => value == null ? '' : value < 1000 ? value.toFixed(1) + ' µs' : (value / 1000).toFixed(2) + ' ms';
        const property = (id, keyPath) => 'p/' + id + '/' + keyPath;
        const handler = number => 'r/' + number;
        function add(message) {
          state.leftOut += message.leftOut;
          for (const event of message.events) {
            const cause = event.cause && state.events.get(event.cause);
            event.depth = cause ? Math.min(cause.depth + 1, 12) : 0;
            const isNew = !state.events.has(event.number);
            state.events.set(event.number, event);
            if (!state.threads.has(event.thread) && state.threads.size < 200) addThread(event.thread);
            if (isNew) light(event, cause);
          }
          // A map keeps the order in which its keys came.
          for (const number of state.events.keys()) { if (state.events.size <= mostEvents) break; state.events.delete(number); }
        }
        function addThread(thread) {
          state.threads.add(thread);
          $('filter-thread').append(new Option(thread, thread));
        }
        function light(event, cause) {
          const now = performance.now();
          const light = (from, to) => { if (state.lit.size < 2000) state.lit.set(from + '→' + to, now); };
          if (event.kind === 'delivery' && event.registration) {
            light(property(event.object, event.keyPath), handler(event.registration));
            if (cause && cause.kind === 'change') light(property(cause.object, cause.keyPath), property(event.object, event.keyPath));
          }
          if (event.kind === 'binding' && cause && cause.registration) state.bindings.add(cause.registration);
          if (event.kind === 'change') {
            let source = cause;
            while (source && !source.registration) source = state.events.get(source.cause);
            if (source && event.object) {
              const edge = handler(source.registration) + '→' + property(event.object, event.keyPath);
              if (state.sets.size < 2000) state.sets.set(edge, [handler(source.registration), event]);
              if (state.lit.size < 2000) state.lit.set(edge, now);
            }
          }
        }

        """#

    /// The objects, the time line and the hot spots.
    private static let views = #"""
        function table(element, heads, rows) {
          const line = (cells, tag) => {
            const row = make('tr');
            cells.forEach((cell, index) => row.append(make(tag, cell, heads[index][0] === '#' ? 'number' : tag === 'td' ? 'name' : '')));
            return row;
          };
          const body = rows.map(row => line(row, 'td'));
          const head = line(heads.map(text => text.replace('#', '')), 'th');
          head.querySelectorAll('th').forEach(cell => cell.scope = 'col');
          element.replaceChildren(head, ...body);
          if (!rows.length) { const row = make('tr'), cell = make('td', 'None.', 'quiet'); cell.colSpan = heads.length; row.append(cell); element.append(row); }
        }
        function showObjects() {
          const snapshot = state.snapshot;
          if (!snapshot) return;
          const search = $('search').value.toLowerCase();
          const objects = snapshot.objects.filter(object => !search || JSON.stringify(object).toLowerCase().includes(search));
          $('object-count').textContent = objects.length + ' of ' + snapshot.objects.length + ' objects'
            + (snapshot.objectsLeftOut ? ', ' + snapshot.objectsLeftOut + ' not shown' : '')
            + (snapshot.registrationsLeftOut ? ', ' + snapshot.registrationsLeftOut + ' observers not shown' : '');
          $('object-list').replaceChildren(...objects.map(object => {
            const card = make('article');
            const title = make('h3', object.type + ' ');
            title.append(make('span', object.id + ' · ' + object.observers.length + (object.observers.length === 1 ? ' observer' : ' observers'), 'quiet'));
            card.append(title);
            const values = new Map(object.values.map(value => [value.keyPath, value]));
            for (const { keyPath } of object.observers) if (!values.has(keyPath)) values.set(keyPath, null);
            const properties = make('table');
            for (const [keyPath, value] of values) {
              const row = make('tr'), cell = make('td', value ? value.text + (value.isUncertain ? ' ?' : '') : 'unknown: no observer asks for it', value ? 'name' : 'quiet');
              if (value && value.isUncertain) cell.title = 'Events were left out since; it may have changed.';
              row.append(make('td', keyPath, 'name'), cell);
              properties.append(row);
            }
            card.append(properties);
            for (const observer of object.observers) {
              const line = make('div', observer.keyPath + ' → ' + (observer.observer ? observer.observer + ' ' : ''), 'mono');
              line.append(make('span', observer.place + ' · ' + observer.calls + ' calls · ' + micro(observer.total), 'quiet'));
              card.append(line);
            }
            return card;
          }));
        }
        // The fields are read once, and not for each of thousands of events.
        function filter() {
          const object = $('filter-object').value.toLowerCase(), key = $('filter-key').value.toLowerCase(), thread = $('filter-thread').value;
          const isOfChanges = $('filter-changes').checked;
          return event => (!object || ((event.type || '') + ' ' + (event.object || '')).toLowerCase().includes(object))
            && (!key || (event.keyPath || '').toLowerCase().includes(key)) && (!thread || String(event.thread) === thread)
            && (!isOfChanges || event.kind === 'change');
        }
        function eventRow(event) {
          const item = make('li'), button = make('button');
          button.style.paddingLeft = (.6 + event.depth * 1.1) + 'rem';
          button.dataset.number = event.number;
          if (event.number === state.explained) button.setAttribute('aria-current', 'true');
          button.append(make('span', '#' + event.number + ' ', 'quiet'), make('span', event.kind + ' ', 'kind ' + event.kind));
          button.append((event.keyPath || '') + (event.type ? ' of ' + event.type : '') + ' ');
          if (event.elements) button.append(event.elements + ' ');
          if (event.oldValue != null || event.newValue != null) button.append(make('span', (event.kind === 'change' ? (event.oldValue ?? '·') + ' → ' : '= ') + (event.newValue ?? '·') + ' ', 'lit'));
          button.append(make('span', (event.isPrior ? 'before the change ' : '') + (event.place || '') + (event.duration ? ' · ' + micro(event.duration) : ''), 'quiet'));
          item.append(button);
          return item;
        }
        function showEvents() {
          const all = state.isPaused ? state.shown : [...state.events.values()];
          // An event that is sent again when it has ended stays in its place. The roots come newest first, each with what it caused after it.
          const found = all.filter(filter()), groups = [];
          const rootOf = new Map();
          for (const event of found) {
            const root = rootOf.get(event.cause);
            if (root) { root.push(event); rootOf.set(event.number, root); }
            else { const group = [event]; groups.push(group); rootOf.set(event.number, group); }
          }
          const rows = [];
          for (let index = groups.length - 1; index >= 0 && rows.length < mostRows; index -= 1) rows.push(...groups[index].slice(0, mostRows - rows.length));
          $('event-count').textContent = found.length + ' events' + (rows.length < found.length ? ', the newest ' + rows.length + ' shown' : '')
            + (state.leftOut ? ', ' + state.leftOut + ' left out' : '');
          const focused = document.activeElement?.dataset?.number;
          const scroll = $('events').scrollTop;
          $('events').replaceChildren(...rows.map(eventRow));
          $('events').scrollTop = scroll;
          if (focused) $('events').querySelector('[data-number="' + focused + '"]')?.focus({ preventScroll: true });
        }
        function explain(number) {
          state.explained = number;
          send({ explain: number });
          for (const button of $('events').querySelectorAll('button')) {
            if (+button.dataset.number === number) button.setAttribute('aria-current', 'true'); else button.removeAttribute('aria-current');
          }
        }
        function showExplanation(message) {
          $('explanation').replaceChildren(make('p', message.number ? '#' + message.number : '', 'quiet'),
            ...(message.text ?? message.message).split('\n').map(line => make('p', line)));
        }
        function showHotSpots() {
          const snapshot = state.snapshot;
          if (!snapshot) return;
          table($('handlers'), ['Observed', 'At', '#Active', '#Calls', '#Skipped', '#Total', '#Longest'], snapshot.handlers.map(one =>
            [one.keyPath + ' of ' + one.type, one.place, one.active, one.calls, one.skipped, micro(one.total), micro(one.longest)]));
          table($('evaluations'), ['Evaluated', '#Times', '#Same result', '#Total', '#Longest'], snapshot.evaluations.map(one =>
            [one.keyPath + ' of ' + one.type, one.count, one.unchanged, micro(one.total), micro(one.longest)]));
          const silent = snapshot.objects.flatMap(object => object.observers.filter(one => !one.calls).map(one => [one.keyPath + ' of ' + object.type, one.place]));
          table($('silent'), ['Observed', 'At'], silent.slice(0, 200));
        }

        """#

    /// The graph.
    private static let graph = #"""
        const view = { x: 20, y: 20, scale: 1, shape: '', chosen: null, edges: new Map(), nodes: new Map(), isMoved: false };
        const svg = (tag, attributes) => {
          const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
          for (const name in attributes) element.setAttribute(name, attributes[name]);
          return element;
        };
        function gather() {
          const nodes = new Map(), edges = new Map();
          const node = (id, kind, title, detail) => { if (!nodes.has(id) && nodes.size < 300) nodes.set(id, { id, kind, title, detail }); else if (kind === 'dependent' && nodes.has(id)) nodes.get(id).kind = kind; };
          const edge = (from, to) => { if (from !== to && nodes.has(from) && nodes.has(to)) edges.set(from + '→' + to, [from, to]); };
          const alive = new Set(state.snapshot.objects.map(object => object.id));
          for (const object of state.snapshot.objects) {
            for (const dependent of object.dependents) {
              const to = property(object.id, dependent.name);
              node(to, 'dependent', dependent.name, object.type + ' ' + object.id);
              for (const read of dependent.reads) {
                if (!read.id) continue;
                node(property(read.id, read.keyPath), 'property', read.keyPath, read.type + ' ' + read.id);
                edge(property(read.id, read.keyPath), to);
              }
            }
            for (const observer of object.observers) {
              node(property(object.id, observer.keyPath), 'property', observer.keyPath, object.type + ' ' + object.id);
              const isBinding = state.bindings.has(observer.number);
              node(handler(observer.number), isBinding ? 'binding' : 'handler', isBinding ? 'binding' : 'handler', observer.place);
              edge(property(object.id, observer.keyPath), handler(observer.number));
            }
          }
          for (const [from, event] of state.sets.values()) {
            if (!alive.has(event.object) || !nodes.has(from)) continue;
            node(property(event.object, event.keyPath), 'property', event.keyPath, event.type + ' ' + event.object);
            edge(from, property(event.object, event.keyPath));
          }
          return { nodes, edges };
        }
        function layOut(nodes, edges) {
          // A node stands to the right of all that lead to it, as far as there is no circle.
          const into = new Map([...nodes.keys()].map(id => [id, []]));
          for (const [from, to] of edges.values()) into.get(to).push(from);
          const layers = new Map(), under = new Set();
          const layer = id => {
            if (layers.has(id)) return layers.get(id);
            if (under.has(id)) return -1;
            under.add(id);
            const value = Math.max(-1, ...into.get(id).map(layer)) + 1;
            under.delete(id); layers.set(id, value);
            return value;
          };
          for (const id of nodes.keys()) layer(id);
          const columns = [];
          for (const node of nodes.values()) (columns[layers.get(node.id)] ??= []).push(node);
          for (let index = 0; index < columns.length; index += 1) {
            const column = columns[index] ?? [];
            // In the order of what leads to them, so that fewer lines cross.
            const mean = node => { const ys = into.get(node.id).map(id => nodes.get(id).y).filter(y => y !== undefined); return ys.length ? ys.reduce((a, b) => a + b) / ys.length : 1e6; };
            const order = new Map(column.map(node => [node, mean(node)]));
            column.sort((a, b) => order.get(a) - order.get(b) || a.detail.localeCompare(b.detail));
            column.forEach((node, row) => { node.x = index * 270; node.y = row * 62; });
          }
        }
        function showGraph() {
          if (!state.snapshot) return;
          const { nodes, edges } = gather();
          const shape = [...nodes.values()].map(node => node.id + node.kind).join() + [...edges.keys()].join();
          if (shape !== view.shape) {
            view.shape = shape;
            layOut(nodes, edges);
            const focused = document.activeElement?.dataset?.node;
            view.nodes = nodes; view.edges = new Map();
            const lines = svg('g', {}), boxes = svg('g', {});
            for (const [key, [from, to]] of edges) {
              const a = nodes.get(from), b = nodes.get(to), x1 = a.x + 210, y1 = a.y + 21, x2 = b.x, y2 = b.y + 21;
              const bend = x2 > x1 ? (x2 - x1) / 2 : 60;
              const path = svg('path', { class: 'edge', d: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}` });
              path.dataset.from = from; path.dataset.to = to;
              lines.append(path); view.edges.set(key, path);
            }
            for (const node of nodes.values()) {
              const box = svg('g', { class: 'node ' + node.kind, transform: `translate(${node.x} ${node.y})`, tabindex: 0, role: 'button',
                'aria-label': node.kind + ' ' + node.title + ', ' + node.detail });
              box.dataset.node = node.id;
              const cut = text => text.length > 30 ? '…' + text.slice(-29) : text;
              const title = svg('text', { x: 8, y: 17 }), detail = svg('text', { x: 8, y: 33, class: 'quiet' });
              title.textContent = cut(node.title); detail.textContent = cut(node.detail);
              const full = svg('title', {}); full.textContent = node.title + ' — ' + node.detail;
              box.append(full, svg('rect', { width: 210, height: 42, rx: 5 }), title, detail);
              boxes.append(box);
            }
            $('scene').replaceChildren(lines, boxes);
            if (focused) [...boxes.children].find(box => box.dataset.node === focused)?.focus({ preventScroll: true });
            if (!view.isMoved) fit();
            if (view.chosen && !nodes.has(view.chosen)) view.chosen = null;
            choose(view.chosen);
            $('graph-note').textContent = nodes.size + ' nodes, ' + edges.size + ' edges' + (nodes.size >= 300 ? '; more are not shown' : '');
          }
          const now = performance.now();
          for (const [key, path] of view.edges) path.classList.toggle('lit', now - (state.lit.get(key) ?? -1e9) < 700);
        }
        function move() { $('scene').setAttribute('transform', `translate(${view.x} ${view.y}) scale(${view.scale})`); }
        function fit() {
          const all = [...view.nodes.values()], box = $('svg').getBoundingClientRect();
          if (!all.length || !box.width) return;
          const width = Math.max(...all.map(node => node.x)) + 210, height = Math.max(...all.map(node => node.y)) + 42;
          view.scale = Math.max(.2, Math.min(1.4, (box.width - 40) / width, (box.height - 40) / height));
          view.x = (box.width - width * view.scale) / 2; view.y = 20;
          move();
        }
        function scale(factor, x = $('svg').clientWidth / 2, y = $('svg').clientHeight / 2) {
          const scale = Math.max(.1, Math.min(4, view.scale * factor));
          view.x = x - (x - view.x) * scale / view.scale; view.y = y - (y - view.y) * scale / view.scale;
          view.scale = scale; view.isMoved = true; move();
        }
        function choose(id) {
          view.chosen = id;
          const near = new Set([id]);
          const follow = (end, other) => {
            const queue = [id];
            for (const next of queue) for (const path of view.edges.values())
              if (path.dataset[end] === next && !queue.includes(path.dataset[other])) { queue.push(path.dataset[other]); near.add(path.dataset[other]); }
          };
          if (id) { follow('from', 'to'); follow('to', 'from'); }
          for (const box of $('scene').querySelectorAll('.node')) {
            box.classList.toggle('dim', !!id && !near.has(box.dataset.node)); box.classList.toggle('chosen', box.dataset.node === id);
          }
          for (const path of view.edges.values()) path.classList.toggle('dim', !!id && !(near.has(path.dataset.from) && near.has(path.dataset.to)));
        }
        let drag = null;
        $('svg').addEventListener('pointerdown', event => { if (!event.target.closest('.node')) drag = { x: event.clientX - view.x, y: event.clientY - view.y }; });
        window.addEventListener('pointermove', event => { if (drag) { view.x = event.clientX - drag.x; view.y = event.clientY - drag.y; view.isMoved = true; move(); } });
        window.addEventListener('pointerup', () => { drag = null; });
        $('svg').addEventListener('wheel', event => { event.preventDefault(); scale(event.deltaY < 0 ? 1.1 : 1 / 1.1, event.offsetX, event.offsetY); }, { passive: false });
        $('svg').addEventListener('click', event => { const box = event.target.closest('.node'); if (box) choose(box.dataset.node === view.chosen ? null : box.dataset.node); });
        $('svg').addEventListener('keydown', event => {
          const steps = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] }, step = steps[event.key];
          if (step) { view.x += step[0]; view.y += step[1]; view.isMoved = true; move(); }
          else if (event.key === '+') scale(1.2); else if (event.key === '-') scale(1 / 1.2);
          else if (event.key === 'Escape') choose(null);
          else if ((event.key === 'Enter' || event.key === ' ') && event.target.closest('.node')) choose(event.target.closest('.node').dataset.node);
          else return;
          event.preventDefault();
        });
        $('fit').onclick = () => { view.isMoved = false; fit(); };
        $('zoom-in').onclick = () => scale(1.2); $('zoom-out').onclick = () => scale(1 / 1.2);
        $('show-all').onclick = () => choose(null);

        """#

    /// The connection, and what is drawn when.
    private static let connection = #"""
        let socket = null, needsDrawing = false, lastDrawn = 0;
        const show = { objects: showObjects, graph: showGraph, timeline: showEvents, hotspots: showHotSpots };
        function draw(isNow) {
          if (isNow) { show[state.view](); return; }
          if (needsDrawing) return;
          needsDrawing = true;
          // Eight times a second is enough to read.
          setTimeout(() => requestAnimationFrame(() => {
            needsDrawing = false; lastDrawn = performance.now();
            if (state.view === 'timeline' && state.isPaused) return;
            if (state.view === 'objects' && !state.isFresh) return;
            if (state.view === 'hotspots' && !state.isFresh) return;
            state.isFresh = false;
            show[state.view]();
          }), Math.max(0, 125 - (performance.now() - lastDrawn)));
        }
        function choosePanel(name) {
          state.view = name;
          for (const tab of document.querySelectorAll('[role=tab]')) {
            const isChosen = tab.dataset.view === name;
            tab.setAttribute('aria-selected', isChosen); tab.tabIndex = isChosen ? 0 : -1;
            tab.setAttribute('aria-controls', tab.dataset.view);
            $(tab.dataset.view).hidden = !isChosen;
          }
          draw(true);
          if (name === 'graph' && !view.isMoved) fit();
        }
        function send(message) { if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message)); }
        function connect() {
          socket = new WebSocket('ws://' + location.host + '/events' + location.search);
          socket.onopen = () => {
            // Numbers and objects may be those of another run of the program.
            state.events.clear(); state.lit.clear(); state.sets.clear(); state.bindings.clear(); state.leftOut = 0;
            $('status').textContent = 'Connected';
          };
          socket.onmessage = ({ data }) => {
            const message = JSON.parse(data);
            if (message.type === 'events') add(message);
            else if (message.type === 'snapshot') { state.snapshot = message; state.isFresh = true; }
            else showExplanation(message);
            draw(false);
          };
          socket.onclose = () => { $('status').textContent = 'Not connected; trying again'; setTimeout(connect, 1000); };
        }
        for (const tab of document.querySelectorAll('[role=tab]')) {
          tab.onclick = () => choosePanel(tab.dataset.view);
          tab.onkeydown = event => {
            const tabs = [...document.querySelectorAll('[role=tab]')], step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
            if (!step) return;
            const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
            next.focus(); choosePanel(next.dataset.view);
          };
        }
        $('search').oninput = () => draw(true);
        for (const id of ['filter-object', 'filter-key', 'filter-thread', 'filter-changes']) $(id).oninput = () => draw(true);
        $('pause').onclick = () => {
          state.isPaused = !state.isPaused;
          state.shown = state.isPaused ? [...state.events.values()] : [];
          $('pause').setAttribute('aria-pressed', state.isPaused);
          draw(true);
        };
        // The row may be replaced between the press and the release of a button: the press counts.
        $('events').addEventListener('pointerdown', event => { const row = event.target.closest('button'); if (row && event.button === 0) explain(+row.dataset.number); });
        $('events').addEventListener('click', event => { const row = event.target.closest('button'); if (row && event.detail === 0) explain(+row.dataset.number); });
        $('events').addEventListener('keydown', event => {
          const row = event.target.closest('li'), next = event.key === 'ArrowDown' ? row?.nextSibling : event.key === 'ArrowUp' ? row?.previousSibling : null;
          if (next) { event.preventDefault(); next.firstChild.focus(); }
        });
        // While an edge is lit, it has to be drawn again to go out.
        setInterval(() => { if (state.view === 'graph' && state.snapshot) draw(false); }, 350);
        choosePanel('objects');
        connect();
        """#
}
#endif
