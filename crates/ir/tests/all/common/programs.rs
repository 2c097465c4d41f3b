//! Small programs that together use every construct of the language.

/// Bucketed shortest paths: a priority queue in the loop shape that ordered processing replaces.
pub const SSSP: &str = "
element Town end
element Road end
const roads : edgeset{Road}(Town,Town,int) = load(argv[1]);
const towns : vertexset{Town} = roads.getVertices();
const far : vector{Town}(int) = 2147483647;
const queue : priority_queue{Town}(int);
func relax(src : Town, dst : Town, miles : int)
    queue.updatePriorityMin(dst, far[dst], far[src] + miles);
end
func main()
    var start : int = atoi(argv[2]);
    far[start] = 0;
    queue = new priority_queue{Town}(int)(false, false, far, 1, 0, false, start);
    #rounds# while (queue.finished() == false)
        var bucket : vertexset{Town} = queue.dequeue_ready_set();
        #relax# roads.from(bucket).applyUpdatePriority(relax);
        delete bucket;
    end
    print far.max();
end
";

/// Rank spreading with three vertex operators, a `for` loop and scalar globals.
pub const RANK: &str = "
element Page end
element Link end
const links : edgeset{Link}(Page,Page) = load(argv[1]);
const pages : vertexset{Page} = links.getVertices();
const old_rank : vector{Page}(double) = 1.0 / links.getVertices();
const new_rank : vector{Page}(double) = 0.0;
const fan_out : vector{Page}(int) = links.getOutDegrees();
const share : vector{Page}(double) = 0.0;
const damp : double = 0.85;
const base : double = (1.0 - damp) / links.getVertices();
func spread(v : Page)
    share[v] = old_rank[v] / fan_out[v];
end
func gather(src : Page, dst : Page)
    new_rank[dst] += share[src];
end
func settle(v : Page)
    old_rank[v] = base + damp * new_rank[v];
    new_rank[v] = 0.0;
end
func main()
    #rounds# for i in 0:20
        #spread# pages.apply(spread);
        #gather# links.apply(gather);
        #settle# pages.apply(settle);
    end
    print old_rank.sum();
end
";

/// Labels that sink, with an indirect index, a helper that writes the tracked vector, and functions used twice.
pub const LABELS: &str = "
element Cell end
element Wire end
const wires : edgeset{Wire}(Cell,Cell) = load(argv[1]);
const cells : vertexset{Cell} = wires.getVertices();
const lab : vector{Cell}(int) = 0;
const hits : int = 0;
func name_self(v : Cell)
    lab[v] = v;
end
func lower_to(v : int, x : int)
    lab[v] min= x;
end
func sink(src : Cell, dst : Cell)
    var x : int = lab[src];
    lower_to(lab[dst], x);
    lab[dst] min= x;
    hits += 1;
end
func jump(v : Cell)
    if lab[v] != lab[lab[v]] and writeMin(lab, v, lab[lab[v]])
        hits += 1;
    end
end
func main()
    var live : vertexset{Cell} = new vertexset{Cell}(cells.size());
    #start# cells.apply(name_self);
    #first# var one : vertexset{Cell} = wires.applyModified(sink, lab);
    delete one;
    #loop# while (live.getVertexSetSize() > 0)
        #step# var next : vertexset{Cell} = wires.from(live).applyModified(sink, lab);
        #flat# cells.apply(jump);
        delete live;
        live = next;
    end
end
";

/// Triangles by intersection, and a `par_for` with reductions, captures, lists, nested vectors and `do`.
pub const MIXED: &str = "
element Node end
element Link end
extern func judge(x : int) -> y : int;
const links : edgeset{Link}(Node,Node) = load(argv[1]);
const nodes : vertexset{Node} = links.getVertices();
const triangles : vector{Node}(uint_64) = 0;
const pair : vector{Node}(vector[2](float)) = 0.5;
const table : vector[3](int) = {1, 2, 3};
const total : int = 0;
func count(src : Node, dst : Node)
    #meet# triangles[src] += intersectNeighbor(links, src, dst);
end
func mark[row : vector{Node}(int), by : int](src : Node, dst : Node) -> fresh : bool
    fresh = row[dst] == 0;
    row[dst] = by;
    pair[dst][0] += 0.25;
end
func far_off[row : vector{Node}(int)](v : Node) -> yes : bool
    yes = row[v] == 0 and not (v == 3);
end
func main()
    #count# links.apply(count);
    var rounds : list{vertexset{Node}} = new list{vertexset{Node}}();
    #all# par_for i in 0:4
        var row : vector{Node}(int) = 0;
        #inner# var got : vertexset{Node} = links.to(far_off[row]).apply(mark[row, i + 1]);
        total += got.getVertexSetSize();
    end
    var i : int = 0;
    do
        var x : float = i / 2;
        i = i + judge(i);
        if x > 1.5
            print x;
        elif x < 0.5
            break;
        else
            print \"low\";
        end
    end while i < 10
    #fits# var some : vertexset{Node} = nodes.filter(far_off[links.getOutDegrees()]);
    rounds.append(some);
    print table[1];
    print total;
end
";

/// Peeling: sums of priorities with a floor, every vertex queued from the start.
pub const PEEL: &str = "
element Node end
element Link end
const links : edgeset{Link}(Node,Node) = load(argv[1]);
const nodes : vertexset{Node} = links.getVertices();
const left : vector{Node}(int) = links.getOutDegrees();
const queue : priority_queue{Node}(int);
func peel(src : Node, dst : Node)
    var k : int = queue.get_current_priority();
    queue.updatePrioritySum(dst, -1, k);
end
func main()
    var done : int = 0;
    queue = new priority_queue{Node}(int)(false, false, left, 1, 0, true, -1);
    #rounds# while (done != nodes.size())
        var bucket : vertexset{Node} = queue.dequeue_ready_set();
        done += bucket.getVertexSetSize();
        #peel# links.from(bucket).applyUpdatePriority(peel);
        delete bucket;
    end
end
";
