// At a glance, and the table of the comparison.

function overview(now) {
  const { table, rows, variants } = now;
  const named = rows.filter(row => row.entry.kind === 'core'), models = rows.filter(row => row.entry.kind === 'model');
  const core = named.map(row => row.entry);
  const winners = new Set(variants.map(variant => core.reduce((best, one) => one.time(variant) < best.time(variant) ? one : best).key));
  const single = rows.find(row => row.entry.key === 'Best Non-switching');
  const tile = (value, text) => h('div', { class: 'tile' }, h('b', { text: value }), h('span', { text }));
  return h('div', { class: 'tiles' },
    tile(grouped(now.byGraph.size), `graphs, ${plural(variants.length, 'variant')}`),
    tile(grouped(named.length), 'implementations with fixed schedules'),
    tile(grouped(winners.size), 'of them are the best one of some variant'),
    tile(times(single.total), 'Best Non-switching: total time by the optimum'),
    tile(times(named[0].total), `best fixed one: ${named[0].entry.key}`),
    models.length ? tile(times(models[0].total), `best model: ${models[0].entry.model.name}`) : null);
}

const COLUMNS = [
  ['total', 'Total', times, 'summed time by the summed optimum: long runs decide'],
  ['average', 'Avg', times, 'mean ratio to the optimum: each variant weighs the same'],
  ['geometric', 'GeoMean', times, 'geometric mean of the ratios'],
  ['under2', '1-2×', percent, 'variants less than twice the optimum'],
  ['over5', '>5×', percent, 'variants more than 5 times the optimum'],
  ['over20', '>20×', percent, 'variants more than 20 times the optimum'],
  ['worst', 'Worst', times, 'the greatest ratio'],
];

function comparison(now) {
  const order = COLUMNS.some(([key]) => key === state.sort) ? state.sort : 'total';
  const sign = order === 'under2' ? -1 : 1;
  const rows = [...now.shown].sort((a, b) => sign * (a[order] - b[order]));
  const widest = Math.log(Math.max(2, ...rows.map(row => row.total)));
  const head = h('tr', {}, h('th', { text: 'drawn' }), h('th', { text: 'implementation' }), COLUMNS.map(([key, text, , meaning]) =>
    h('th', { class: 'number' }, h('button', { type: 'button', title: meaning, 'aria-sort': key === order ? 'ascending' : null, text: text + (key === order ? ' ▾' : ''), onclick: () => set({ sort: key }) }))), h('th', { text: 'Total, log scale' }));
  const body = rows.map(row => {
    const { key, kind, detail } = row.entry;
    const pick = key === 'Optimal' ? null : h('label', { class: 'pick' },
      h('input', { type: 'checkbox', checked: now.isPicked(key), 'aria-label': 'draw ' + key, onchange: () => pickEntry(now, key) }));
    const swatch = now.isPicked(key) ? h('span', { class: 'swatch', style: 'background:' + now.color(key) }) : null;
    const partial = row.known.length < now.variants.length ? h('span', { class: 'tag', text: `${row.known.length} of ${now.variants.length} variants` }) : null;
    return h('tr', { class: kind, 'data-name': key },
      h('td', {}, pick), h('td', { tip: () => ({ title: key, lines: [[kind === 'core' ? 'schedule' : 'kind', detail]] }) }, swatch, cut(key, 60), kind === 'core' || kind === 'oracle' ? null : h('span', { class: 'tag', text: kind }), partial),
      COLUMNS.map(([column, , text]) => h('td', { class: 'number', text: text(row[column]) })),
      h('td', {}, h('div', { class: 'track' }, h('i', { style: `width:${100 * Math.log(Math.max(1, row.total)) / widest}%` }))));
  });
  return h('div', { class: 'scroll tall' }, h('table', { id: 'comparison-table' }, h('thead', {}, head), h('tbody', {}, body)));
}

// At most eight are drawn: there are no more colours that all readers can tell apart.
function pickEntry(now, key) {
  const chosen = now.isPicked(key) ? now.chosen.filter(one => one !== key) : [...now.chosen, key].slice(-8);
  set({ pick: chosen.join('\n') });
}

function legend(now) {
  return h('div', { class: 'legend' }, now.picked.map(row => h('span', {}, h('span', { class: 'swatch', style: 'background:' + now.color(row.entry.key) }), cut(row.entry.key, 48))));
}
