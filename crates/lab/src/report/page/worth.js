// Variants worth a look: the extremes of the comparison.

function worth(now) {
  const { table } = now, found = worthALook(table, now.variants), wanted = state.implementation.toLowerCase();
  const link = variant => h('button', { type: 'button', class: 'link', text: cut(variantName(table, variant), 44), onclick: () => { set({ variant: variantName(table, variant) }); byId('steps').scrollIntoView(); } });
  const number = text => h('td', { class: 'number', text });
  const sheet = (id, titles, rows) => h('div', { class: 'scroll tall' }, h('table', { id }, h('thead', {}, h('tr', {}, titles.map(text => h('th', { class: text.startsWith('=') ? 'number' : null, text: text.replace('=', '') })))), h('tbody', {}, rows)));
  const extremes = found.filter(one => one.place === undefined).map(one =>
    h('tr', {}, h('td', { text: one.what }), h('td', {}, link(one.variant)), number(one.what.includes('best') ? times(one.value) : significant(one.value, 3))));
  const ends = found.filter(one => one.place !== undefined && table.implementations[one.place].name.toLowerCase().includes(wanted));
  // They come in pairs: where it is best, and where it is worst.
  const pairs = ends.flatMap((best, i) => i % 2 ? [] : [[best, ends[i + 1]]]).map(([best, worst]) =>
    h('tr', {}, h('td', { text: cut(table.implementations[best.place].name, 40) }), h('td', {}, link(best.variant)), number(times(best.value)), h('td', {}, link(worst.variant)), number(times(worst.value))));
  const part = (title, about, content) => h('div', {}, h('h3', { text: title }), h('p', { class: 'note', text: about }), content);
  return h('div', { class: 'columns uneven' },
    part('Extremes of variants', 'Of the times of all fixed implementations on a variant: worst by best, standard deviation by mean, skewness, excess kurtosis.', sheet('worth-variants', ['what', 'variant', '=value'], extremes)),
    part('Where an implementation is best and worst', 'Best: its time by that of the best other one, under 1× where it wins. Worst: its time by that of the best one.', sheet('worth-implementations', ['implementation', 'best on', '=ratio', 'worst on', '=ratio'], pairs)));
}
