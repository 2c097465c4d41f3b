import graphwright as gw

G = gw.Graph.from_edges([(0, 1), (1, 2), (2, 0), (3, 4)])
r = gw.leiden(G, seed=3, resolution=1.0)
count: int = r.communities
share: float = r.modularity
labels = gw.Leiden(resolution=1.0, seed=0).fit_predict(G)
assert count == 2 and share > 0 and labels.tolist() == [0, 0, 0, 1, 1]
