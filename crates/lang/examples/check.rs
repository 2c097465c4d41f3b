//! Checks the `.gt` files named on the command line and prints what the front end finds.

use gw_lang::{SourceFile, check, diagnostic, parse};

fn main() {
    let (mut good, mut bad) = (0, 0);
    for path in std::env::args().skip(1) {
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => {
                eprintln!("{path}: {error}");
                bad += 1;
                continue;
            }
        };
        let source = SourceFile::new(&path, text);
        let (ast, mut diagnostics) = parse(&source);
        let mut fine = !diagnostic::has_errors(&diagnostics);
        if fine {
            match check(&ast) {
                Ok(checked) => diagnostics.extend(checked.warnings),
                Err(errors) => {
                    fine = false;
                    diagnostics.extend(errors);
                }
            }
        }
        print!("{}", diagnostic::render(&diagnostics, &source, false));
        if fine {
            good += 1;
        } else {
            bad += 1;
        }
    }
    println!("{good} fine, {bad} rejected");
}
