// What the reader chose, kept in the address behind `#`, so that a view can be bookmarked and sent to others.

const DATA = JSON.parse(byId('data').textContent);
DATA.tables.forEach((table, place) => { table.place = place; });

// Every choice with the value it has when the address says nothing.
const DEFAULTS = { table: '0', class: '', dataset: '', min: '', max: '', graph: '', implementation: '', unseen: '', pick: '', variant: '', bars: 'slowest', steps: 'time', heat: 'class', sort: 'total', model: '', theme: '' };
let state = readState();

function readState() {
  const given = new URLSearchParams(location.hash.slice(1));
  return Object.fromEntries(Object.entries(DEFAULTS).map(([key, value]) => [key, given.get(key) ?? value]));
}
function set(changes) {
  Object.assign(state, changes);
  const kept = Object.entries(state).filter(([key, value]) => value !== DEFAULTS[key]);
  history.replaceState(null, '', '#' + new URLSearchParams(kept));
  draw();
}
addEventListener('hashchange', () => {
  // Links to sections use the same part of the address.
  if (byId(location.hash.slice(1))) return;
  state = readState();
  draw();
});

// Several names in one choice; names may hold anything but a newline.
const listed = key => state[key] === '' ? [] : state[key].split('\n');
const toggled = (key, name) => (listed(key).includes(name) ? listed(key).filter(one => one !== name) : [...listed(key), name]).join('\n');

// What is left of a table under the filters.
function view() {
  const table = DATA.tables[state.table] || DATA.tables[0];
  const classes = listed('class'), datasets = listed('dataset');
  const words = state.graph.toLowerCase().split(/\s+/).filter(Boolean);
  const model = DATA.models.find(one => one.table === table.place && one.name === state.unseen && one.unseen);
  const unseen = model ? new Set(model.unseen) : null;
  const fits = table.graphs.map((graph, place) => {
    const text = `${graph.name} ${graph.class} ${graph.dataset}`.toLowerCase();
    return (!classes.length || classes.includes(graph.class)) && (!datasets.length || datasets.includes(graph.dataset)) &&
      (state.min === '' || graph.edges >= Number(state.min)) && (state.max === '' || graph.edges < Number(state.max)) &&
      words.every(word => text.includes(word)) && (!unseen || unseen.has(place));
  });
  const variants = table.variants.graph.map((graph, variant) => variant).filter(variant => fits[table.variants.graph[variant]]);
  const byGraph = new Map();
  for (const variant of variants) {
    const graph = table.variants.graph[variant];
    if (!byGraph.has(graph)) byGraph.set(graph, []);
    byGraph.get(graph).push(variant);
  }
  const wanted = state.implementation.toLowerCase();
  const entries = entriesOf(table);
  const rows = entries.map(entry => figures(table, entry, variants)).filter(Boolean).sort((a, b) => a.total - b.total);
  const shown = rows.filter(row => row.entry.kind === 'oracle' || row.entry.key.toLowerCase().includes(wanted));
  const named = listed('pick').filter(key => rows.some(row => row.entry.key === key));
  // Models first of all: how they do is what a reader wants to know.
  const drawable = shown.filter(row => row.entry.key !== 'Optimal'), models = drawable.filter(row => row.entry.kind === 'model').slice(0, 2);
  const others = drawable.filter(row => !models.includes(row)).slice(0, 6 - models.length);
  const usual = drawable.filter(row => models.includes(row) || others.includes(row));
  const chosen = named.length ? named : usual.map(row => row.entry.key);
  const picked = chosen.map(key => rows.find(row => row.entry.key === key)).filter(Boolean);
  return { table, variants, byGraph, rows, shown, picked, color: key => color(chosen.indexOf(key)), isPicked: key => chosen.includes(key), chosen };
}
const variantName = (table, variant) => `${table.graphs[table.variants.graph[variant]].name} · ${table.variants.config[variant]}`;
const graphLines = graph => [['class', graph.class], ['dataset', graph.dataset], ['vertices', grouped(graph.vertices)], ['edges', grouped(graph.edges)]];
