// Models: what they look at, and the tree.

const LEAVES_DRAWN = 160;

function chosenModel(now) {
  const list = DATA.models.filter(model => model.table === now.table.place);
  return { list, model: list.find(model => model.name === state.model) || list[0] };
}
function modelControls(now) {
  const { list, model } = chosenModel(now);
  return list.length > 1 ? select('model', list.map(one => [one.name, one.name]), model.name, name => set({ model: name })) : null;
}

function models(now) {
  const { model } = chosenModel(now);
  if (!model) return empty(`No model of ${now.table.program} on ${now.table.platform} is stored in this lab. \`gw model train\` makes one.`);
  const row = now.rows.find(one => one.entry.model === model);
  const splits = model.nodes.filter(node => node.feature !== undefined).length;
  const missing = model.missing.length ? ` Not measured here: ${model.missing.join(', ')}.` : '';
  const result = row ? ` On the ${plural(row.known.length, 'variant')} shown: Total ${times(row.total)}, Worst ${times(row.worst)}` + (model.unseen ? '' : '; graphs that it was trained on may be among them') + '.' : ' It has no predicted times here.';
  return [
    h('p', { class: 'note', text: `${model.name}: ${plural(splits, 'split')}, ${plural(model.nodes.length - splits, 'leaf', 'leaves')}, ${plural(model.candidates.length, 'candidate')}.${result}${missing}` }),
    h('h3', { text: 'What it looks at' }), importance(model),
    h('h3', { text: 'The tree' }), h('div', { class: 'legend' }, model.candidates.map((name, i) => h('span', {}, h('span', { class: 'swatch', style: 'background:' + color(i) }), cut(name, 48)))),
    tree(model),
  ];
}

function importance(model) {
  const list = [...model.importance].sort((a, b) => b[1] - a[1]).filter(([, share]) => share >= 0.0005).slice(0, 20);
  if (!list.length) return empty('It looks at nothing: its answer is always the same.');
  const left = 16 + Math.max(...list.map(([name]) => textWidth(name, 12))), wide = 420, high = 22, most = list[0][1];
  return drawing(left + wide + 70, list.length * high + 4, 'importance of features', list.map(([name, share], i) => [
    s('text', { x: left - 8, y: i * high + 15, 'text-anchor': 'end', text: name }),
    s('rect', { class: 'bar importance', x: left, y: i * high + 3, height: high - 7, width: Math.max(1, wide * share / most), rx: 2, fill: 'var(--accent)', tip: () => ({ title: name, lines: [['importance', (100 * share).toFixed(1) + ' %'], ['meaning', DATA.features[name] || '']] }) }),
    s('text', { class: 'soft', x: left + wide * share / most + 6, y: i * high + 15, text: (100 * share).toFixed(1) + ' %' }),
  ]));
}

// The root to the left, leaves to the right; the upper branch holds when the condition does.
function tree(model) {
  const { nodes } = model, leaves = nodes.map(() => 1);
  for (let i = nodes.length - 1; i >= 0; i--) if (nodes[i].feature !== undefined) leaves[i] = leaves[nodes[i].left] + leaves[nodes[i].right];
  // Whole levels of the tree are drawn as long as there is room; what hangs below becomes a stub.
  const isOpen = nodes.map(() => false);
  let level = [0], drawn = 1;
  while (level.length) {
    const splits = level.filter(i => nodes[i].feature !== undefined);
    if (drawn + splits.length > LEAVES_DRAWN) break;
    splits.forEach(i => { isOpen[i] = true; });
    drawn += splits.length;
    level = splits.flatMap(i => [nodes[i].left, nodes[i].right]);
  }
  const title = node => `${node.feature} ≤ ${significant(node.threshold, 4)}`;
  const answer = node => node.candidates.map(i => model.candidates[i] ?? `#${i}`).join(' or ');
  const words = i => isOpen[i] ? title(nodes[i]) : nodes[i].feature !== undefined ? `… ${plural(leaves[i], 'leaf', 'leaves')}` : cut(answer(nodes[i]), 34) + (nodes[i].weak ? ' (weak)' : '');
  const places = new Map(), widest = [];
  let bottom = 0;
  (function lay(i, depth) {
    widest[depth] = Math.max(widest[depth] || 0, textWidth(words(i), 12) + 18);
    if (!isOpen[i]) { places.set(i, { depth, y: 18 + 28 * bottom++ }); return; }
    lay(nodes[i].left, depth + 1);
    lay(nodes[i].right, depth + 1);
    places.set(i, { depth, y: (places.get(nodes[i].left).y + places.get(nodes[i].right).y) / 2 });
  })(0, 0);
  const starts = widest.map((width, depth) => 6 + sum(widest.slice(0, depth)) + depth * 58), seen = Math.max(1, nodes[0].steps);
  const branches = [], boxes = [];
  for (const [i, { depth, y }] of places) {
    const node = nodes[i], wide = textWidth(words(i), 12) + 16, at = starts[depth];
    if (isOpen[i]) {
      for (const [child, text] of [[node.left, 'yes'], [node.right, 'no']]) {
        const end = places.get(child), from = at + wide, to = starts[depth + 1], half = (from + to) / 2;
        branches.push(s('path', { class: 'branch', d: `M${from} ${y}C${half} ${y} ${half} ${end.y} ${to} ${end.y}`, 'stroke-width': 1 + 7 * Math.sqrt(nodes[child].steps / seen) }),
          s('text', { class: 'soft', x: to - 6, y: end.y - 5, 'text-anchor': 'end', style: 'font-size:10px', text }));
      }
    }
    const isLeaf = node.feature === undefined;
    boxes.push(s('g', { class: isLeaf ? (node.weak ? 'leaf weak' : 'leaf') : 'node', tip: () => ({ title: isLeaf ? answer(node) : title(node), lines: [['steps that come here', `${grouped(node.steps)} of ${grouped(nodes[0].steps)}`], isLeaf ? (node.weak ? ['weak', 'the guard takes the safe candidate'] : null) : ['meaning', DATA.features[node.feature] || ''], isLeaf && node.candidates.length > 1 ? ['undecided', 'the step before decides'] : null].filter(Boolean) }) },
      s('rect', { x: at, y: y - 11, width: wide, height: 22, rx: isLeaf ? 11 : 4, style: isLeaf ? `fill:color-mix(in srgb, ${color(node.candidates[0])} 30%, var(--panel))` : null }),
      s('text', { x: at + 8, y: y + 4, text: words(i) })));
  }
  const width = starts[starts.length - 1] + widest[widest.length - 1] + 10;
  const more = isOpen.some((open, i) => !open && nodes[i].feature !== undefined) ? h('p', { class: 'note', text: 'Only the upper levels of this tree fit; a stub says how many leaves it stands for.' }) : null;
  return [h('div', { class: 'scroll', style: 'max-height:46rem' }, drawing(width, bottom * 28 + 12, 'decision tree', branches, boxes)), h('p', { class: 'note', text: 'A branch is as wide as the square root of the share of measured steps that take it, on all graphs of this page. Upper branch: the condition holds.' }), more];
}
