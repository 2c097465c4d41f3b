//! Real ranks, started by the `mpiexec` of an installed MPI: this test program again, as the test of one rank.

use std::process::Output;
use std::sync::Arc;
use std::time::Instant;

use gw_fabric::{End, Fabric, Op, Outgoing};

/// Runs a test of this file as so many ranks.
fn run(test: &str, ranks: usize, variables: &[(&str, &str)]) -> Option<Output> {
    let mut command = gw_testing::mpi::ranks(ranks, &std::env::current_exe().unwrap())?;
    command.args(["--exact", &format!("ranks::{test}"), "--ignored", "--nocapture", "--test-threads", "1"]);
    Some(command.envs(variables.iter().copied()).output().unwrap())
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn ranks_hear_each_other() {
    for ranks in [1, 2, 3] {
        let Some(output) = run("a_rank_that_speaks", ranks, &[]) else { return };
        assert!(output.status.success(), "{}", text(&output));
        assert_eq!(text(&output).matches("all is well").count(), ranks, "{}", text(&output));
    }
}

#[test]
#[ignore = "a rank of another test"]
fn a_rank_that_speaks() {
    let (mut mpi, cores) = gw_mpi::open().unwrap();
    let (own, size) = (mpi.rank(), mpi.size());
    assert_eq!(gw_mpi::place(), Some((own, size)));
    assert_eq!(cores.here, size);
    assert!(gw_mpi::open().is_err_and(|error| error.to_string().contains("was opened in this process before")));
    mpi.watch(&Arc::<End>::default());
    // Short and long messages, at and around the length that rides along.
    for length in [0, 1, 4087, 4088, 4089, 100_000, 5_000_000, 3] {
        let all = Outgoing::All(Arc::new(vec![own as u8; length + own]));
        for (other, message) in mpi.exchange(all).unwrap().iter().enumerate() {
            assert!(**message == *vec![other as u8; length + other], "{length} of {other}");
        }
        let each = (0..size).map(|to| Arc::new(vec![(10 * own + to) as u8; length * to])).collect();
        for (other, message) in mpi.exchange(Outgoing::Each(each)).unwrap().iter().enumerate() {
            assert!(**message == *vec![(10 * other + own) as u8; length * own], "{length} of {other}");
        }
    }
    // A ring of neighbours.
    let (next, before) = ((own + 1) % size, (own + size - 1) % size);
    let only = |rank: usize| (0..size).map(|other| if other == rank { 1000 } else { 0 }).collect::<Vec<_>>();
    let plan = mpi.neighbours(&only(next), &only(before)).unwrap();
    for round in 0..100u8 {
        let parts = plan.give().iter().map(|_| Arc::new(vec![own as u8 + round; 8000])).collect();
        let heard = mpi.exchange_neighbours(&plan, 8, parts).unwrap();
        assert_eq!(heard.len(), usize::from(size > 1));
        assert!(heard.iter().all(|message| **message == *vec![before as u8 + round; 8000]));
        let mut values = [own as u64, u64::from(round)];
        mpi.allreduce(&mut values, Op::Sum).unwrap();
        assert_eq!(values, [(size * (size - 1) / 2) as u64, size as u64 * u64::from(round)]);
        mpi.allreduce(&mut values, Op::Max).unwrap();
    }
    let since = Instant::now();
    for _ in 0..1000 {
        mpi.barrier().unwrap();
    }
    eprintln!("all is well; {:.1} us per exchange", since.elapsed().as_secs_f64() * 1e3);
    gw_mpi::finish().unwrap();
    assert_eq!(gw_mpi::place(), None);
}

/// What all ranks find is told by the first; what one of them finds, by that one, which ends the others.
#[test]
fn one_rank_speaks_for_all() {
    for (failing, word) in [("all", "rank 0 speaks"), ("2", "rank 2 speaks"), ("12", "rank 1 speaks")] {
        let Some(output) = run("a_rank_that_fails", 3, &[("GW_TEST_FAILING", failing)]) else { return };
        assert_eq!(output.status.code(), Some(3), "{failing}: {}", text(&output));
        assert_eq!(text(&output).matches("speaks").count(), 1, "{failing}: {}", text(&output));
        assert!(text(&output).contains(word), "{failing}: {}", text(&output));
    }
}

#[test]
#[ignore = "a rank of another test"]
fn a_rank_that_fails() {
    let (mut mpi, _) = gw_mpi::open().unwrap();
    let failing = std::env::var("GW_TEST_FAILING").unwrap();
    if failing != "all" && !failing.contains(&mpi.rank().to_string()) {
        // For ever: the others never come.
        panic!("an exchange with ranks that failed: {:?}", mpi.barrier().map(drop));
    }
    if gw_mpi::speaker() {
        eprintln!("rank {} speaks", mpi.rank());
    }
    gw_mpi::abort(3);
}

/// A run that is over ends the wait for ranks that do not come, and nothing can be exchanged from then on.
#[test]
fn waiting_ends_when_the_run_is_over() {
    let Some(output) = run("a_rank_that_waits", 2, &[]) else { return };
    assert_eq!(output.status.code(), Some(5), "{}", text(&output));
    assert_eq!(text(&output).matches("in vain").count(), 1, "{}", text(&output));
}

#[test]
#[ignore = "a rank of another test"]
fn a_rank_that_waits() {
    let (mut mpi, _) = gw_mpi::open().unwrap();
    if mpi.rank() == 1 {
        std::thread::sleep(std::time::Duration::from_secs(20));
        return;
    }
    let end = Arc::<End>::default();
    mpi.watch(&end);
    let teller = Arc::clone(&end);
    std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(300));
        teller.tell("the time is over");
    });
    assert_eq!(mpi.barrier().unwrap_err().0, "the time is over");
    mpi.watch(&Arc::<End>::default());
    assert_eq!(mpi.barrier().unwrap_err().0, "the time is over");
    eprintln!("in vain");
    gw_mpi::abort(5);
}

#[test]
fn what_is_no_library_of_the_abi_is_told_with_the_remedy() {
    let folder = std::env::temp_dir();
    for (given, word) in [
        (folder.join("no-such-library.so"), "pip install mpich"),
        (std::path::PathBuf::from("libc.so.6"), "not an MPI with the standard ABI"),
    ] {
        let program = std::env::current_exe().unwrap();
        let mut command = std::process::Command::new(program);
        command.args(["--exact", "ranks::a_rank_without_a_library", "--ignored", "--nocapture"]);
        let output = command.env("GW_MPI", given).output().unwrap();
        assert!(text(&output).contains(word), "{}", text(&output));
    }
}

#[test]
#[ignore = "a rank of another test"]
fn a_rank_without_a_library() {
    println!("{}", gw_mpi::open().map(drop).unwrap_err());
}

/// A launcher of another MPI: the library does not see its ranks.
#[test]
fn a_launcher_of_another_mpi_is_noticed() {
    let Some(programs) = gw_testing::mpi::programs() else { return };
    let library = programs.parent().unwrap().join("lib");
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "ranks::a_rank_without_a_library", "--ignored", "--nocapture"]);
    let foreign = [("OMPI_COMM_WORLD_RANK", "0"), ("OMPI_COMM_WORLD_SIZE", "4")];
    let output = command.envs(foreign).env("GW_MPI", library).output().unwrap();
    assert!(text(&output).contains("started 4 ranks, but the MPI in"), "{}", text(&output));
}
