"""The NetworkX backend ``graphwright``: conversion of graphs, and functions with the semantics of NetworkX."""
