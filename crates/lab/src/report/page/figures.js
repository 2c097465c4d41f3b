// The figures of a comparison: ratios to the optimum, their summaries, and which variants are worth a look.

const sum = values => values.reduce((total, value) => total + value, 0);
const mean = values => sum(values) / values.length;
const geometric = values => Math.exp(mean(values.map(Math.log)));
function quantile(sorted, at) {
  const place = at * (sorted.length - 1), low = Math.floor(place);
  return sorted[low] + (place - low) * (sorted[Math.min(low + 1, sorted.length - 1)] - sorted[low]);
}

// Everybody who is compared: implementations, models, and the two oracles.
function entriesOf(table) {
  const times = table.variants.time;
  const core = table.implementations.map((one, i) => i).filter(i => table.implementations[i].core);
  const entries = table.implementations.map((one, i) => ({
    key: one.name, kind: one.core ? 'core' : 'derived', place: i, detail: one.schedule, target: one.target, time: variant => times[variant][i],
  }));
  for (const model of DATA.models) {
    if (model.table === table.place) {
      entries.push({ key: 'model ' + model.name, kind: 'model', model, detail: plural(model.nodes.length, 'node'), time: variant => model.predicted[variant] });
    }
  }
  entries.push({ key: 'Best Non-switching', kind: 'oracle', detail: 'the best fixed implementation of each variant', time: variant => Math.min(...core.map(i => times[variant][i])) });
  entries.push({ key: 'Optimal', kind: 'oracle', detail: 'the best implementation of each step', time: variant => table.variants.optimum[variant] });
  return entries;
}

// A row of the comparison over some variants; null when nothing of it is known.
function figures(table, entry, variants) {
  const known = variants.filter(variant => entry.time(variant) !== null);
  if (!known.length) return null;
  const optimum = table.variants.optimum, ratios = known.map(variant => entry.time(variant) / optimum[variant]);
  const share = test => ratios.filter(test).length / ratios.length;
  return {
    entry, known, ratios,
    total: sum(known.map(entry.time)) / sum(known.map(variant => optimum[variant])),
    average: mean(ratios), geometric: geometric(ratios), under2: share(r => r < 2), over5: share(r => r > 5), over20: share(r => r > 20),
    worst: ratios.reduce((most, ratio) => Math.max(most, ratio), 0),
  };
}

// What the times of the core implementations on a variant look like together.
function shape(table, variant) {
  const times = table.implementations.map((one, i) => one.core ? table.variants.time[variant][i] : null).filter(time => time !== null);
  const middle = mean(times), moment = power => mean(times.map(time => (time - middle) ** power)), square = moment(2);
  // What rounding leaves of a zero is a zero.
  const clean = value => Math.abs(value) < 1e-9 ? 0 : value;
  const differ = Math.sqrt(square) > 1e-9 * middle;
  return {
    'worst / best': Math.max(...times) / Math.min(...times), spread: clean(Math.sqrt(square) / middle),
    skewness: differ ? clean(moment(3) / square ** 1.5) : 0, kurtosis: differ ? clean(moment(4) / square ** 2 - 3) : 0,
  };
}

// The variants worth a look: [what, variant, value, meaning].
function worthALook(table, variants) {
  const found = [], least = (list, value) => list.reduce((best, one) => value(one) < value(best) ? one : best);
  if (!variants.length) return found;
  const shapes = new Map(variants.map(variant => [variant, shape(table, variant)]));
  for (const name of ['worst / best', 'spread', 'skewness', 'kurtosis']) {
    const value = variant => shapes.get(variant)[name];
    const high = least(variants, variant => -value(variant)), low = least(variants, value);
    found.push({ what: 'greatest ' + name, variant: high, value: value(high) }, { what: 'least ' + name, variant: low, value: value(low) });
  }
  const core = table.implementations.map((one, i) => i).filter(i => table.implementations[i].core);
  if (core.length < 2) return found;
  for (const i of core) {
    const against = (variant, others) => table.variants.time[variant][i] / Math.min(...others.map(j => table.variants.time[variant][j]));
    const others = core.filter(j => j !== i), name = table.implementations[i].name;
    const best = least(variants, variant => against(variant, others)), worst = least(variants, variant => -against(variant, core));
    found.push({ what: 'best of ' + name, variant: best, value: against(best, others), place: i }, { what: 'worst of ' + name, variant: worst, value: against(worst, core), place: i });
  }
  return found;
}
