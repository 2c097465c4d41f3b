import graphwright as gw

degrees = gw.Program("""
element Vertex end
element Edge end
const edges : edgeset{Edge}(Vertex, Vertex) = load(argv[1]);
const degree : vector{Vertex}(int) = edges.getOutDegrees();
func main() end
""")
assert degrees.run(gw.read("star:4"))["degree"].tolist() == [3, 1, 1, 1]
