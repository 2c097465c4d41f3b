// How far from the optimum: the distribution of the ratios, as curves of those drawn and as boxes of all.

function regret(now) {
  return h('div', { class: 'columns' }, h('div', {}, h('h3', { text: 'Share of variants within a ratio' }), legend(now), curves(now)), h('div', {}, h('h3', { text: 'Middle half, 5 to 95 %, and the worst' }), boxes(now)));
}

const marks = (x, top, bottom) => [2, 5, 20].map(ratio => s('line', { class: 'mark', x1: x(ratio), x2: x(ratio), y1: top, y2: bottom }));
const ratioAxis = (x, y) => x.ticks.map(tick => s('text', { class: 'soft', x: x(tick), y, 'text-anchor': 'middle', text: significant(tick, 1) + '×' }));

function curves(now) {
  const width = 560, left = 46, right = 20, top = 8, floor = 300;
  const most = Math.max(25, ...now.picked.map(row => row.worst));
  const x = logarithmic(1, most, left, width - right), y = linear(0, 1, floor, top);
  return drawing(width, floor + 42, 'share of variants within a ratio to the optimum',
    y.ticks.map(tick => [s('line', { class: 'grid', x1: left, x2: width - right, y1: y(tick), y2: y(tick) }), s('text', { class: 'soft', x: left - 6, y: y(tick) + 4, 'text-anchor': 'end', text: percent(tick) })]),
    marks(x, top, floor), ratioAxis(x, floor + 16), s('text', { class: 'soft', x: width - right, y: floor + 34, 'text-anchor': 'end', text: 'time by the optimum, log scale; dashed: 2×, 5×, 20×' }),
    now.picked.map(row => {
      const sorted = [...row.ratios].sort((a, b) => a - b);
      let path = `M${x(1)} ${y(0)}`;
      sorted.forEach((ratio, i) => { path += `H${x(ratio).toFixed(1)}V${y((i + 1) / sorted.length).toFixed(1)}`; });
      path += `H${x(most)}`;
      const tip = () => ({ title: row.entry.key, lines: [['median', times(quantile(sorted, 0.5))], ['95 %', times(quantile(sorted, 0.95))], ['worst', times(row.worst)], ['variants', grouped(sorted.length)]] });
      // A wide unseen line makes the thin one easy to point at.
      return [s('path', { class: 'curve', d: path, fill: 'none', stroke: now.color(row.entry.key), 'stroke-width': 2.2, 'stroke-linejoin': 'round' }), s('path', { d: path, fill: 'none', stroke: 'transparent', 'stroke-width': 12, tip })];
    }));
}

function boxes(now) {
  const rows = now.shown.filter(row => row.entry.key !== 'Optimal');
  const left = 12 + Math.max(...rows.map(row => textWidth(cut(row.entry.key, 30), 12))), width = left + 440, right = 24, high = 19, top = 26;
  const x = logarithmic(1, Math.max(25, ...rows.map(row => row.worst)), left, width - right);
  const svg = drawing(width, top + rows.length * high + 8, 'quantiles of the ratios to the optimum',
    ratioAxis(x, 14), marks(x, top - 6, top + rows.length * high),
    rows.map((row, i) => {
      const sorted = [...row.ratios].sort((a, b) => a - b), at = share => x(quantile(sorted, share)), y = top + i * high + high / 2;
      const paint = now.isPicked(row.entry.key) ? now.color(row.entry.key) : 'var(--soft)';
      return s('g', { class: 'box', tip: () => ({ title: row.entry.key, lines: [['5 %', 0.05], ['25 %', 0.25], ['median', 0.5], ['75 %', 0.75], ['95 %', 0.95], ['worst', 1]].map(([name, share]) => [name, times(quantile(sorted, share))]) }) },
        s('rect', { x: 0, y: y - high / 2, width, height: high, fill: 'transparent' }),
        s('text', { x: left - 8, y: y + 4, 'text-anchor': 'end', text: cut(row.entry.key, 30) }),
        s('line', { x1: at(0.05), x2: at(0.95), y1: y, y2: y, stroke: paint, 'stroke-width': 1.5 }),
        s('rect', { x: at(0.25), y: y - 5, width: Math.max(1.5, at(0.75) - at(0.25)), height: 10, rx: 2, fill: paint, opacity: 0.55 }),
        s('line', { x1: at(0.5), x2: at(0.5), y1: y - 6, y2: y + 6, stroke: 'var(--ink)', 'stroke-width': 2 }),
        s('circle', { cx: x(row.worst), cy: y, r: 2.6, fill: paint }));
    }));
  return h('div', { class: 'scroll tall' }, svg);
}
