//! The entry exam of a machine, first part: small programs in which the host and the machine take turns with the same
//! vectors, sets and queues. Each must print and compute what it does on the reference machine.
//!
//! The second part is `gw check`: the standard programs under many schedules, judged by their validators.

use std::sync::Arc;

use gw_lang::{SourceFile, compile_front, diagnostic};
use thiserror::Error;

use crate::options::RunOptions;
use crate::program::{Program, RunResult};
use crate::reference::ReferenceVm;
use crate::value::Value;
use crate::vm::GraphVm;

/// Why a machine did not pass.
#[derive(Debug, Error)]
#[error("{program}: {problem}")]
pub struct Failure {
    /// The name of the small program.
    pub program: &'static str,
    /// What went wrong.
    pub problem: String,
}

const HEAD: &str = "element Node end
element Link end
const links : edgeset{Link}(Node,Node,int) = load(argv[1]);
const nodes : vertexset{Node} = links.getVertices();
const x : vector{Node}(int) = 7;
const y : vector{Node}(int) = 0;
";

/// Names and texts. All results are whole numbers that do not depend on an order.
const PROGRAMS: &[(&str, &str)] = &[
    (
        "single entries of a new vector",
        "func main()
    x[1] = 3;
    x[1] += x[0];
    x[2] min= 5;
    print x[1] + x[2];
end
",
    ),
    (
        "host and operator in turns",
        "func bump(v : Node) x[v] += 1; end
func main()
    for i in 0:4
        nodes.apply(bump);
        x[i] = x[i] * 2;
        print x[i];
    end
    print x.sum();
end
",
    ),
    (
        "sums over edges read by the host",
        "func gather(src : Node, dst : Node, weight : int) y[dst] += x[src] + weight; end
func main()
    links.apply(gather);
    print y[3];
    y[3] = 0;
    links.apply(gather);
    print y[3] + y.sum();
end
",
    ),
    (
        "out-degrees",
        "func main()
    var degrees : vector{Node}(int) = links.getOutDegrees();
    print degrees[1];
    degrees[1] = 0;
    print degrees.sum();
end
",
    ),
    (
        "frontiers that the host counts",
        "func unseen(v : Node) -> yes : bool
    yes = y[v] == 0;
end
func see(src : Node, dst : Node, weight : int)
    y[dst] = 1;
end
func main()
    var frontier : vertexset{Node} = new vertexset{Node}(0);
    frontier.addVertex(1);
    y[1] = 1;
    while frontier.getVertexSetSize() != 0
        print frontier.getVertexSetSize();
        var next : vertexset{Node} = links.from(frontier).to(unseen).applyModified(see, y);
        delete frontier;
        frontier = next;
    end
    print y.sum();
end
",
    ),
    (
        "loops in functions that are called twice, in conditions, and by themselves",
        "func unseen(v : Node) -> yes : bool
    yes = y[v] == 0;
end
func see[hop : int](src : Node, dst : Node, weight : int)
    y[dst] = hop;
end
func forget(v : Node)
    y[v] = 0;
end
func search(root : int, members : list{vertexset{Node}}) -> hops : int
    var frontier : vertexset{Node} = new vertexset{Node}(0);
    frontier.addVertex(root);
    hops = 1;
    y[root] = hops;
    #s0# while frontier.getVertexSetSize() != 0
        hops = hops + 1;
        #s1# var next : vertexset{Node} = links.from(frontier).to(unseen).applyModified(see[hops], y);
        members.append(frontier);
        frontier = next;
    end
end
func still(all : vertexset{Node}) -> yes : bool
    var left : vertexset{Node} = all.filter(unseen);
    yes = left.getVertexSetSize() > 20;
end
func down(n : int)
    if n > 0
        nodes.apply(forget);
        y[n] = n;
        down(n - 1);
    end
end
func main()
    var levels : list{vertexset{Node}} = new list{vertexset{Node}}();
    print search(1, levels) * 100 + levels.size();
    nodes.apply(forget);
    #l# for i in 2:5
        var far : int = search(i, levels);
        print far, y.sum();
        nodes.apply(forget);
    end
    var n : int = 0;
    while still(nodes) and n < 12
        y[n] = 1;
        n = n + 1;
    end
    print n, y.sum();
    down(3);
    print y.sum();
    delete levels;
end
",
    ),
    (
        "views of edges",
        "const heavy : edgeset{Link}(Node,Node,int) = links.where(is_heavy);
const least : int = 3;
const weight_of : vector{Link}(int) = 0;
func is_heavy(src : Node, dst : Node, weight : int) -> yes : bool
    yes = weight > least;
end
func below[bound : int](src : Node, dst : Node, weight : int) -> yes : bool
    yes = weight < bound;
end
func forward(src : Node, dst : Node) -> yes : bool
    yes = src < dst;
end
func is_noted[wanted : int](src : Node, dst : Node, e : Link) -> yes : bool
    yes = weight_of[e] == wanted;
end
func note(src : Node, dst : Node, weight : int, e : Link)
    weight_of[e] = weight;
end
func count(src : Node, dst : Node)
    y[dst] += 1;
end
func spread(src : Node, dst : Node, weight : int)
    x[dst] min= x[src] + weight;
end
func odd(src : Node, dst : Node) -> yes : bool
    yes = src mod 2 == 1;
end
func main()
    heavy.apply(count);
    print y.sum();
    heavy.where(below[6]).where(forward).apply(count);
    print y.sum();
    links.apply(note);
    links.where(is_noted[5]).apply(count);
    print y.sum();
    x[1] = -20;
    var frontier : vertexset{Node} = new vertexset{Node}(0);
    frontier.addVertex(1);
    while frontier.getVertexSetSize() != 0
        var next : vertexset{Node} = heavy.from(frontier).applyModified(spread, x);
        delete frontier;
        frontier = next;
    end
    print x.sum();
    var chosen : vertexset{Node} = links.where(below[3]).apply(odd);
    print chosen.getVertexSetSize();
end
",
    ),
    (
        "rows whose length is worked out when the program runs",
        "const twice : int = nodes.size() / 4;
const steps : int;
const table : vector{Node}(vector[twice](int)) = 3;
const pairs : vector{Node}(vector{Node}(int)) = 9;
const flat : vector[twice](double) = 0.5;
func fill[rows : vector{Node}(vector[steps](int_64)), add : int](v : Node)
    for i in 0:steps
        rows[v][i] = v * 10 + i + add;
    end
end
func meet(src : Node, dst : Node, weight : int)
    table[dst][src mod twice] += weight;
    pairs[src][dst] min= weight;
    pairs[dst][src] min= weight;
end
func relax[k : int](v : Node)
    for u in 0:nodes.size()
        pairs[v][u] min= pairs[v][k] + pairs[k][u];
    end
end
func add_up(v : Node)
    for u in links.getNgh(v)
        x[v] += pairs[v][u] + table[u][v mod twice];
    end
end
func main()
    links.apply(meet);
    for k in 0:nodes.size()
        nodes.apply(relax[k]);
    end
    nodes.apply(add_up);
    print table[3][1], pairs[2][7], table[0][twice - 1];
    steps = 5;
    for round in 0:2
        var rows : vector{Node}(vector[steps](int_64)) = 1;
        nodes.apply(fill[rows, round]);
        print rows[3][0], rows[nodes.size() - 1][steps - 1], rows[0][2];
        steps = steps + 2;
        delete rows;
    end
    flat[2] = 4.5;
    print flat.sum(), x.sum();
end
",
    ),
    (
        "constants and tuples",
        "tuple Best (worth : int, via : Node)
const WIDTH : int = 2 * 3 + 1;
const unseen : int = -1;
const ratio : double = 1.0 / 4;
const best : vector{Node}(Best) = Best(unseen, unseen);
const bins : vector[WIDTH](int) = 0;
const rows : vector{Node}(vector[WIDTH](Best));
const most : Best;
func better(a : Best, b : Best) -> chosen : Best
    chosen = a;
    if b.worth > a.worth or (b.worth == a.worth and b.via < a.via)
        chosen = b;
    end
end
func look(v : Node)
    for u in links.getNgh(v)
        var offer : Best = Best(x[u] + u mod 5, u);
        best[v] = better(best[v], offer);
        offer = Best(offer.via, offer.worth);
        rows[v][offer.worth mod WIDTH].worth += offer.via;
    end
end
func vote(src : Node, dst : Node, weight : int)
    bins[weight mod WIDTH] += 1;
    y[dst] += best[src].via;
end
func raise(src : Node, dst : Node)
    best[dst].worth max= y[src] mod 7;
end
func main()
    nodes.apply(look);
    links.apply(vote);
    var changed : vertexset{Node} = links.applyModified(raise, best.worth);
    print best.worth.sum(), y.sum(), bins.sum(), ratio;
    most = best[3];
    var other = best[1];
    most = better(other, most);
    print most, other.worth, changed.getVertexSetSize() >= 0;
    for v in nodes
        most = better(most, best[v]);
    end
    print most.worth, most.via;
    delete changed;
end
",
    ),
    (
        "graphs made of lists of edges",
        "element Pair end
element Slot end
const made : edgeset{Pair}(Node,Node,int);
const tail : vector{Link}(int) = -1;
const head : vector{Link}(int) = -1;
const length : vector{Link}(int) = 0;
const count : int = 40;
const slots : vertexset{Slot} = new vertexset{Slot}(count);
func choose(src : Node, dst : Node, weight : int, e : Link)
    if weight > 4
        tail[e] = dst;
        head[e] = (src + 1) mod nodes.size();
        length[e] = weight;
    end
end
func walk(src : Node, dst : Node, weight : int, p : Pair)
    y[dst] += weight + p;
end
func main()
    links.apply(choose);
    made = new edgeset{Pair}(Node,Node,int)(tail, head, length);
    print made.getEdges();
    made.apply(walk);
    var a : vector{Slot}(int) = 0;
    var b : vector{Slot}(int) = 0;
    var w : vector{Slot}(int) = 0;
    for i in 0:count
        a[i] = i mod nodes.size();
        b[i] = (i * 7 + 1) mod nodes.size();
        w[i] = i;
    end
    made = new edgeset{Pair}(Node,Node,int)(a, b, w);
    print made.getEdges(), made.getOutDegree(3);
    made.apply(walk);
    print y.sum();
end
",
    ),
    (
        "priorities that the host looks at",
        "const far : vector{Node}(int) = 2147483647;
const queue : priority_queue{Node}(int);
func relax(src : Node, dst : Node, weight : int)
    queue.updatePriorityMin(dst, far[dst], far[src] + weight);
end
func main()
    far[1] = 0;
    queue = new priority_queue{Node}(int)(false, false, far, 1, 0, false, 1);
    while queue.finished() == false
        var near : vertexset{Node} = queue.dequeue_ready_set();
        links.from(near).applyUpdatePriority(relax);
        delete near;
        print far[0];
    end
    delete queue;
end
",
    ),
];

/// Runs the small programs on a machine and compares everything they print and leave behind with the reference machine.
/// Every program runs twice, since executables are used again.
pub fn host_and_machine(machine: &dyn GraphVm) -> Result<(), Failure> {
    for &(name, body) in PROGRAMS {
        let fail = |problem: String| Failure { program: name, problem };
        let wanted = run(&ReferenceVm::new(), body).map_err(fail)?;
        let found = run(machine, body).map_err(fail)?;
        if found != wanted {
            let machine = machine.name();
            return Err(fail(format!("the reference machine says\n{wanted}\nand the {machine} machine says\n{found}")));
        }
    }
    Ok(())
}

fn run(machine: &dyn GraphVm, body: &str) -> Result<String, String> {
    let source = format!("{HEAD}{body}");
    let file = SourceFile::new("conformance.gt", &source);
    let front = compile_front(&file).map_err(|found| diagnostic::render(&found, &file, false))?;
    let module = gw_ir::lower(&front.typed, &source).map_err(|e| e.to_string())?;
    let options = gw_ir::Options { family: Some(machine.family()), ..gw_ir::Options::default() };
    let schedule = front.schedule.unwrap_or_default();
    let module = gw_ir::run_pipeline(module, &schedule, &options).map_err(|e| e.to_string())?;
    let mut program = Program::prepare(machine, Arc::new(module)).map_err(|e| e.to_string())?;
    let options = RunOptions::with_args(["kron:5:weights=1..9"]);
    let first = contents(&program.run(&options).map_err(|e| e.to_string())?)?;
    let second = contents(&program.run(&options).map_err(|e| e.to_string())?)?;
    if first != second {
        return Err(format!("the first run gave\n{first}\nand the second gave\n{second}"));
    }
    Ok(first)
}

/// Everything printed, and all results as text.
fn contents(result: &RunResult) -> Result<String, String> {
    let mut text = result.printed.clone();
    for (name, value) in result.globals.iter() {
        let value = match value {
            Value::Vector(vector) if vector.is_watched() => {
                return Err(format!("`{name}` was not brought to the host"));
            }
            Value::Vector(vector) => format!("{:?}", vector.to_f64()),
            Value::Graph(_) | Value::Queue(_) | Value::Set(_) => continue,
            scalar => format!("{scalar:?}"),
        };
        text.push_str(&format!("{name} = {value}\n"));
    }
    Ok(text)
}
