import graphwright as gw

G = gw.Graph.from_edges([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])
truss = gw.ktruss(G)
most: int = truss.kmax
ties = [edge for edge, k in truss.to_dict().items() if k >= 3]
assert most == 3 and len(ties) == 3
