//! Values that a caller gives to globals.

use crate::common;

use common::{HEAD, graph, options, run};
use gw_exec::{Value, Vector};

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
    // One of the right length is changed where it is.
    let seen = Vector::from_slice(&[1, 1, 1, 1]);
    options.given.set("seen", Value::Vector(seen.clone()));
    run(&format!("{HEAD}{SOURCE}"), &options).unwrap();
    assert_eq!(seen.to_vec::<i32>(), Some(vec![1, 1, 1, 3]));
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
