use super::*;

/// A run of so many workers; each does something at its place.
fn each<T: Send>(mut places: Vec<Place>, what: impl Fn(&mut Place) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = places.iter_mut().map(|place| scope.spawn(|| what(place))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

fn alone(workers: usize) -> Vec<Place> {
    places(workers, 1, &Arc::default(), &Arc::default())
}

/// Places of two processes with `workers` each, which stand on the places of another board.
fn two_processes(workers: usize) -> (Vec<Place>, Vec<Arc<End>>) {
    let ends: Vec<Arc<End>> = (0..2).map(|_| Arc::default()).collect();
    let outer = alone(2).into_iter().zip(&ends);
    let places = outer.flat_map(|(outer, end)| places(workers, 1, &Arc::new(Mutex::new(Some(Box::new(outer)))), end));
    (places.collect(), ends)
}

#[test]
fn everybody_hears_everybody_in_order() {
    for (places, size) in [(alone(3), 3), (two_processes(1).0, 2), (two_processes(2).0, 4)] {
        each(places, |place| {
            let own = place.rank();
            assert_eq!(place.size(), size);
            for round in 0..200usize {
                let said = Outgoing::All(Arc::new(vec![own as u8; round]));
                for (other, message) in place.exchange(said).unwrap().iter().enumerate() {
                    assert_eq!(**message, vec![other as u8; round]);
                }
                let each = (0..size).map(|to| Arc::new(vec![own as u8, to as u8, round as u8])).collect();
                for (other, message) in place.exchange(Outgoing::Each(each)).unwrap().iter().enumerate() {
                    assert_eq!(**message, [other as u8, own as u8, round as u8]);
                }
            }
        });
    }
}

#[test]
fn numbers_are_reduced_and_neighbours_speak() {
    for (places, size) in [(alone(3), 3), (two_processes(1).0, 2), (two_processes(2).0, 4)] {
        each(places, |place| {
            let own = place.rank();
            for (op, wanted) in [(Op::Sum, size * (size - 1) / 2), (Op::Min, 0), (Op::Max, size - 1)] {
                let mut values = [7, own as u64];
                place.allreduce(&mut values, op).unwrap();
                assert_eq!(values[1], wanted as u64);
            }
            // Every rank has one entry of two bytes for the next one, and nothing for the others.
            let (next, before) = ((own + 1) % size, (own + size - 1) % size);
            let only = |rank: usize| (0..size).map(|other| usize::from(other == rank)).collect::<Vec<_>>();
            let plan = place.neighbours(&only(next), &only(before)).unwrap();
            assert_eq!((plan.give(), plan.take()), (&[(next, 1)][..], &[(before, 1)][..]));
            for round in 0..50 {
                let part = Arc::new(vec![own as u8, round]);
                let heard = place.exchange_neighbours(&plan, 2, vec![part]).unwrap();
                assert!(heard.len() == 1 && *heard[0] == [before as u8, round]);
            }
            place.barrier().unwrap();
            assert!(place.exchange_neighbours(&plan, 3, vec![Arc::new(vec![0; 2])]).is_err());
        });
    }
}

#[test]
fn whoever_waits_for_one_that_failed_is_told_why() {
    let mut places = alone(2);
    let mut failing = places.pop().unwrap();
    let mut waiting = places.pop().unwrap();
    std::thread::scope(|scope| {
        let waited = scope.spawn(move || waiting.barrier());
        std::thread::sleep(Duration::from_millis(30));
        failing.abort("worker 1: no");
        assert_eq!(waited.join().unwrap(), Err(Over("worker 1: no".to_string())));
        assert!(failing.barrier().is_err());
    });
}

#[test]
fn a_process_whose_connection_fails_tells_its_workers() {
    let (places, ends) = two_processes(2);
    let mut places = places.into_iter();
    let [mut first, mut second] = [places.next().unwrap(), places.next().unwrap()];
    std::thread::scope(|scope| {
        let both = [scope.spawn(move || first.barrier()), scope.spawn(move || second.barrier())];
        std::thread::sleep(Duration::from_millis(30));
        ends[0].tell("the time is over");
        for waited in both {
            assert_eq!(waited.join().unwrap(), Err(Over("the time is over".to_string())));
        }
    });
}
