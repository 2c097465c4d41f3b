// The sections of the page, drawn again whenever a choice changes.

const VIEWS = [
  ['overview', 'At a glance', '', overview],
  ['comparison', 'Comparison', 'Times in relation to the optimum, which takes the best implementation at every step and switches for free. Tick rows to draw them below.', comparison],
  ['totals', 'Totals by graph', 'Summed over the variants of each graph, small graphs first. A click shows the steps.', totals, totalsControls],
  ['steps', 'Step by step', 'One variant, every step, for each implementation that is drawn, or for all of them as a heat map.', steps, stepsControls],
  ['heatmap', 'Graphs by implementations', 'The geometric mean over the variants of a graph of the ratio to the optimum; implementations with the least total come first. A click shows the steps.', heatmap, heatmapControls],
  ['regret', 'Distance from the optimum', 'How the ratios to the optimum are distributed over the variants.', regret],
  ['models', 'Models', '', models, modelControls],
  ['worth', 'Worth a look', 'Variants at the extremes. A click shows the steps.', worth],
];

function section([id, title, about, content, controls], now) {
  const hasData = now && now.variants.length && now.rows.some(row => row.entry.kind === 'core');
  const body = !now ? empty('There are no measurements in this report.') : !hasData ? empty('No variant is left under these filters.') : content(now);
  const extra = hasData && controls ? controls(now) : null;
  return h('section', { id }, h('div', { class: 'head' }, h('h2', { text: title }), extra ? h('div', { class: 'controls' }, extra) : null), about ? h('p', { class: 'about', text: about }) : h('p', {}), body);
}

function draw() {
  drawTheme();
  const now = DATA.tables.length ? view() : null;
  if (now) drawFilters(now);
  const table = now && now.table;
  byId('subtitle').textContent = table ? `${table.program} on ${table.platform} · ${DATA.created}` : DATA.created;
  byId('nav').replaceChildren(...VIEWS.map(([id, title]) => h('a', { href: '#' + id, text: title, onclick: event => { event.preventDefault(); byId(id).scrollIntoView({ behavior: 'smooth' }); } })));
  const scrolled = [...document.querySelectorAll('.scroll')].map(box => [box.scrollLeft, box.scrollTop]), top = scrollY;
  byId('views').replaceChildren(...VIEWS.map(one => section(one, now)));
  document.querySelectorAll('.scroll').forEach((box, i) => { if (scrolled[i]) [box.scrollLeft, box.scrollTop] = scrolled[i]; });
  scrollTo(0, top);
  const notes = [...(table ? table.notes : []), ...DATA.notes].map(note => h('p', { text: note }));
  byId('footer').replaceChildren(...notes, h('p', { text: `Made by Graphwright ${DATA.version}. Numbers have 4 significant digits. This page needs no network.` }));
}
draw();
