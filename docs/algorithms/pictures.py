"""Draws the pictures of these guides from results of `gw run`: python docs/algorithms/pictures.py GW. Needs networkx, numpy and scipy."""

import math
import os
import subprocess
import sys
import tempfile

import networkx as nx
import numpy as np

COLORS = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#999999"]


def run(gw, program, graph, *results):
    with tempfile.TemporaryDirectory() as folder:
        outs = sum([["--out", f"{r}={os.path.join(folder, r)}"] for r in results], [])
        subprocess.run([gw, "run", program, graph, *outs, "--json"], check=True, capture_output=True)
        return [np.loadtxt(os.path.join(folder, r), ndmin=1).astype(int) for r in results]


def line(a, b, style, arrow=False, bend=0.0):
    """A line between two circles of radius 13, perhaps bent, with the arrow before the second."""
    (x1, y1), (x2, y2) = a, b
    length = math.hypot(x2 - x1, y2 - y1)
    ux, uy = (x2 - x1) / length, (y2 - y1) / length
    gap = 17 if arrow else 13
    x1, y1, x2, y2 = x1 + 13 * ux, y1 + 13 * uy, x2 - gap * ux, y2 - gap * uy
    mx, my = (x1 + x2) / 2 - bend * uy, (y1 + y2) / 2 + bend * ux
    end = ' marker-end="url(#tip)"' if arrow else ""
    return f'<path d="M{x1:.1f},{y1:.1f} Q{mx:.1f},{my:.1f} {x2:.1f},{y2:.1f}" fill="none" {style}{end}/>'


def circle(at, text, fill):
    x, y = at
    return (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="13" fill="{fill}"/>'
            f'<text x="{x:.1f}" y="{y + 4:.1f}" fill="white" font-size="11" text-anchor="middle">{text}</text>')


def svg(width, height, parts):
    tip = ('<defs><marker id="tip" viewBox="0 0 8 8" refX="4" refY="4" markerWidth="6" markerHeight="6" orient="auto">'
           '<path d="M0,0 L8,4 L0,8 z" fill="#666"/></marker></defs>')
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
    return head + 'font-family="sans-serif">\n<rect width="100%" height="100%" fill="white"/>\n' + tip + "\n" + "\n".join(parts) + "\n</svg>\n"


def components(gw, folder):
    edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3), (5, 6), (6, 7), (7, 6), (1, 8), (8, 9), (9, 10), (10, 8), (7, 11),
             (10, 11), (12, 0), (4, 9)]
    place = [(60, 60), (150, 60), (105, 130), (190, 150), (270, 110), (270, 190), (360, 190), (440, 190), (250, 40), (340, 90), (340, 20),
             (460, 90), (30, 150)]
    graph = os.path.join(folder, "g.el")
    with open(graph, "w") as file:
        file.writelines(f"{u} {v}\n" for u, v in edges)
    (component,) = run(gw, "scc", graph, "component")
    names = sorted(set(component))
    parts = [line(place[u], place[v], 'stroke="#666" stroke-width="1.4"', True, 12 if (v, u) in edges else 0) for u, v in edges]
    parts += [circle(place[v], v, COLORS[names.index(component[v]) % len(COLORS)]) for v in range(len(place))]
    parts.append('<text x="12" y="232" font-size="12" fill="#333">scc: one color per component, which is named by its least vertex</text>')
    return svg(490, 245, parts)


def choices(gw, folder):
    graph = os.path.join(folder, "g.wel")
    subprocess.run([gw, "graph", "convert", "road:6x5:seed=2:weights=1..20", graph], check=True, capture_output=True)
    rows = np.loadtxt(graph).astype(int)
    one, other = run(gw, "msf", graph, "one_end", "other_end")
    (mate,) = run(gw, "matching-weighted", graph, "mate")
    layout = nx.Graph((u, v) for u, v, _ in rows)
    place = nx.kamada_kawai_layout(layout)
    tree = {frozenset(e) for e in zip(one, other) if e[0] >= 0}
    pairs = {frozenset((v, int(u))) for v, u in enumerate(mate) if u >= 0}
    parts = []
    for left, chosen, name in ((0, tree, "msf"), (330, pairs, "matching-weighted")):
        at = {v: (left + 165 + 140 * x, 145 + 125 * y) for v, (x, y) in place.items()}
        for u, v, w in rows:
            if u < v:
                taken = frozenset((u, v)) in chosen
                parts.append(line(at[u], at[v], f'stroke="{COLORS[1] if taken else "#bbb"}" stroke-width="{3.5 if taken else 1.2}"'))
                x, y = (at[u][0] + at[v][0]) / 2, (at[u][1] + at[v][1]) / 2
                parts.append(f'<text x="{x:.1f}" y="{y - 2:.1f}" font-size="8.5" fill="#444" text-anchor="middle">{w}</text>')
        parts += [circle(at[v], v, COLORS[0]) for v in sorted(at)]
        parts.append(f'<text x="{left + 165}" y="302" font-size="12" fill="#333" text-anchor="middle">{name}</text>')
    return svg(660, 315, parts)


if __name__ == "__main__":
    gw, here = sys.argv[1], os.path.dirname(os.path.abspath(__file__))
    for name, draw in (("scc", components), ("choices", choices)):
        with tempfile.TemporaryDirectory() as folder, open(os.path.join(here, name + ".svg"), "w", encoding="utf-8") as file:
            file.write(draw(gw, folder))
