//! Walks the finished text of a kernel: every subscript and every question to a graph in it is an access that was
//! recorded with its reason (`access.rs`), or one that the machine itself makes of its own numbers.
//!
//! Runs where debug assertions are on, so in all tests. A way around `access.rs` in the code generator then fails the
//! first test that meets it.

use super::access::{Access, Reason, Requirement};

/// Arrays that generated code indexes by numbers of the machine: vertices that a balancer hands out (below the
/// vertices of the walked graph, [`Requirement::Walked`]), positions in sets, and words of results.
const OF_THE_MACHINE: &[&str] = &[
    "graph.out_offsets",
    "graph.out_ranges",
    "graph.in_offsets",
    "graph.in_ranges",
    "from.queue",
    "args.results",
    "in.seen_map",
    "hash",
];

/// Functions of the headers that read a graph at a vertex of the program.
const QUESTIONS: &[&str] =
    &[".out_degree", "gw::out_neighbour", "gw::out_weight", "gw::random_neighbour", "gw::common_by_"];

/// What is wrong with the accesses of a kernel; nothing in a kernel that may run.
pub(super) fn problem(text: &str, accesses: &[Access], requires: &[Requirement]) -> Option<String> {
    for access in accesses {
        let unknown = |reason: &Reason| match reason {
            Reason::Checked => !access.text.contains("gw::checked"),
            Reason::Constant => false,
            Reason::Required(required) => required.is_empty() || required.iter().any(|r| !requires.contains(r)),
        };
        if access.reasons.is_empty() || access.reasons.iter().any(unknown) {
            return Some(format!("`{}` has no reason to be in range", access.text));
        }
    }
    let known: Vec<String> = accesses.iter().map(|access| plain(&access.text)).collect();
    let code: String =
        text.lines().filter(|line| !line.trim_start().starts_with(['/', '#'])).collect::<Vec<_>>().join("\n");
    let subscripts = code.match_indices('[').filter_map(|(at, _)| subscript(&code, at));
    for (base, whole) in subscripts {
        let own = OF_THE_MACHINE.iter().any(|own| base == *own || base.strip_prefix(own).is_some_and(is_number))
            || code[..offset(&code, whole)].ends_with("__shared__ int ");
        if !own && !known.contains(&plain(whole)) {
            return Some(format!("`{whole}` is not a recorded access"));
        }
    }
    let queries = QUESTIONS.iter().flat_map(|name| code.match_indices(name));
    for call in queries.filter_map(|(at, name)| question(&code, at, name)) {
        if !known.contains(&plain(call)) {
            return Some(format!("`{call}` is not a recorded access"));
        }
    }
    None
}

/// Without blanks and parentheses, which are tidied up after an access is recorded.
fn plain(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && !matches!(c, '(' | ')')).collect()
}

/// What is added to a name that the program has, too.
fn is_number(rest: &str) -> bool {
    rest.strip_prefix('_').is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':')
}

/// Where a part of a text begins in it.
fn offset(text: &str, part: &str) -> usize {
    part.as_ptr() as usize - text.as_ptr() as usize
}

/// One past the bracket that closes the one at `open`.
fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text[open..].char_indices() {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(open + at + c.len_utf8());
        }
    }
    None
}

/// The array and the whole of a subscript whose bracket opens at `at`; nothing for the captures of a lambda.
fn subscript(text: &str, at: usize) -> Option<(&str, &str)> {
    let begin = text[..at].rfind(|c| !is_name(c)).map_or(0, |before| before + 1);
    (begin < at).then_some(())?;
    Some((&text[begin..at], &text[begin..closing(text, at)?]))
}

/// The call of a function that asks a graph, with its arguments, from the object before it on. A vector may have the
/// name of a function; it is not called.
fn question<'t>(text: &'t str, at: usize, name: &str) -> Option<&'t str> {
    let begin = text[..at].rfind(|c| !is_name(c)).map_or(0, |before| before + 1);
    let open = at + text[at..].find('(')?;
    let rest = &text[at + name.len()..open];
    rest.chars().all(|c| is_name(c) || matches!(c, '<' | '>')).then_some(())?;
    Some(&text[begin..closing(text, open)?])
}

#[cfg(test)]
mod tests {
    use super::super::inputs::Source;
    use super::*;

    fn entry(text: &str, reason: Reason) -> Access {
        Access { text: text.to_string(), reasons: vec![reason] }
    }

    fn length() -> Requirement {
        Requirement::Entries(Source::GlobalLength("hits".into()))
    }

    #[test]
    fn what_was_recorded_passes() {
        let checked = "in.hits[gw::checked(in.fault, in.to[dst], in.hits_length, 9, VECTOR_hits)]";
        let accesses = [
            entry("in.hits[dst]", Reason::Required(vec![length()])),
            entry("in.out_degree[dst]", Reason::Required(vec![length()])),
            entry("in.to[dst]", Reason::Required(vec![length()])),
            entry(checked, Reason::Checked),
            entry("in.small.out_degree(dst)", Reason::Required(vec![Requirement::Queried("small".into())])),
        ];
        let text = format!(
            "// x[1]\n__shared__ int hash[1024];\nhash[i] = -1;\n{checked} = in.hits[dst];\nint n = in.small.out_degree(dst) + in.out_degree[dst];\n\
             each(run, [&](int v) {{ f(graph.out_offsets[v + 1]); }});"
        );
        let requires = [length(), Requirement::Queried("small".into())];
        assert_eq!(problem(&text, &accesses, &requires), None);
        // What nobody will compare is no reason.
        assert!(problem(&text, &accesses, &requires[1..]).is_some_and(|p| p.contains("no reason")));
    }

    #[test]
    fn a_way_around_is_found() {
        let accesses = [entry("in.hits[dst]", Reason::Required(vec![length()]))];
        for stray in [
            "in.hits[src] = 1;",
            "x = hits[dst];",
            "n += in.small.out_degree(dst);",
            "gw::common_by_merge(in.g, u, v, v);",
        ] {
            let found = problem(stray, &accesses, &[length()]);
            assert!(found.is_some_and(|p| p.contains("not a recorded access")), "{stray}");
        }
        let unchecked = [entry("in.hits[dst]", Reason::Checked)];
        assert!(problem("in.hits[dst] = 1;", &unchecked, &[]).is_some_and(|p| p.contains("no reason")));
    }
}
