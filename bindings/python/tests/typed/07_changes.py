import graphwright as gw

D = gw.DynamicGraph(3)
applied = D.insert([0], [1])
parts = D.follow("cc")
label = parts.update()["label"]
assert applied.inserted == 1 and label.tolist() == [0, 0, 2]
