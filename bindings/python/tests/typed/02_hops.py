import graphwright as gw

r = gw.bfs_levels(gw.read("path:4"), 0)
deepest: int = r.depth
far = [v for v, level in enumerate(r.level.tolist()) if level == deepest]
matrix = gw.bfs("path:4", sources=[0, 3])
assert far == [3] and matrix.shape == (2, 4) and gw.bfs("path:4", 1).parent[0] == 1
