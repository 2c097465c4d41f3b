// The heat map: graphs by implementations, coloured by the ratio to the optimum.

const ROWS_DRAWN = 250, WORST_SHOWN = 20;

function heatmap(now) {
  const { table } = now, columns = now.shown.filter(row => row.entry.key !== 'Optimal');
  const orders = {
    class: (a, b) => a.class.localeCompare(b.class) || a.edges - b.edges,
    size: (a, b) => a.edges - b.edges,
    name: (a, b) => a.name.localeCompare(b.name),
  };
  const order = orders[state.heat] || orders.class;
  const graphs = [...now.byGraph.keys()].sort((a, b) => order(table.graphs[a], table.graphs[b])).slice(0, ROWS_DRAWN);
  const left = 20 + Math.max(...graphs.map(graph => textWidth(cut(table.graphs[graph].name, 28), 12))) + 16 + Math.max(...graphs.map(graph => textWidth(table.graphs[graph].class, 11)));
  const size = columns.length > 40 ? 17 : columns.length > 18 ? 24 : 46, high = 20;
  const names = columns.map(row => cut(row.entry.key, 34)), top = 14 + Math.max(...names.map(name => textWidth(name, 12))) * 0.86;
  const paint = ramp(), width = left + columns.length * size + top * 0.6 + 10;
  const cells = graphs.map((graph, y) => columns.map((row, x) => {
    const known = now.byGraph.get(graph).filter(variant => row.entry.time(variant) !== null);
    const ratio = known.length ? geometric(known.map(variant => row.entry.time(variant) / table.variants.optimum[variant])) : null;
    const look = ratio === null ? { fill: 'var(--missing)' } : paint(Math.log(ratio) / Math.log(WORST_SHOWN));
    return [
      s('rect', { class: 'cell hot', x: left + x * size, y: top + y * high, width: size - 1, height: high - 1, fill: look.fill, onclick: () => set({ variant: firstWithSteps(now, graph) }),
        tip: () => ({ title: `${row.entry.key} on ${table.graphs[graph].name}`, lines: [['ratio to the optimum', times(ratio)], ['mean time', known.length ? seconds(mean(known.map(row.entry.time))) : 'not measured'], ['variants', grouped(known.length)], ...graphLines(table.graphs[graph])] }) }),
      size > 40 && ratio !== null ? s('text', { x: left + x * size + size / 2, y: top + y * high + 14, 'text-anchor': 'middle', style: `fill:${look.ink};pointer-events:none;font-size:11px`, text: ratio < 9.95 ? ratio.toFixed(1) : grouped(ratio) }) : null,
    ];
  }));
  const svg = drawing(width, top + graphs.length * high + 6, 'ratio to the optimum by graph and implementation',
    names.map((name, x) => { const at = left + x * size + size / 2; return s('text', { x: at, y: top - 6, transform: `rotate(-58 ${at} ${top - 6})`, text: name }); }),
    graphs.map((graph, y) => [
      s('text', { x: left - 8, y: top + y * high + 14, 'text-anchor': 'end', text: cut(table.graphs[graph].name, 28) }),
      s('text', { class: 'soft', x: 0, y: top + y * high + 14, style: 'font-size:11px', text: table.graphs[graph].class }),
    ]), cells);
  const more = now.byGraph.size > graphs.length ? h('p', { class: 'note', text: `${ROWS_DRAWN} of ${now.byGraph.size} graphs are drawn; filters bring in the others.` }) : null;
  return [heatScale('ratio to the optimum', paint), h('div', { class: 'scroll', style: 'max-height:46rem' }, svg), more];
}
function heatScale(title, paint) {
  const part = (fill, text) => h('span', {}, h('span', { class: 'swatch', style: 'background:' + fill }), text);
  return h('div', { class: 'legend' }, title, [1, 1.5, 2, 3, 5, 10, 20].map(ratio => part(paint(Math.log(ratio) / Math.log(WORST_SHOWN)).fill, (ratio === WORST_SHOWN ? '≥' : '') + ratio + '×')), part('var(--missing)', 'not measured'));
}

// The steps of one variant by all implementations, coloured by the ratio to the best of the step.
function stepHeat(now, variant, held, best) {
  const { table } = now, paint = ramp();
  const rows = now.shown.map(row => ({ row, ...stepTimes(row.entry, table, held, variant) })).filter(one => one.values && one.values.some(value => value !== null && value !== undefined));
  if (!rows.length) return empty('No implementation of this name has times of steps.');
  const left = 16 + Math.max(...rows.map(one => textWidth(cut(one.row.entry.key, 34), 12))), wide = Math.max(14, Math.min(44, 1100 / held.time.length)), high = 19, top = 24, every = labelStride(held.time.map((_, step) => stepName(held, step)), wide);
  const svg = drawing(left + held.time.length * wide + 10, top + rows.length * high + 4, 'ratio to the best of each step',
    held.time.map((times_, step) => step % every ? null : s('text', { class: 'soft', x: left + step * wide + wide / 2, y: 14, 'text-anchor': 'middle', text: stepName(held, step) })),
    rows.map((one, y) => [
      s('text', { x: left - 8, y: top + y * high + 14, 'text-anchor': 'end', text: cut(one.row.entry.key, 34) }),
      one.values.map((value, step) => s('rect', { class: 'step-cell', x: left + step * wide, y: top + y * high, width: wide - 1, height: high - 1, fill: value === null ? 'var(--missing)' : paint(Math.log(value / best[step]) / Math.log(WORST_SHOWN)).fill,
        tip: () => ({ title: `${one.row.entry.key}, step ${stepName(held, step)}`, lines: [['time', seconds(value)], ['by the best of the step', value === null ? '–' : times(value / best[step])], one.chosen ? ['chose', one.chosen[step]] : null, ['frontier', grouped(held.frontier[step])], ['edges of the frontier', grouped(held.edges[step])]].filter(Boolean) }) })),
    ]));
  return [heatScale('time by the best of the step', paint), h('div', { class: 'scroll', style: 'max-height:46rem' }, svg), aboutSteps(now, variant, held)];
}
const heatmapControls = () => ['order of graphs', choice('order of graphs', [['class', 'class'], ['size', 'size'], ['name', 'name']], state.heat, heat => set({ heat }))];
