// Elements, texts of numbers, colours, scales and the box of details that follows the pointer.

// What a pointer on an element tells: a function that gives a title and lines of [name, value].
const tips = new WeakMap();

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key === 'text') node.textContent = value;
    else if (key === 'tip') { tips.set(node, value); node.setAttribute('data-tip', ''); }
    else if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? '' : value);
  }
  // Texts become text nodes: nothing that comes from data is ever read as HTML.
  node.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined));
  return node;
}
const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const s = (tag, attributes, ...children) => fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
const byId = id => document.getElementById(id);

function drawing(width, height, label, ...children) {
  return s('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label }, ...children);
}

const grouped = number => Math.round(number).toLocaleString('en-US');
const plural = (number, one, many) => `${grouped(number)} ${number === 1 ? one : many || one + 's'}`;
function significant(number, digits) {
  if (number === 0) return '0';
  const size = Math.floor(Math.log10(Math.abs(number)));
  if (size >= 6 || size < -4) return number.toExponential(digits - 1);
  return size >= digits ? grouped(number) : number.toFixed(Math.max(0, digits - 1 - size));
}
function short(number) {
  for (const [size, letter] of [[1e9, ' G'], [1e6, ' M'], [1e3, ' k']]) if (number >= size) return String(Number((number / size).toPrecision(3))) + letter;
  return Number.isInteger(number) ? String(number) : significant(number, 3);
}
function seconds(time) {
  if (time === null || Number.isNaN(time)) return 'not measured';
  for (const [size, unit] of [[1, ' s'], [1e-3, ' ms'], [1e-6, ' µs']]) if (time >= size) return significant(time / size, 3) + unit;
  return significant(time * 1e9, 3) + ' ns';
}
function times(ratio) {
  if (ratio === null || Number.isNaN(ratio)) return '–';
  if (ratio > 0 && ratio < 0.005) return '<0.01×';
  return (ratio < 99.95 ? ratio.toFixed(ratio < 9.995 ? 2 : 1) : grouped(ratio)) + '×';
}
const percent = share => (share > 0 && share < 0.005 ? '<1' : (100 * share).toFixed(0)) + ' %';
const cut = (text, length) => text.length > length ? text.slice(0, length - 1) + '…' : text;

// Widths of texts, measured by the browser.
const pen = document.createElement('canvas').getContext('2d');
function textWidth(text, size) {
  if (!pen) return text.length * size * 0.6;
  pen.font = `${size || 12}px ${getComputedStyle(document.body).fontFamily}`;
  return pen.measureText(text).width;
}

// Every how manieth label of a row can be drawn, when they stand this far apart.
const labelStride = (labels, apart) => Math.max(1, Math.ceil((8 + Math.max(...labels.map(label => textWidth(label, 12)))) / apart));

const color = place => `var(--c${place % 8})`;
// A colour between five of the sheet of styles, for a share from 0 to 1.
function ramp() {
  const style = getComputedStyle(document.documentElement);
  const stops = [0, 1, 2, 3, 4].map(i => style.getPropertyValue('--h' + i).trim()).map(text => [1, 3, 5].map(at => parseInt(text.slice(at, at + 2), 16)));
  return share => {
    const place = Math.min(0.9999, Math.max(0, share)) * 4, low = Math.floor(place), part = place - low;
    const mixed = stops[low].map((value, i) => Math.round(value + part * (stops[low + 1][i] - value)));
    const light = (0.299 * mixed[0] + 0.587 * mixed[1] + 0.114 * mixed[2]) > 140;
    return { fill: `rgb(${mixed.join(',')})`, ink: light ? '#111820' : '#ffffff' };
  };
}

function linear(from, to, start, end) {
  const scale = value => start + (value - from) / (to - from || 1) * (end - start);
  const rough = (to - from || 1) / 5, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(factor => factor * power).find(size => size >= rough);
  scale.ticks = [];
  for (let tick = Math.ceil(from / step) * step; tick <= to + step * 1e-9; tick += step) scale.ticks.push(Math.abs(tick) < step * 1e-9 ? 0 : tick);
  return scale;
}
function logarithmic(from, to, start, end) {
  const low = Math.log10(from), high = Math.log10(Math.max(to, from * 1.0001));
  const scale = value => start + (Math.log10(Math.max(value, from)) - low) / (high - low) * (end - start);
  const factors = high - low > 4 ? [1] : high - low > 2 ? [1, 3] : [1, 2, 5];
  scale.ticks = [];
  for (let power = Math.floor(low); power <= high; power++) {
    for (const factor of factors) {
      const tick = factor * 10 ** power;
      if (tick >= from * 0.9999 && tick <= to * 1.0001) scale.ticks.push(tick);
    }
  }
  return scale;
}

function showTip(event) {
  const box = byId('tip'), target = event.target.closest ? event.target.closest('[data-tip]') : null;
  if (!target) { box.hidden = true; return; }
  const { title, lines } = tips.get(target)();
  box.replaceChildren(h('b', { text: title }), ...lines.map(([name, value]) => h('div', {}, h('span', { text: name }), h('span', { text: value }))));
  box.hidden = false;
  const place = event.type === 'focusin' ? target.getBoundingClientRect() : { left: event.clientX, bottom: event.clientY };
  const size = box.getBoundingClientRect();
  box.style.left = Math.max(4, Math.min(place.left + 14, innerWidth - size.width - 8)) + 'px';
  box.style.top = (place.bottom + 16 + size.height < innerHeight ? place.bottom + 16 : Math.max(4, place.bottom - size.height - 12)) + 'px';
}
for (const kind of ['pointermove', 'focusin']) document.addEventListener(kind, showTip);
document.addEventListener('scroll', () => { byId('tip').hidden = true; }, true);

// Buttons of which one is pressed.
function choice(label, options, value, pick) {
  return h('span', { class: 'group', role: 'group', 'aria-label': label }, options.map(([key, text]) =>
    h('button', { type: 'button', 'aria-pressed': String(key === value), onclick: () => pick(key), text })));
}
const select = (label, options, value, pick) => h('select', { 'aria-label': label, onchange: event => pick(event.target.value) },
  options.map(([key, text]) => h('option', { value: key, selected: String(key) === String(value), text })));
const empty = text => h('p', { class: 'empty', text });
