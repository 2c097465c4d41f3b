// The bar of filters; they act on every view.

// Sizes that a reader can cut at: powers of ten within the table.
function sizes(table) {
  const edges = table.graphs.map(graph => graph.edges);
  const low = Math.floor(Math.log10(Math.max(1, Math.min(...edges)))), high = Math.ceil(Math.log10(Math.max(10, Math.max(...edges) + 1)));
  const list = [];
  for (let power = low; power <= high; power++) list.push(10 ** power);
  return list;
}
const unique = list => [...new Set(list)].sort();

function chips(label, key, names) {
  if (names.length < 2) return null;
  const all = h('button', { type: 'button', class: 'chip', 'aria-pressed': String(!listed(key).length), text: 'all', onclick: () => set({ [key]: '' }) });
  const field = names.length > 9
    ? select(label, [['', 'all'], ...names.map(name => [name, name])], state[key], value => set({ [key]: value }))
    : h('span', { class: 'row' }, all, names.map(name =>
      h('button', { type: 'button', class: 'chip', 'aria-pressed': String(listed(key).includes(name)), text: name || 'none', onclick: () => set({ [key]: toggled(key, name) }) })));
  return h('div', { class: 'field' }, label, field);
}

function search(label, key, example) {
  return h('label', { class: 'field' }, label, h('input', { type: 'search', id: 'search-' + key, value: state[key], placeholder: example, size: 16, oninput: event => {
    set({ [key]: event.target.value });
    // The bar was drawn again: go on where the reader was typing.
    const field = byId('search-' + key);
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
  } }));
}

function drawFilters(now) {
  const { table } = now, bounds = sizes(table);
  const range = (key, text) => select(text, [['', text], ...bounds.map(size => [String(size), short(size)])], state[key], value => set({ [key]: value }));
  const models = DATA.models.filter(model => model.table === table.place && model.unseen);
  const tables = DATA.tables.map((one, place) => [place, `${one.program} · ${one.platform}`]);
  const isFiltered = ['class', 'dataset', 'min', 'max', 'graph', 'implementation', 'unseen'].some(key => state[key] !== '');
  const bar = [
    tables.length > 1 ? h('div', { class: 'field' }, 'measurements', select('measurements', tables, table.place, value => set({ ...DEFAULTS, theme: state.theme, table: value }))) : null,
    chips('class', 'class', unique(table.graphs.map(graph => graph.class))),
    chips('dataset', 'dataset', unique(table.graphs.map(graph => graph.dataset))),
    h('div', { class: 'field' }, 'edges', h('span', { class: 'row' }, range('min', 'from'), range('max', 'below'))),
    search('graph', 'graph', 'name'), search('implementation', 'implementation', 'name'),
    models.length ? h('div', { class: 'field' }, 'only graphs unseen by', select('only graphs unseen by', [['', 'all graphs'], ...models.map(model => [model.name, model.name])], state.unseen, value => set({ unseen: value }))) : null,
    isFiltered ? h('button', { type: 'button', id: 'reset', text: 'clear filters', onclick: () => set({ class: '', dataset: '', min: '', max: '', graph: '', implementation: '', unseen: '' }) }) : null,
    h('div', { class: 'count', id: 'count' }, h('b', { text: grouped(now.byGraph.size) }), ` of ${plural(table.graphs.length, 'graph')}`, h('br'), h('b', { text: grouped(now.variants.length) }), ` of ${plural(table.variants.graph.length, 'variant')}`),
  ];
  byId('filters').replaceChildren(...bar.filter(Boolean));
}

function drawTheme() {
  const options = [['', 'auto'], ['light', 'light'], ['dark', 'dark']];
  byId('theme').replaceChildren(choice('colours', options, state.theme, theme => set({ theme })));
  const dark = state.theme === 'dark' || (state.theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
}
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => draw());
