import graphwright as gw

roads = gw.Graph.from_edges([("a", "b", 2.5), ("b", "c", 1.0)])
r = gw.sssp(roads, "a")
mean: float = float(r.dist.mean())
distance: float = gw.ppsp(roads, "a", "c").distance
rows = gw.sssp(roads, sources=["a", "c"])
assert mean > 0 and distance == 3.5 and rows.shape == (2, 3) and r.path_to("c") == (3.5, ["a", "b", "c"])
