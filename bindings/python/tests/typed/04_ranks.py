import graphwright as gw

G = gw.read("star:5")
ranks = gw.pagerank(G, tolerance=1e-8, damping=0.9, timeout=60.0)
best: int = int(ranks.rank.argmax())
rounds: int = ranks.rounds
assert best == 0 and rounds > 0 and gw.betweenness(G, weights=False)[0] == 1.0
