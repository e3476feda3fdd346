//! On a simulated device all is known, and what is said is so: figures, doubts and words.

use crate::support::{Done, Place, finish};

/// Runs a job of fio's on a simulated device with eight places of 1 ms each, and more of `device`.
fn simulated(place: &Place, device: &str, more: &[&str]) -> Done {
    let device = format!("--sim=service=1ms,parallel=8{device}");
    let common = ["--name=a", "--ioengine=sim", &device, "--rw=randread"];
    let size = ["--bs=4k", "--size=1g", "--time_based"];
    let done = finish(&mut place.fio(&[&common[..], &size, more].concat()));
    assert_eq!(done.code, Some(0), "{done:?}");
    done
}

/// Stalls across the edges of the window, a window shorter than an I/O: never more in flight than asked.
#[test]
fn what_lies_across_an_edge_of_the_window_is_no_defect() {
    let window = ["--iodepth=8", "--ramp_time=1", "--runtime=1"];
    for stall in ["300ms@900ms", "900ms@400ms", "1500ms@1900ms", "3s@900ms"] {
        let place = Place::new();
        simulated(&place, &format!(",stall={stall}"), &window);
        let found = place.findings();
        assert!(
            !found.contains(&"little-mismatch".to_owned()),
            "{stall}: {found:?}"
        );
    }
}
