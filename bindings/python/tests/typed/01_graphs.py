import numpy as np

import graphwright as gw

G = gw.Graph.from_edges([("ann", "bob"), ("bob", "cyd")])
names: list[str] = G.ids.tolist()
degrees = G.degrees
first: int = int(degrees[0])
H = gw.Graph.from_numpy(np.array([0, 1, 2]), np.array([1, 0]))
assert names[0] == "ann" and first == 1 and H.num_edges == 1 and G.has_edge("ann", "bob")
