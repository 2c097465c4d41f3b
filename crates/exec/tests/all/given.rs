//! Values that a caller gives to globals.

use crate::common;

use common::{HEAD, graph, options, run};
use gw_exec::{List, Value, Vector, VertexSet};

const SOURCE: &str = "element Change end
const fresh : edgeset{Change}(Node,Node);
const seen : vector{Node}(int);
const rounds : int;
func see(src : Node, dst : Node)
    seen[dst] += 1;
end
func main()
    fresh.apply(see);
    rounds += 1;
    print fresh.getEdges(), rounds, seen.sum();
end
";

#[test]
fn globals_begin_with_what_is_given() {
    let mut options = options(graph(4, &[(0, 1)]), &[]);
    let seen = Vector::from_slice(&[5, 7]);
    options.given.set("fresh", Value::Graph(graph(4, &[(0, 3), (1, 3)])));
    options.given.set("seen", Value::Vector(seen.clone()));
    options.given.set("rounds", Value::Int(10));
    let ran = run(&format!("{HEAD}{SOURCE}"), &options).unwrap();
    assert_eq!(ran.printed, "2 11 14\n");
    // A vector that is too short goes on with zeros, in memory of its own.
    assert_eq!(ran.globals.vector("seen").and_then(Vector::to_vec::<i32>), Some(vec![5, 7, 0, 2]));
    assert_eq!(seen.to_vec::<i32>(), Some(vec![5, 7]));
    // So does one of the right length: what was given stays as it is, and a second run with it gives the same.
    let seen = Vector::from_slice(&[1, 1, 1, 1]);
    options.given.set("seen", Value::Vector(seen.clone()));
    for _ in 0..2 {
        let ran = run(&format!("{HEAD}{SOURCE}"), &options).unwrap();
        assert_eq!(ran.globals.vector("seen").and_then(Vector::to_vec::<i32>), Some(vec![1, 1, 1, 3]));
        assert_eq!(seen.to_vec::<i32>(), Some(vec![1; 4]));
    }
}

/// A vector that is left to the run is changed where it is, but for one that is also seen elsewhere.
#[test]
fn what_nobody_else_has_is_not_copied() {
    let mut options = options(graph(4, &[(0, 1)]), &[]);
    options.given.set("fresh", Value::Graph(graph(4, &[(0, 3)])));
    for is_seen in [false, true] {
        let seen = Vector::from_slice(&[1, 1, 1, 1]);
        let (id, elsewhere) = (seen.id(), is_seen.then(|| seen.clone()));
        options.given.leave("seen", Value::Vector(seen));
        let ran = run(&format!("{HEAD}{SOURCE}"), &options).unwrap();
        let found = ran.globals.vector("seen").unwrap();
        assert_eq!(found.to_vec::<i32>(), Some(vec![1, 1, 1, 2]));
        assert_eq!(found.id() == id, !is_seen);
        assert!(elsewhere.is_none_or(|seen| seen.to_vec::<i32>() == Some(vec![1; 4])));
    }
}

/// Sets and lists are as much the caller's as vectors are, and one vector under two names stays one.
#[test]
fn what_is_given_stays_as_it_was() {
    const SOURCE: &str = "const ids : vertexset{Node};
const sets : list{vertexset{Node}};
const a : vector{Node}(int);
const b : vector{Node}(int);
func main()
    ids.addVertex(3);
    var last : vertexset{Node} = sets.pop();
    last.addVertex(2);
    sets.append(last);
    sets.append(ids);
    a[1] = 7;
    print ids.getVertexSetSize(), last.getVertexSetSize(), b[1];
end
";
    let mut options = options(graph(4, &[(0, 1)]), &[]);
    let (ids, inner, vector) =
        (VertexSet::from_ids(vec![0]), VertexSet::from_ids(vec![1]), Vector::from_slice(&[5, 5, 5]));
    let sets = List::default();
    sets.entries().push(Value::Set(inner.clone()));
    options.given.set("ids", Value::Set(ids.clone()));
    options.given.set("sets", Value::List(sets.clone()));
    options.given.set("a", Value::Vector(vector.clone()));
    options.given.set("b", Value::Vector(vector.clone()));
    for _ in 0..2 {
        let ran = run(&format!("{HEAD}{SOURCE}"), &options).unwrap();
        assert_eq!(ran.printed, "2 2 7\n");
        assert_eq!((ids.ids().unwrap(), inner.ids().unwrap(), sets.entries().len()), (vec![0], vec![1], 1));
        assert_eq!(vector.to_vec::<i32>(), Some(vec![5; 3]));
    }
}

#[test]
fn what_does_not_fit_is_explained() {
    for (name, value, message) in [
        ("nothing", Value::Int(1), "the global `nothing`: the program has no global of this name"),
        ("rounds", Value::Double(1.0), "the global `rounds`: a double is given, a int is needed"),
        ("seen", Value::Vector(Vector::from_slice(&[1.5])), "the global `seen`: a vector is given, a"),
        (
            "seen",
            Value::Vector(Vector::from_slice(&[1; 5])),
            "the global `seen`: it is given 5 entries, but there are 4",
        ),
    ] {
        let mut options = options(graph(4, &[(0, 1)]), &[]);
        options.given.set("fresh", Value::Graph(graph(4, &[])));
        options.given.set(name, value);
        let error = run(&format!("{HEAD}{SOURCE}"), &options).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}
