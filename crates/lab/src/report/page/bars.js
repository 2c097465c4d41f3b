// Bars of the drawn implementations: totals by graph, and the steps of one variant.

const GRAPHS_DRAWN = 200;

function totals(now) {
  const { table, picked } = now;
  const graphs = [...now.byGraph.keys()].sort((a, b) => table.graphs[a].edges - table.graphs[b].edges).slice(0, GRAPHS_DRAWN);
  const isSlowest = state.bars === 'slowest';
  const groups = graphs.map(graph => {
    const variants = now.byGraph.get(graph);
    const values = picked.map(row => variants.every(variant => row.entry.time(variant) !== null) ? sum(variants.map(row.entry.time)) : null);
    const by = isSlowest ? Math.max(...values.filter(value => value !== null)) : sum(variants.map(variant => table.variants.optimum[variant]));
    return { graph, values, shares: values.map(value => value === null ? null : value / by) };
  });
  const bar = 11, gap = 16, left = 52, top = 10, tall = 230;
  const longest = Math.max(...graphs.map(graph => textWidth(cut(table.graphs[graph].name, 20), 12)));
  // Names hang below at 38 degrees: so much lower, and so much further to the right than the last bar.
  const low = 34 + 0.62 * longest, beyond = 20 + 0.79 * longest;
  const wide = Math.max(24, picked.length * bar + gap), width = Math.max(320, left + groups.length * wide + beyond);
  const most = Math.max(1, ...groups.flatMap(group => group.shares));
  const y = isSlowest ? linear(0, 1, top + tall, top) : logarithmic(1, Math.max(2, most * 1.05), top + tall, top);
  const svg = drawing(width, top + tall + low, 'total time by graph',
    y.ticks.map(tick => [s('line', { class: 'grid', x1: left, x2: width - beyond, y1: y(tick), y2: y(tick) }), s('text', { class: 'soft', x: left - 6, y: y(tick) + 4, 'text-anchor': 'end', text: isSlowest ? percent(tick) : significant(tick, 1) + '×' })]),
    groups.map((group, place) => {
      const at = left + gap / 2 + place * wide, name = table.graphs[group.graph].name;
      const middle = at + picked.length * bar / 2;
      return [
        group.shares.map((share, i) => share === null ? null : s('rect', { class: 'bar hot', x: at + i * bar, width: bar - 1.5, y: Math.min(y(share), top + tall - 1), height: Math.max(1, top + tall - y(share)), rx: 1.5, fill: now.color(picked[i].entry.key),
          onclick: () => set({ variant: firstWithSteps(now, group.graph) }),
          tip: () => ({ title: `${picked[i].entry.key} on ${name}`, lines: [['time', seconds(group.values[i])], [isSlowest ? 'of the slowest drawn' : 'by the optimum', isSlowest ? percent(share) : times(share)], ...graphLines(table.graphs[group.graph])] }) })),
        s('text', { x: middle, y: top + tall + 14, transform: `rotate(38 ${middle} ${top + tall + 14})`, text: cut(name, 20) }),
      ];
    }),
    s('line', { class: 'axis', x1: left, x2: width - beyond, y1: top + tall, y2: top + tall }));
  const more = now.byGraph.size > graphs.length ? h('p', { class: 'note', text: `The ${GRAPHS_DRAWN} smallest of ${now.byGraph.size} graphs are drawn; filters bring in others.` }) : null;
  return [legend(now), h('div', { class: 'scroll' }, svg), more];
}
const totalsControls = () => choice('scale of the bars', [['slowest', 'share of the slowest drawn'], ['optimum', 'by the optimum']], state.bars, bars => set({ bars }));

// The variant of a graph whose steps are in the page, by the name it has in the address.
function firstWithSteps(now, graph) {
  const list = now.byGraph.get(graph), found = list.find(variant => now.table.steps[variant]);
  return variantName(now.table, found === undefined ? list[0] : found);
}
function chosenVariant(now) {
  const { table, variants } = now, held = variants.filter(variant => table.steps[variant]);
  const named = variants.find(variant => variantName(table, variant) === state.variant);
  return named !== undefined ? named : held.find(variant => table.steps[variant].time.length > 3) ?? held[0];
}

function stepsControls(now) {
  const { table } = now, variant = chosenVariant(now);
  const options = now.variants.filter(one => table.steps[one]).map(one => [variantName(table, one), variantName(table, one)]);
  if (variant !== undefined && !table.steps[variant]) options.unshift([variantName(table, variant), variantName(table, variant)]);
  return [
    select('variant', options, variant === undefined ? '' : variantName(table, variant), name => set({ variant: name })),
    choice('scale of the steps', [['time', 'time'], ['log', 'time, log'], ['slowest', 'share of the slowest step'], ['optimum', 'by the best of the step'], ['heat', 'all, as heat map']], state.steps, steps => set({ steps })),
  ];
}

const stepName = (held, step) => held.from[step] === held.to[step] ? String(held.from[step]) : `${held.from[step]}–${held.to[step]}`;

function steps(now) {
  const { table, picked } = now, variant = chosenVariant(now);
  if (variant === undefined) return empty('None of these variants has its steps in this page.');
  const held = table.steps[variant];
  if (!held) return empty(`The steps of ${variantName(table, variant)} are not in this page: it holds those of ${plural(Object.keys(table.steps).length, 'variant')} to stay small. Choose another one above.`);
  const core = table.implementations.map((one, i) => i).filter(i => table.implementations[i].core);
  const best = held.time.map(step => Math.min(...core.map(i => step[i])));
  if (state.steps === 'heat') return stepHeat(now, variant, held, best);
  const drawn = picked.map(row => ({ row, ...stepTimes(row.entry, table, held, variant) })).filter(one => one.values);
  if (!drawn.length) return empty('Nothing that is drawn has times of steps. Tick another row of the comparison.');
  const slowest = Math.max(...drawn.flatMap(one => one.values).filter(value => value !== null));
  const shown = (value, step) => state.steps === 'optimum' ? value / best[step] : state.steps === 'slowest' ? value / slowest : value;
  const all = drawn.flatMap(one => one.values.map((value, step) => value === null ? null : shown(value, step))).filter(value => value !== null);
  const isLog = state.steps === 'log' || state.steps === 'optimum';
  const bar = Math.max(2, Math.min(14, 1180 / (held.time.length * (drawn.length + 1)))), gap = Math.max(4, bar), left = 66, top = 10, tall = 240, strip = 74;
  const about = 'step; below: vertices (solid) and edges (dashed) of the frontier, log scale';
  const wide = drawn.length * bar + gap, width = left + Math.max(textWidth(about, 12) + 12, held.time.length * wide + 20), floor = top + tall;
  const most = Math.max(...all), least = state.steps === 'optimum' ? 1 : Math.min(...all.filter(value => value > 0)) / 2;
  const y = isLog ? logarithmic(least, Math.max(most * 1.05, least * 2), floor, top) : linear(0, most, floor, top);
  const label = tick => state.steps === 'optimum' ? significant(tick, 1) + '×' : state.steps === 'slowest' ? percent(tick) : tick === 0 ? '0' : seconds(tick);
  const named = step => stepName(held, step);
  const every = labelStride(held.time.map((_, step) => named(step)), wide);
  const frontier = logarithmic(1, Math.max(10, ...held.frontier, ...held.edges), floor + 40 + strip, floor + 40);
  const line = values => values.map((value, step) => `${step ? 'L' : 'M'}${left + gap / 2 + step * wide + drawn.length * bar / 2} ${frontier(Math.max(1, value))}`).join('');
  const svg = drawing(width, floor + strip + 66, 'time of each step',
    y.ticks.map(tick => [s('line', { class: 'grid', x1: left, x2: width, y1: y(tick), y2: y(tick) }), s('text', { class: 'soft', x: left - 6, y: y(tick) + 4, 'text-anchor': 'end', text: label(tick) })]),
    held.time.map((times_, step) => {
      const at = left + gap / 2 + step * wide;
      return [
        drawn.map((one, i) => one.values[step] === null ? null : s('rect', { class: 'bar step', x: at + i * bar, width: Math.max(1, bar - 1), y: Math.min(y(shown(one.values[step], step)), floor - 1), height: Math.max(1, floor - y(shown(one.values[step], step))), fill: now.color(one.row.entry.key),
          tip: () => ({ title: `${one.row.entry.key}, step ${named(step)}`, lines: [['time', seconds(one.values[step])], ['by the best of the step', times(one.values[step] / best[step])], one.chosen ? ['chose', one.chosen[step]] : null, ['frontier', grouped(held.frontier[step])], ['edges of the frontier', grouped(held.edges[step])]].filter(Boolean) }) })),
        step % every ? null : s('text', { class: 'soft', x: at + drawn.length * bar / 2, y: floor + 15, 'text-anchor': 'middle', text: named(step) }),
      ];
    }),
    s('line', { class: 'axis', x1: left, x2: width, y1: floor, y2: floor }),
    s('text', { class: 'soft', x: left, y: floor + 32, text: about }),
    [1, 10 ** Math.floor(Math.log10(Math.max(10, ...held.frontier, ...held.edges)))].map(tick => s('text', { class: 'soft', x: left - 6, y: frontier(tick) + 4, 'text-anchor': 'end', text: short(tick) })),
    s('path', { class: 'frontier', d: line(held.frontier), fill: 'none', stroke: 'var(--accent)', 'stroke-width': 2 }),
    s('path', { class: 'frontier', d: line(held.edges), fill: 'none', stroke: 'var(--soft)', 'stroke-width': 1.5, 'stroke-dasharray': '4 3' }));
  return [legend(now), h('div', { class: 'scroll' }, svg), aboutSteps(now, variant, held)];
}

function aboutSteps({ table }, variant, held) {
  const graph = table.graphs[table.variants.graph[variant]];
  const binned = held.from.some((from, step) => from !== held.to[step]) ? ' Neighbouring steps are summed up: there are more than can be drawn.' : '';
  return h('p', { class: 'note', text: `${graph.name}: ${graph.class}, ${short(graph.vertices)} vertices, ${short(graph.edges)} edges, ${plural(table.variants.steps[variant], 'step')}.${binned}` });
}

// Times of the steps of one entry, and what a model chose.
function stepTimes(entry, table, held, variant) {
  if (entry.kind === 'model') {
    const choices = held.models[DATA.models.indexOf(entry.model)];
    return choices ? { values: choices.time, chosen: choices.chosen.map(i => i === null ? 'several' : table.implementations[i].name) } : {};
  }
  if (entry.key === 'Best Non-switching') {
    const best = table.implementations.map((one, i) => i).filter(i => table.implementations[i].core).reduce((a, b) => table.variants.time[variant][b] < table.variants.time[variant][a] ? b : a);
    return { values: held.time.map(step => step[best]), chosen: held.time.map(() => table.implementations[best].name) };
  }
  return { values: held.time.map(step => step[entry.place]) };
}
