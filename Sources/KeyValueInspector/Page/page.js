'use strict';
const $ = id => document.getElementById(id);
const mostEvents = 5000,
  mostRows = 300;
const state = {
  events: new Map(),
  leftOut: 0,
  snapshot: null,
  view: 'objects',
  isPaused: false,
  shown: [],
  frozen: new Map(),
  threads: new Set(),
  lit: new Map(),
  sets: new Map(),
  bindings: new Set(),
  results: new Map(),
  explained: null,
  open: new Set(),
  isAllOpen: false,
  zoom: 1
};

function make(tag, text, name) {
  const element = document.createElement(tag);
  if (text !== undefined && text !== null) element.textContent = text;
  if (name) element.className = name;
  return element;
}
const micro = value => value == null ? '' : value < 1000 ? value.toFixed(1) + ' µs' : (value / 1000).toFixed(2) + ' ms';
const whole = number => number.toLocaleString('en');
const ago = seconds => seconds < 100 ? Math.round(seconds) + ' s ago' : Math.round(seconds / 60) + ' min ago';
const counted = (count, one, many = one + 's') => whole(count) + ' ' + (count === 1 ? one : many);
const nameOf = (type, number) => (type ?? '') + (number ? ' ' + number : '');
const resultKey = event => event.cause + '/' + property(event.object, event.keyPath);
const property = (id, keyPath) => 'p/' + id + '/' + keyPath;
const handler = number => 'r/' + number;

function add(message) {
  state.leftOut += message.leftOut;
  for (const event of message.events) {
    const cause = event.cause && state.events.get(event.cause);
    event.depth = cause ? Math.min(cause.depth + 1, 12) : 0;
    const isNew = !state.events.has(event.number);
    state.events.set(event.number, event);
    if (event.kind === 'evaluation' && event.newValue != null) state.results.set(resultKey(event), event.newValue);
    if (!state.threads.has(event.thread) && state.threads.size < 200) addThread(event.thread);
    if (isNew) light(event, cause);
  }
  // A map keeps the order in which its keys came.
  for (const number of state.events.keys()) {
    if (state.events.size <= mostEvents) break;
    state.events.delete(number);
  }
  for (const key of state.results.keys()) {
    if (state.results.size <= mostEvents) break;
    state.results.delete(key);
  }
}

const colorOf = thread => 'hsl(' + (thread * 67) % 360 + ' 60% 50%)';

function addThread(thread) {
  state.threads.add(thread);
  $('filter-thread').append(new Option(thread, thread));
  if (state.threads.size > 8) return;
  const swatch = make('span', null, 'swatch');
  swatch.style.borderColor = swatch.style.background = colorOf(thread);
  $('threads').append(swatch, thread + ' ');
}
// An event, also if it has come so long ago that only the pause keeps it.
const eventAt = number => state.events.get(number) ?? state.frozen.get(number);
// The edges that an event runs along, from node to node.
function edgesOf(event) {
  const here = property(event.object, event.keyPath);
  let cause = event.cause && eventAt(event.cause);
  if (event.kind === 'delivery' && event.registration) {
    const edges = [
      [here, handler(event.registration)]
    ];
    if (cause && cause.kind === 'change') edges.push([property(cause.object, cause.keyPath), here]);
    return edges;
  }
  if (event.kind === 'evaluation' && cause && cause.kind === 'change') return [
    [property(cause.object, cause.keyPath), here]
  ];
  if (event.kind !== 'change' || !event.object) return [];
  while (cause && !cause.registration) cause = eventAt(cause.cause);
  return cause ? [
    [handler(cause.registration), here]
  ] : [];
}

function light(event, cause) {
  const now = performance.now();
  if (event.kind === 'binding' && cause && cause.registration) state.bindings.add(cause.registration);
  for (const [from, to] of edgesOf(event)) {
    if (state.lit.size < 2000) state.lit.set(from + '→' + to, now);
    if (event.kind === 'change' && state.sets.size < 2000) state.sets.set(from + '→' + to, [from, event]);
  }
}

function setPaused(isPaused, shown = [...state.events.values()]) {
  state.isPaused = isPaused;
  state.shown = isPaused ? shown : [];
  state.frozen = new Map(state.shown.map(event => [event.number, event]));
  for (const id of ['pause', 'graph-pause']) $(id).setAttribute('aria-pressed', isPaused);
  for (const id of ['back', 'forward']) $(id).disabled = !isPaused;
  draw(true);
}

// Groups stand above the heads: each with how many columns it has.
function table(element, heads, rows, groups = []) {
  const line = (cells, tag) => {
    const row = make('tr');
    cells.forEach((cell, index) => row.append(make(tag, cell, heads[index][0] === '#' ? 'number' : tag === 'td' ?
      'name' : '')));
    return row;
  };
  const head = line(heads.map(text => text.replace('#', '')), 'th');
  head.querySelectorAll('th').forEach(cell => cell.scope = 'col');
  element.replaceChildren();
  if (groups.length && rows.length) {
    const row = make('tr', null, 'groups');
    for (const [text, count] of groups) {
      const cell = make('th', text);
      cell.colSpan = count;
      row.append(cell);
    }
    element.append(row);
  }
  if (rows.length) element.append(head, ...rows.map(row => line(row, 'td')));
  else element.append(make('caption', 'None.', 'quiet'));
}

// A computed property without a name is called by the label of its observer.
const titleOf = observer => {
  const label = /(^|\.)(computed|property) /.test(observer.keyPath) && /“(.*)”/.exec(observer.observer ?? '')?.[1];
  return label ? label + ' (' + observer.keyPath + ')' : observer.keyPath;
};

// The cards that are shown, by object, with what they were made of: what is the same stays.
const cards = new Map();

function cardOf(object) {
  const source = JSON.stringify(object);
  if (cards.get(object.id)?.source === source) return cards.get(object.id).card;
  const card = make('article');
  const title = make('h3', nameOf(object.type, object.number) + ' ');
  const count = object.observerCount;
  title.append(make('span', count ? counted(count, 'observer') : 'read by others', 'quiet'));
  const titles = new Map(object.observers.map(one => [one.keyPath, titleOf(one)]));
  const events = make('button', 'Events');
  events.onclick = () => {
    $('filter-object').value = nameOf(object.type, object.number);
    choosePanel('timeline');
  };
  title.append(' ', events);
  card.append(title);
  const values = new Map(object.values.map(value => [value.keyPath, value]));
  for (const { keyPath } of object.observers)
    if (!values.has(keyPath)) values.set(keyPath, null);
  const properties = make('table');
  for (const [keyPath, value] of values) {
    const row = make('tr'),
      cell = make('td', value ? value.text : 'unknown until it changes', value ? 'name' : 'quiet');
    if (value?.age != null) {
      cell.append(make('span', ' ' + ago(value.age) + ', or newer', 'quiet'));
      cell.title = 'It may have changed since: nobody observes it any more, or its changes were too many to describe.';
    }
    row.append(make('td', titles.get(keyPath) ?? keyPath, 'name'), cell);
    properties.append(row);
  }
  card.append(properties);
  if (count) {
    // Columns that would be empty are left out.
    const columns = [
      ['Observed', one => one.keyPath],
      ['By', one => one.observer ?? ''],
      ['At', one => one.place.split('/').at(-1)],
      ['#Calls', one => whole(one.calls)],
      ['#Dropped', one => one.dropped && whole(one.dropped)],
      ['#Time', one => one.total ? micro(one.total) : '']
    ].filter(([head, cell]) => !['By', '#Dropped'].includes(head) || object.observers.some(cell));
    const observers = make('table', null, 'observers'),
      scroll = make('div', null, 'scroll');
    table(observers, columns.map(([head]) => head), object.observers.map(one => columns.map(([, cell]) => cell(one))));
    scroll.append(observers);
    card.append(scroll);
    if (object.observers.length < count) card.append(make('p', whole(count - object.observers.length) + ' more', 'quiet'));
  }
  cards.set(object.id, { source, card });
  return card;
}

function showObjects() {
  const snapshot = state.snapshot;
  if (!snapshot) return;
  const search = $('search').value,
    { earlier, earlierFound, objectCount } = snapshot,
    objects = search ? snapshot.matches : snapshot.objects;
  const missing = (earlier ?? 0) > earlierFound;
  $('earlier').textContent = missing ? counted(earlier, 'registration was', 'registrations were') +
    ' made before the inspector started; ' + whole(earlierFound) + ' of them ' + (earlierFound === 1 ? 'is' : 'are') +
    ' found by now, and some may have ended. An object is found when it changes, or when the program calls' +
    ' KeyValueTrace.graph(of:) with it. Start the inspector before the objects are made, and all are found.' : '';
  if (snapshot.search !== search) return;
  const part = objects.length < snapshot.matchCount ? whole(objects.length) + ' of ' : '';
  $('object-count').textContent = search ? whole(snapshot.matchCount) + ' of ' + counted(objectCount, 'object') + ' found' + (
    part && ', ' + whole(objects.length) + ' shown') : part + counted(objectCount, 'object') + (part && ' shown') + ', ' +
    counted(snapshot.registrationCount, 'observer');
  const classes = snapshot.classes.length > 1 ? snapshot.classes.slice(0, 40) : [];
  if ($('classes').textContent !== classes.map(one => one.type + ' × ' + whole(one.count)).join(''))
    $('classes').replaceChildren(...classes.map(one => {
      const button = make('button', one.type + ' × ' + whole(one.count), 'link');
      button.onclick = () => searchFor(one.type + ' ');
      return button;
    }));
  for (const id of cards.keys())
    if (!objects.some(object => object.id === id)) cards.delete(id);
  if (!objects.length) {
    state.columns = null;
    return $('object-list').replaceChildren(make('p', search ? 'Nothing has this text. Clear the search.' : missing ?
      'No object has changed since.' : 'Nothing is observed yet. An object appears when it is observed.', 'quiet'));
  }
  // Each card goes below the shortest column, so that there are no holes.
  const width = 25 * parseFloat(getComputedStyle(document.documentElement).fontSize);
  const count = Math.max(1, Math.min(objects.length, Math.floor($('object-list').clientWidth / width)));
  const columns = Array.from({ length: count }, () => ({ height: 0, cards: [] }));
  for (const object of objects) {
    const column = columns.reduce((best, one) => one.height < best.height ? one : best);
    column.cards.push(cardOf(object));
    column.height += 3 + cards.get(object.id).card.querySelectorAll('tr').length;
  }
  const key = columns.map(column => column.cards);
  if (state.columns?.length === key.length && key.every((list, index) => list.length === state.columns[index].length &&
      list.every((card, at) => card === state.columns[index][at]))) return;
  state.columns = key;
  $('object-list').replaceChildren(...key.map(list => {
    const column = make('div');
    column.append(...list);
    return column;
  }));
}

function searchFor(text) {
  $('search').value = text;
  send({ search: text });
  draw(true);
}
// The fields are read once, and not for each of thousands of events.
function filter() {
  const object = $('filter-object').value.toLowerCase(),
    key = $('filter-key').value.toLowerCase(),
    thread = $('filter-thread').value;
  const isOfChanges = $('filter-changes').checked;
  return event => (!object || nameOf(event.type, event.objectNumber).toLowerCase().includes(object)) &&
    (!key || (event.keyPath || '').toLowerCase().includes(key)) && (!thread || String(event.thread) === thread) &&
    (!isOfChanges || event.kind === 'change');
}
const wordsOf = event => (event.keyPath || '') + (event.type ? ' of ' + nameOf(event.type, event.objectNumber) : '');
const valuesOf = event => {
  if (event.kind === 'delivery') {
    // What a handler is called with is the change's value, or what was evaluated because of the change.
    const cause = eventAt(event.cause),
      // A path is not evaluated when what it ends at changes.
      isSame = cause && (cause.object === event.object && cause.keyPath === event.keyPath ||
        event.keyPath?.endsWith('.' + cause.keyPath)),
      value = isSame ? cause.newValue : state.results.get(resultKey(event));
    return value == null || event.isPrior ? '' : '= ' + value;
  }
  if (event.oldValue == null && event.newValue == null) return '';
  return (event.kind === 'change' ? (event.oldValue ?? '·') + ' → ' : '= ') + (event.newValue ?? '·');
};
// A row: when, what, of which object, and a bar as long as it took, from where it began in what caused it all.
function eventRow(event, root, count, span) {
  const item = make('li'),
    button = make('button'),
    isRoot = event === root,
    isOpen = state.isAllOpen || state.open.has(root.number);
  button.style.paddingLeft = (.6 + (isRoot ? 0 : event.depth) * 1.1) + 'rem';
  button.style.borderLeftColor = colorOf(event.thread);
  button.title = 'thread ' + event.thread;
  button.dataset.number = event.number;
  if (isRoot && count > 1) button.setAttribute('aria-expanded', isOpen);
  if (event.number === state.explained) button.setAttribute('aria-current', 'true');
  if (isRoot) button.append(make('span', (count > 1 ? (isOpen ? '▾ ' : '▸ ') : '  ') + (event.time / 1e6).toFixed(3) +
    ' s ', 'quiet'));
  button.append(make('span', event.kind + ' ', 'kind ' + event.kind), wordsOf(event) + ' ');
  if (event.elements) button.append(event.elements + ' ');
  if (valuesOf(event)) button.append(make('span', valuesOf(event) + ' ', 'lit'));
  button.append(make('span', (event.isPrior ? 'before the change ' : '') + (event.place || '') + (event.duration ?
      ' · ' + micro(event.duration) : '') +
    (isRoot && count > 1 && !isOpen ? ' · ' + (count - 1) + ' more' : ''), 'quiet'));
  const start = Math.max(0, (event.time - root.time) / span),
    length = Math.min(event.duration / span, 1 - start);
  if (event.duration && start < 1) {
    const bar = make('i', null, event.kind + (event.duration / span > length + .001 ? ' cut' : ''));
    bar.style.left = 70 + 29.5 * start + '%';
    bar.style.width = 'max(2px, ' + 29.5 * length + '%)';
    button.append(bar);
  }
  item.append(button);
  return item;
}

function showEvents(isNow) {
  // The list stays as it is while you read further down.
  const list = $('events'),
    isReading = !state.isPaused && list.scrollTop > 4;
  const all = state.isPaused ? state.shown : isReading ? state.drawn : [...state.events.values()];
  state.drawn = all;
  if (!isNow && isReading) {
    $('event-count').textContent = 'newer events have come; scroll up to see them';
    return;
  }
  // An event that is sent again when it has ended stays in its place. The roots come newest first, each with what it caused after it.
  const found = all.filter(filter()),
    groups = [];
  const rootOf = new Map();
  for (const event of found) {
    const root = rootOf.get(event.cause);
    if (root) {
      root.push(event);
      rootOf.set(event.number, root);
    } else {
      const group = [event];
      groups.push(group);
      rootOf.set(event.number, group);
    }
  }
  // No more rows are made than the window shows, until you scroll.
  const most = list.scrollTop > 4 ? mostRows : Math.min(mostRows, Math.ceil(list.clientHeight / 20));
  const rows = [],
    shown = groups.slice(-most).reverse();
  const isOpen = group => state.isAllOpen || state.open.has(group[0].number);
  const span = Math.max(.1, ...(shown.some(isOpen) ? shown.filter(isOpen) : shown).map(group => group[0].duration ??
    0)) / state.zoom;
  for (const group of shown)
    for (const event of isOpen(group) ? group : group.slice(0, 1))
      if (rows.length < most) rows.push(eventRow(event, group[0], group.length, span));
  $('event-count').textContent = counted(found.length, 'event') + ' in ' + counted(groups.length, 'group') + (state
    .leftOut ? '; ' + whole(state.leftOut) + ' not recorded' : '');
  $('ruler').replaceChildren(...[0, .5, 1].map(part => make('span', micro(span * part))));
  const focused = document.activeElement?.dataset?.number;
  const scroll = list.scrollTop;
  state.isWhole = most === mostRows;
  if (!rows.length) rows.push(make('li', found.length === all.length ?
    'Nothing has happened yet. Change something that is observed.' : 'No event fits the filters.', 'quiet'));
  list.replaceChildren(...rows);
  list.scrollTop = scroll;
  if (focused) $('events').querySelector('[data-number="' + focused + '"]')?.focus({
    preventScroll: true
  });
}
const textOf = event => [event.kind, wordsOf(event), event.elements, valuesOf(event), event.place].filter(Boolean).join(
  ' ');
const shownEvents = () => (state.isPaused ? state.shown : [...state.events.values()]).filter(filter());
const eventsAsText = () => shownEvents().map(event => '  '.repeat(event.depth) + textOf(event) + (event.duration ?
  ' · ' + micro(event.duration) : '') + '\n').join('');
const eventsAsLines = () => shownEvents().map(event => JSON.stringify(event) + '\n').join('');
async function openFile(file) {
  const events = (await file.text()).split('\n').filter(line => line.trim()).map(line => JSON.parse(line));
  const known = new Map(events.map(event => [event.number, event]));
  for (const event of events) event.depth = known.has(event.cause) ? Math.min(known.get(event.cause).depth + 1, 12) :
    0;
  setPaused(true, events);
}

function explain(number) {
  const row = $('events').querySelector('[data-number="' + number + '"]');
  if (row?.hasAttribute('aria-expanded')) {
    if (!state.open.delete(number)) state.open.add(number);
  }
  chooseEvent(number);
}

function chooseEvent(number) {
  state.explained = number;
  send({
    explain: number
  });
  draw(true);
}
// Opens what an event belongs to, and chooses it.
function jump(number) {
  const all = new Map(shownEvents().map(one => [one.number, one]));
  for (let one = all.get(number); one; one = all.get(one.cause)) state.open.add(one.number);
  chooseEvent(number);
  $('events').querySelector('[data-number="' + number + '"]')?.scrollIntoView({
    block: 'nearest'
  });
}
// The sentences, each one but the first leads to its event, and the first to its object.
function showExplanation(message) {
  const sentences = message.sentences ?? [{
      text: message.message
    }],
    event = state.events.get(sentences[0].number);
  $('explanation').replaceChildren(...sentences.map(({
    number,
    text
  }, index) => {
    const line = make('p', index ? null : text);
    if (index) {
      const link = make('button', text, 'link');
      link.onclick = () => jump(number);
      line.append(link);
    }
    return line;
  }));
  if (event?.object) {
    const button = make('button', 'Object');
    button.onclick = () => {
      choosePanel('objects');
      searchFor(nameOf(event.type, event.objectNumber));
    };
    $('explanation').prepend(button);
  }
}

function showHotSpots() {
  const { handlers, evaluations, silent } = state.snapshot ?? {};
  if (!handlers) return;
  const isNamed = handlers.some(one => one.observer);
  const heads = ['Observed', ...isNamed ? ['By'] : [], 'At'];
  const observed = one => [titleOf(one) + ' of ' + one.type, ...isNamed ? [one.observer ?? ''] : [], one.place];
  const times = one => one.recorded ? [micro(one.total), micro(one.longest)] : ['', ''];
  table($('handlers'), [...heads, '#Active', '#Calls', '#Dropped', '#Calls', '#Skipped', '#Total', '#Longest'],
    handlers.map(one => [...observed(one), ...[one.active, one.calls, one.dropped, one.recorded, one.skipped].map(whole),
      ...times(one)
    ]), [['', heads.length], ['All', 3], ['Recorded', 4]]);
  table($('evaluations'), ['Evaluated', '#Evaluations', '#Evaluations', '#Same result', '#Total', '#Longest'],
    evaluations.map(one => [one.keyPath + ' of ' + one.type, ...[one.count, one.recorded, one.unchanged].map(whole),
      ...times(one)
    ]), [['', 1], ['All', 1], ['Recorded', 4]]);
  table($('silent'), [...heads, '#Never called', '#Active', '#Dropped'], silent.map(one => [
    ...observed(one), '× ' + whole(one.silent), whole(one.active), whole(one.dropped)
  ]));
}

const view = {
  x: 20,
  y: 20,
  scale: 1,
  shape: '',
  chosen: null,
  edges: new Map(),
  nodes: new Map(),
  height: 0,
  isMoved: false
};
const svg = (tag, attributes) => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const name in attributes) element.setAttribute(name, attributes[name]);
  return element;
};

function gather() {
  const { objects, classes, handlers } = state.snapshot;
  const nodes = new Map(),
    edges = new Map(),
    alias = new Map(),
    raw = new Map();
  const counts = new Map(classes.map(one => [one.type, one.count]));
  // More than four objects of a class are one, with their number.
  const isFolded = type => (counts.get(type) ?? 0) > 4;
  const placed = (type, id) => isFolded(type) ? type : id;
  const label = one => isFolded(one.type) ? one.type + ' × ' + whole(counts.get(one.type)) : nameOf(one.type, one.number);
  const node = (from, id, kind, title, detail) => {
    if (!nodes.has(id) && nodes.size < 300) nodes.set(id, { id, kind, title, detail });
    else if (kind === 'dependent' && nodes.has(id)) nodes.get(id).kind = kind;
    alias.set(from, id);
  };
  const titles = new Map(objects.flatMap(object => object.observers.map(one => [property(object.id, one.keyPath), titleOf(
    one)])));
  const propertyNode = (one, keyPath, kind = 'property') => {
    const place = /^the expression at (.*)$/.exec(keyPath)?.[1];
    node(property(one.id, keyPath), property(placed(one.type, one.id), keyPath), kind, place ? 'expression of ' + label(
      one) : titles.get(property(one.id, keyPath)) ?? keyPath, place ?? label(one));
  };
  // What a handler sets may lead back.
  const edge = (from, to, isSet = false) => {
    const a = alias.get(from),
      b = alias.get(to);
    if (a === b || !nodes.has(a) || !nodes.has(b)) return;
    edges.set(a + '→' + b, { from: a, to: b, isSet: isSet && (edges.get(a + '→' + b)?.isSet ?? true) });
    raw.set(from + '→' + to, a + '→' + b);
  };
  // What a computed property reads is known of the objects where it is observed, and then of their class.
  const inputs = new Map();
  for (const object of objects)
    for (const dependent of object.dependents)
      inputs.set(property(object.type, dependent.name), new Set([...inputs.get(property(object.type, dependent.name)) ?? [],
        ...dependent.reads.map(read => property(read.type, read.keyPath))
      ]));
  const alive = new Map(objects.map(object => [object.id, object]));
  for (const object of objects) {
    for (const { name, reads } of object.dependents) {
      propertyNode(object, name, 'dependent');
      const own = property(object.id, name),
        found = reads.filter(read => read.id);
      for (const read of found) propertyNode(read, read.keyPath, read.isComputed ? 'dependent' : 'property');
      found.forEach((read, index) => {
        // The getters that have begun before it was read, the last first.
        const getter = found.slice(0, index).findLast(one => one.isComputed && (inputs.get(property(one.type, one
          .keyPath))?.has(property(read.type, read.keyPath)) ?? name.endsWith('.' + one.keyPath)));
        edge(property(read.id, read.keyPath), getter ? property(getter.id, getter.keyPath) : own);
      });
    }
    object.observers.forEach(observer => {
      propertyNode(object, observer.keyPath);
      const place = isFolded(object.type) ? 'r/' + object.type + observer.keyPath + observer.place : handler(observer
        .number);
      handlerNode(object.type, observer, handler(observer.number), place);
      edge(property(object.id, observer.keyPath), handler(observer.number));
    });
  }

  function handlerNode(type, observer, from, id) {
    const kind = state.bindings.has(observer.number) ? 'binding' : 'handler',
      // A label is that of one object.
      name = isFolded(type) ? observer.observer?.replace(/ ?“.*”$/, '') : observer.observer;
    node(from, id, kind, name ? '→ ' + name : observer.place.split('/').at(-1), name ? observer.place : kind + ' for ' +
      observer.keyPath);
  }
  // Those of objects that are not shown.
  for (const one of handlers) {
    const id = 'r/' + one.type + one.keyPath + one.place;
    if (!isFolded(one.type) || !one.active || nodes.has(id)) continue;
    propertyNode({ type: one.type, id: one.type }, one.keyPath);
    handlerNode(one.type, one, id, id);
    edge(property(one.type, one.keyPath), id);
  }
  for (const [from, event] of state.sets.values()) {
    if (!alive.has(event.object) || !alias.has(from)) continue;
    propertyNode(alive.get(event.object), event.keyPath);
    edge(from, property(event.object, event.keyPath), true);
  }
  return { nodes, edges, raw, alias };
}
// Places the nodes in columns, and gives each edge the points that it goes through between the boxes.
function layOut(nodes, edges) {
  // A node stands to the right of all that lead to it. Where there is a circle, what a handler sets leads back.
  const into = new Map([...nodes.keys()].map(id => [id, []])),
    out = new Map([...nodes.keys()].map(id => [id, []]));
  const reaches = (from, to) => {
    const queue = [from],
      seen = new Set(queue);
    for (const next of queue)
      for (const other of out.get(next))
        if (!seen.has(other)) {
          seen.add(other);
          queue.push(other);
        }
    return seen.has(to);
  };
  for (const { from, to } of [...edges.values()].sort((one, other) => one.isSet - other.isSet)) {
    if (reaches(to, from)) continue;
    into.get(to).push(from);
    out.get(from).push(to);
  }
  const layers = new Map();
  const layer = id => {
    if (!layers.has(id)) layers.set(id, Math.max(-1, ...into.get(id).map(layer)) + 1);
    return layers.get(id);
  };
  for (const id of nodes.keys()) layer(id);
  // What nothing leads to stands beside what it leads to.
  for (const [id, others] of out)
    if (!into.get(id).length && others.length) layers.set(id, Math.min(...others.map(layer)) - 1);
  const members = [];
  for (const [id, value] of layers)(members[value] ??= []).push(id);
  const tallest = Math.max(1, ...members.map(ids => ids.length));
  const box = $('svg').getBoundingClientRect();
  // A layer of many boxes takes several columns, where that makes all of them larger.
  const all = most => arrange(nodes, edges, into, members, most, box);
  const first = all(tallest);
  let best = first;
  if (box.width >= 600)
    for (let most = tallest - 1; most >= tallest / 8; most -= Math.ceil(tallest / 30)) {
      const next = all(most);
      if (next.size > Math.max(best.size * 1.02, first.size * 1.25)) best = next;
    }
  // Few more boxes do not move all others.
  const same = view.most && view.most < tallest ? all(view.most) : first;
  if (view.isKept && same.size > best.size * .75) best = same;
  view.most = best === first ? 0 : best.most;
  view.count = best.count;
  return place(best);
}
// The columns, with no more boxes of a layer in one than `most`, and the number of them in a band.
function arrange(nodes, edges, into, members, most, box) {
  const columns = [],
    columnOf = new Map(),
    boxes = new Map();
  for (const ids of members) {
    const length = Math.ceil(ids.length / Math.ceil(ids.length / most));
    for (let start = 0; start < ids.length; start += length) {
      columns.push(ids.slice(start, start + length).map(id => {
        columnOf.set(id, columns.length);
        boxes.set(id, {
          node: nodes.get(id),
          detail: nodes.get(id).detail,
          height: 56
        });
        return boxes.get(id);
      }));
    }
  }
  for (const [id, one] of boxes) one.before = into.get(id).map(from => boxes.get(from));
  const ways = new Map();
  let points = 0;
  for (const [key, { from, to }] of edges) {
    const way = [boxes.get(from)];
    for (let index = columnOf.get(from) + 1; index < columnOf.get(to) && points < 1000; index += 1, points += 1) {
      const point = {
        height: 14,
        before: [way.at(-1)],
        detail: way[0].detail
      };
      way.push(point);
      columns[index].push(point);
    }
    ways.set(key, [...way, boxes.get(to)]);
  }
  // The columns stand in as many bands, one under the other, as make them largest in the window.
  const step = {
    x: 290,
    band: 64
  };
  const heightOf = column => column.reduce((sum, one) => sum + one.height, 0);
  const heights = count => columns.flatMap((_, index) => index % count ? [] : [Math.max(...columns.slice(index, index +
    count).map(heightOf)) + step.band]);
  const sizeOf = count => Math.min(1.4, box.width / (count * step.x), box.height / heights(count).reduce((a, b) => a +
    b, 0));
  const counts = columns.map((_, index) => index + 1);
  // On a narrow screen they stay large enough to read, and the graph is moved.
  const narrow = Math.max(1, Math.floor(box.width / (step.x * .6)));
  const fitting = counts.reduce((best, next) => sizeOf(next) > sizeOf(best) * .95 ? next : best, 1);
  // What is nearly as large as it could be stays.
  const isKept = view.isKept && view.count && sizeOf(view.count) > sizeOf(fitting) * .75;
  const count = box.width < 600 ? narrow : isKept ? view.count : fitting;
  return {
    columns,
    ways,
    step,
    count,
    most,
    bands: heights(count),
    size: sizeOf(count)
  };
}

function place({
  columns,
  ways,
  step,
  count,
  bands
}) {
  columns.forEach((column, index) => {
    // In the order of what leads to them, so that fewer lines cross; else by object.
    const mean = one => one.before.length ? one.before.reduce((sum, other) => sum + (other.y ?? 0), 0) / one.before
      .length : 1e6;
    // What stands in the column already stays where it is, and what is new comes below.
    const old = one => view.nodes.get(one.node?.id)?.column === index ? view.nodes.get(one.node.id).y : 1e5;
    const order = new Map(column.map(one => [one, view.isKept && one.node ? old(one) : mean(one)])),
      band = Math.floor(index / count);
    const top = step.band + bands.slice(0, band).reduce((a, b) => a + b, 0);
    column.sort((a, b) => order.get(a) - order.get(b) || a.detail.localeCompare(b.detail));
    let y = top;
    for (const one of column) {
      Object.assign(one, {
        x: 24 + (index % count) * step.x,
        y,
        top
      });
      if (one.node) Object.assign(one.node, {
        x: one.x,
        y,
        column: index
      });
      y += one.height;
    }
  });
  view.height = bands.reduce((a, b) => a + b, 0);
  return ways;
}
// A line from the right side of what it begins at to the left side of what it ends at.
function line(way, lanes) {
  let path = '';
  way.slice(1).forEach((to, index) => {
    const from = way[index],
      middle = one => one.y + (one.height > 20 ? 21 : 7);
    const [x1, y1, x2, y2] = [from.x + 210, middle(from), to.x, middle(to)];
    path += index ? `L${x1} ${y1}` : `M${x1} ${y1}`;
    if (x2 > x1) path += `C${x1 + 30} ${y1} ${x2 - 30} ${y2} ${x2} ${y2}`;
    else {
      // To the next band, and in a circle back: through the space above it, each on a lane of its own.
      const lane = lanes.count++ % 8;
      path += `h${8 + 4 * lane}V${to.top - 14 - 5 * lane}H${x2 - 12 - 4 * lane}V${y2}H${x2}`;
    }
  });
  return path;
}

function showGraph() {
  if (!state.snapshot) return;
  const {
    nodes,
    edges,
    raw,
    alias
  } = gather();
  view.raw = raw;
  const shape = [...nodes.values()].map(node => node.id + node.kind + node.title).join() + [...edges.keys()].join();
  if (shape !== view.shape) {
    view.shape = shape;
    const ways = layOut(nodes, edges);
    const focused = document.activeElement?.dataset?.node;
    const lanes = { count: 0 };
    view.nodes = nodes;
    view.isKept = true;
    view.edges = new Map();
    const lines = svg('g', {}),
      boxes = svg('g', {});
    for (const [key, { from, to }] of edges) {
      const path = svg('path', {
        class: 'edge',
        d: line(ways.get(key), lanes)
      });
      path.dataset.from = from;
      path.dataset.to = to;
      lines.append(path);
      view.edges.set(key, path);
    }
    for (const node of nodes.values()) {
      const box = svg('g', {
        class: 'node ' + node.kind,
        transform: `translate(${node.x} ${node.y})`,
        tabindex: 0,
        role: 'button',
        'aria-label': node.kind + ' ' + node.title + ', ' + node.detail
      });
      box.dataset.node = node.id;
      const cut = (text, most) => text.length > most ? '…' + text.slice(1 - most) : text;
      const title = svg('text', {
          x: 8,
          y: 17
        }),
        detail = svg('text', {
          x: 8,
          y: 33,
          class: 'quiet'
        });
      title.textContent = cut(node.title, 27);
      detail.textContent = cut(node.detail, 32);
      const full = svg('title', {});
      full.textContent = node.title + ' — ' + node.detail;
      box.append(full, svg('rect', {
        width: 210,
        height: 42,
        rx: 5
      }), title, detail);
      boxes.append(box);
    }
    view.hasLanes = lanes.count > 0;
    $('scene').replaceChildren(lines, boxes);
    if (focused)[...boxes.children].find(box => box.dataset.node === focused)?.focus({
      preventScroll: true
    });
    if (!view.isMoved) fit();
    if (view.chosen && !nodes.has(view.chosen)) view.chosen = null;
    choose(view.chosen);
    $('graph-note').textContent = nodes.size + ' nodes, ' + edges.size + ' edges' + (nodes.size >= 300 ?
      '; more are not shown' : '') + (state.snapshot.objects.length < state.snapshot.objectCount ? ', of ' + whole(state
      .snapshot.objects.length) + ' of ' + counted(state.snapshot.objectCount, 'object') : '') + '.';
  }
  const now = performance.now(),
    event = state.isPaused ? steps().find(one => one.number === state.explained) : null;
  const keys = event ? edgesOf(event).map(([from, to]) => from + '→' + to) : state.isPaused ? [] : [...state.lit]
    .filter(one => now - one[1] < 700).map(one => one[0]);
  const lit = new Set(keys.map(key => raw.get(key)));
  for (const [key, path] of view.edges) path.classList.toggle('lit', lit.has(key));
  const current = event && new Set([alias.get(property(event.object, event.keyPath)), alias.get(handler(event
    .registration))]);
  for (const box of $('scene').querySelectorAll('.node')) box.classList.toggle('now', !!current && current.has(box
    .dataset.node));
  $('graph-step').textContent = event ? textOf(event) : state.isPaused ? 'Paused: go through the events one by one.' :
    nodes.size ? 'Choose a node to see what it is connected to.' : 'No object is known yet.';
}
// What can be gone through one by one while it is paused.
const steps = () => state.shown.filter(event => ['change', 'evaluation', 'delivery', 'binding'].includes(event.kind));

function stepBy(step) {
  const all = steps(),
    at = all.findIndex(event => event.number === state.explained);
  const next = all[at < 0 ? (step > 0 ? 0 : all.length - 1) : Math.max(0, Math.min(all.length - 1, at + step))];
  if (next) chooseEvent(next.number);
}

function move() {
  $('scene').setAttribute('transform', `translate(${view.x} ${view.y}) scale(${view.scale})`);
}

function fit() {
  const all = [...view.nodes.values()],
    box = $('svg').getBoundingClientRect();
  if (!all.length || !box.width) return;
  const width = Math.max(...all.map(node => node.x)) + 234,
    height = view.height;
  view.scale = Math.max(box.width < 600 ? .6 : .2, Math.min(1.4, (box.width - 40) / width, (box.height - 40) / height));
  view.x = Math.max(8, (box.width - width * view.scale) / 2);
  // Above the boxes there is space for lines that run back.
  view.y = view.hasLanes ? 8 : 20 - 50 * view.scale;
  move();
}

function scale(factor, x = $('svg').clientWidth / 2, y = $('svg').clientHeight / 2) {
  const scale = Math.max(.1, Math.min(4, view.scale * factor));
  view.x = x - (x - view.x) * scale / view.scale;
  view.y = y - (y - view.y) * scale / view.scale;
  view.scale = scale;
  view.isMoved = true;
  move();
}

function choose(id) {
  view.chosen = id;
  const near = new Set([id]);
  const follow = (end, other) => {
    const queue = [id];
    for (const next of queue)
      for (const path of view.edges.values())
        if (path.dataset[end] === next && !queue.includes(path.dataset[other])) {
          queue.push(path.dataset[other]);
          near.add(path.dataset[other]);
        }
  };
  if (id) {
    follow('from', 'to');
    follow('to', 'from');
  }
  for (const box of $('scene').querySelectorAll('.node')) {
    box.classList.toggle('dim', !!id && !near.has(box.dataset.node));
    box.classList.toggle('chosen', box.dataset.node === id);
  }
  for (const path of view.edges.values()) path.classList.toggle('dim', !!id && !(near.has(path.dataset.from) && near
    .has(path.dataset.to)));
}
let drag = null;
$('svg').addEventListener('pointerdown', event => {
  if (!event.target.closest('.node')) drag = {
    x: event.clientX - view.x,
    y: event.clientY - view.y
  };
});
window.addEventListener('pointermove', event => {
  if (drag) {
    view.x = event.clientX - drag.x;
    view.y = event.clientY - drag.y;
    view.isMoved = true;
    move();
  }
});
window.addEventListener('pointerup', () => {
  drag = null;
});
$('svg').addEventListener('wheel', event => {
  event.preventDefault();
  scale(event.deltaY < 0 ? 1.1 : 1 / 1.1, event.offsetX, event.offsetY);
}, {
  passive: false
});
$('svg').addEventListener('click', event => {
  const box = event.target.closest('.node');
  if (box) choose(box.dataset.node === view.chosen ? null : box.dataset.node);
});
$('svg').addEventListener('keydown', event => {
  const steps = {
      ArrowLeft: [40, 0],
      ArrowRight: [-40, 0],
      ArrowUp: [0, 40],
      ArrowDown: [0, -40]
    },
    step = steps[event.key];
  if (step) {
    view.x += step[0];
    view.y += step[1];
    view.isMoved = true;
    move();
  } else if (event.key === '+') scale(1.2);
  else if (event.key === '-') scale(1 / 1.2);
  else if (event.key === 'Escape') choose(null);
  else if ((event.key === 'Enter' || event.key === ' ') && event.target.closest('.node')) choose(event.target
    .closest('.node').dataset.node);
  else return;
  event.preventDefault();
});
$('fit').onclick = () => {
  view.isMoved = view.isKept = false;
  view.shape = '';
  showGraph();
};
window.addEventListener('resize', () => {
  if (state.view === 'graph') $('fit').onclick();
});
$('zoom-in').onclick = () => scale(1.2);
$('zoom-out').onclick = () => scale(1 / 1.2);
$('show-all').onclick = () => choose(null);

let socket = null,
  needsDrawing = false,
  lastDrawn = 0;
const show = {
  objects: showObjects,
  graph: showGraph,
  timeline: showEvents,
  hotspots: showHotSpots
};

function draw(isNow) {
  if (isNow) {
    show[state.view](true);
    return;
  }
  if (needsDrawing) return;
  needsDrawing = true;
  // Eight times a second is enough to read.
  setTimeout(() => requestAnimationFrame(() => {
    needsDrawing = false;
    lastDrawn = performance.now();
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
    tab.setAttribute('aria-selected', isChosen);
    tab.tabIndex = isChosen ? 0 : -1;
    tab.setAttribute('aria-controls', tab.dataset.view);
    $(tab.dataset.view).hidden = !isChosen;
  }
  draw(true);
  if (name === 'graph' && !view.isMoved) $('fit').onclick();
}

function send(message) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

function connect() {
  socket = new WebSocket('ws://' + location.host + '/events' + location.search);
  socket.onopen = () => {
    // Numbers and objects may be those of another run of the program.
    state.open.clear();
    state.events.clear();
    state.lit.clear();
    state.sets.clear();
    state.bindings.clear();
    state.results.clear();
    state.leftOut = 0;
    $('status').textContent = 'Connected';
    if ($('search').value) searchFor($('search').value);
  };
  socket.onmessage = ({
    data
  }) => {
    const message = JSON.parse(data);
    if (message.type === 'events') add(message);
    else if (message.type === 'snapshot') {
      state.snapshot = message;
      state.isFresh = true;
    } else showExplanation(message);
    draw(false);
  };
  socket.onclose = () => {
    $('status').textContent = 'Not connected; trying again';
    setTimeout(connect, 1000);
  };
}
for (const tab of document.querySelectorAll('[role=tab]')) {
  tab.onclick = () => choosePanel(tab.dataset.view);
  tab.onkeydown = event => {
    const tabs = [...document.querySelectorAll('[role=tab]')],
      step = {
        ArrowRight: 1,
        ArrowLeft: -1
      } [event.key];
    if (!step) return;
    const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
    next.focus();
    choosePanel(next.dataset.view);
  };
}
$('search').oninput = () => searchFor($('search').value);
for (const id of ['filter-object', 'filter-key', 'filter-thread', 'filter-changes']) $(id).oninput = () => draw(true);
for (const id of ['pause', 'graph-pause']) $(id).onclick = () => setPaused(!state.isPaused);
$('back').onclick = () => stepBy(-1);
$('forward').onclick = () => stepBy(1);
$('wider').onclick = () => {
  state.zoom *= 2;
  draw(true);
};
$('closer').onclick = () => {
  state.zoom = Math.max(1, state.zoom / 2);
  draw(true);
};
$('events').addEventListener('scroll', () => {
  if (!state.isWhole && $('events').scrollTop > 4) draw(true);
});
$('open-all').onclick = () => {
  state.isAllOpen = !state.isAllOpen;
  $('open-all').setAttribute('aria-pressed', state.isAllOpen);
  draw(true);
};
$('copy').onclick = () => navigator.clipboard?.writeText(eventsAsText());
$('export').onclick = () => {
  const link = make('a');
  link.href = URL.createObjectURL(new Blob([eventsAsLines()], {
    type: 'application/jsonl'
  }));
  link.download = 'events.jsonl';
  link.click();
  URL.revokeObjectURL(link.href);
};
$('open-file').onchange = event => {
  if (event.target.files[0]) openFile(event.target.files[0]);
};
$('find').oninput = () => {
  const text = $('find').value.toLowerCase();
  for (const box of $('scene').querySelectorAll('.node')) box.classList.toggle('dim', !!text && !box.textContent
    .toLowerCase().includes(text));
};
// The row may be replaced between the press and the release of a button: the press counts.
$('events').addEventListener('pointerdown', event => {
  const row = event.target.closest('button');
  if (row && event.button === 0) explain(+row.dataset.number);
});
$('events').addEventListener('click', event => {
  const row = event.target.closest('button');
  if (row && event.detail === 0) explain(+row.dataset.number);
});
$('events').addEventListener('keydown', event => {
  const row = event.target.closest('li'),
    next = event.key === 'ArrowDown' ? row?.nextSibling : event.key === 'ArrowUp' ? row?.previousSibling : null;
  if (next) {
    event.preventDefault();
    next.firstChild.focus();
  }
});
// While an edge is lit, it has to be drawn again to go out.
setInterval(() => {
  if (state.view === 'graph' && state.snapshot) draw(false);
}, 350);
choosePanel('objects');
connect();
