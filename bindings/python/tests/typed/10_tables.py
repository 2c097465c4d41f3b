import pickle

import graphwright as gw

G = gw.Graph.from_edges({"a": ["x", "y"], "b": ["y", "z"], "w": [1, 2]}, weight="w")
again: gw.Graph = pickle.loads(pickle.dumps(G))
table = gw.closeness(again, weights=True).to_pandas()
assert list(table.columns) == ["closeness"]
