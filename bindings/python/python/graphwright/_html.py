"""Graphs and results in notebooks: small tables and one chart, as HTML and SVG without scripts."""

from __future__ import annotations

from html import escape

import numpy as np

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 560, 150, 56, 34, 22
_BAR, _LINE, _INK = "#4c78a8", "#e45756", "#666"
_MOST_BARS = 80


def result_html(result) -> str:
    """A result: its times, its first rows and its step trace."""
    facts = (
        f"{result.seconds * 1e3:.3g} ms on {result.device} &middot; {result.steps} steps &middot; "
        f"schedule <code>{escape(result.schedule) or 'default'}</code>"
    )
    notes = "".join(f"<div><i>{escape(note)}</i></div>" for note in result.notes)
    scalars = [name for name in result.keys() if not isinstance(result[name], np.ndarray)]
    numbers = "".join(f"<div>{escape(name)} = <b>{escape(str(result[name]))}</b></div>" for name in scalars)
    parts = [f"<b>{escape(result.program)}</b> on {escape(repr(result.graph).strip('<>'))}<br>{facts}", notes, numbers]
    return "<div>" + "".join(parts) + _table(result) + step_chart(result.trace) + "</div>"


def _table(result, rows: int = 10) -> str:
    columns = {name: values for name, values in result._columns().items() if values.ndim == 1}
    if not columns:
        return ""
    ids = result.graph.ids
    head = "".join(f"<th>{escape(name)}</th>" for name in ("vertex", *columns))
    body = "".join(
        f"<tr><td>{escape(str(ids[at]))}</td>" + "".join(f"<td>{escape(_short(c[at]))}</td>" for c in columns.values()) + "</tr>"
        for at in range(min(rows, len(ids)))
    )
    more = f"<div>{len(ids) - rows:,} more vertices</div>" if len(ids) > rows else ""
    return f"<table><tr>{head}</tr>{body}</table>{more}"


def _short(value) -> str:
    return f"{value:.6g}" if isinstance(value, (float, np.floating)) else str(value)


def step_chart(trace: list[dict]) -> str:
    """Steps as bars (time) with a line (edges touched); neighbouring steps are added up where there are many."""
    if not trace:
        return ""
    size = -(-len(trace) // _MOST_BARS)
    groups = [trace[at : at + size] for at in range(0, len(trace), size)]
    times = [sum(step["seconds"] for step in group) * 1e6 for group in groups]
    edges = [sum(step["edges"] or 0 for step in group) for group in groups]
    inner_width, inner_height = _WIDTH - 2 * _LEFT, _HEIGHT - _TOP - _BOTTOM
    slot = inner_width / len(groups)
    top_time, top_edges = max(times) or 1, max(edges) or 1
    bars, points = [], []
    for at, (time, touched, group) in enumerate(zip(times, edges, groups)):
        height = inner_height * time / top_time
        x = _LEFT + at * slot
        first = group[0]
        label = f"step {at * size}: {first['label'] or first['operator']}, {time:.1f} us, {touched:,} edges"
        bars.append(
            f'<rect x="{x + slot * 0.1:.1f}" y="{_TOP + inner_height - height:.1f}" width="{max(slot * 0.8, 0.5):.1f}" '
            f'height="{height:.1f}" fill="{_BAR}"><title>{escape(label)}</title></rect>'
        )
        points.append(f"{x + slot / 2:.1f},{_TOP + inner_height * (1 - touched / top_edges):.1f}")
    base = _TOP + inner_height
    line = f'<polyline points="{" ".join(points)}" fill="none" stroke="{_LINE}" stroke-width="1.5"/>' if any(edges) else ""
    right = f'<text x="{_WIDTH - _LEFT + 4}" y="{_TOP + 8}" fill="{_LINE}">{_count(top_edges)}</text>' if any(edges) else ""
    legend = (
        f'<text x="{_LEFT}" y="14" fill="{_BAR}">time per step (us)</text>'
        + (f'<text x="{_WIDTH - _LEFT}" y="14" text-anchor="end" fill="{_LINE}">edges touched</text>' if any(edges) else "")
    )
    return (
        f'<svg width="{_WIDTH}" height="{_HEIGHT}" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'font-family="sans-serif" font-size="10" role="img" aria-label="time and edges of each step">{legend}{"".join(bars)}{line}'
        f'<line x1="{_LEFT}" y1="{base}" x2="{_WIDTH - _LEFT}" y2="{base}" stroke="{_INK}"/>'
        f'<text x="{_LEFT - 4}" y="{_TOP + 8}" text-anchor="end" fill="{_BAR}">{_count(top_time)}</text>{right}'
        f'<text x="{_LEFT}" y="{base + 14}" fill="{_INK}">0</text>'
        f'<text x="{_WIDTH - _LEFT}" y="{base + 14}" text-anchor="end" fill="{_INK}">step {len(trace) - 1}</text></svg>'
    )


def _count(number: float) -> str:
    for limit, suffix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= limit:
            return f"{number / limit:.3g}{suffix}"
    return f"{number:.3g}"


def graph_html(graph) -> str:
    """A graph: size, kind and how its degrees are spread."""
    degrees = graph.degrees
    text = f"<b>{escape(repr(graph).strip('<>'))}</b><br>{graph.nbytes / 2**20:.1f} MiB"
    if len(degrees):
        text += f" &middot; degrees {degrees.min()} to {degrees.max():,}, mean {degrees.mean():.1f}"
        bins = np.bincount(np.log2(degrees + 1).astype(int))
        top, width = bins.max(), 14
        bars = "".join(
            f'<rect x="{at * width}" y="{40 - 36 * count / top:.1f}" width="{width - 2}" height="{36 * count / top:.1f}" '
            f'fill="{_BAR}"><title>degree {2**at - 1} to {2 ** (at + 1) - 2}: {count:,} vertices</title></rect>'
            for at, count in enumerate(bins.tolist())
        )
        text += f'<br><svg width="{len(bins) * width}" height="42" role="img" aria-label="degrees">{bars}</svg>'
    return f"<div>{text}</div>"
