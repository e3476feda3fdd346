//! Any JSON as a plan: it becomes one, and that becomes programs on a made-up host, or is refused in words.

use leadline_engine::schedule::{HostFacts, PathKind, compile};
use leadline_model::plan::Plan;
use std::path::Path;

/// What is at a path follows from its name.
struct Host;

impl HostFacts for Host {
    fn path_kind(&self, path: &Path) -> PathKind {
        match path.as_os_str().len() % 5 {
            0 => PathKind::Missing,
            1 => PathKind::File { size: 1 << 20 },
            2 => PathKind::File { size: 0 },
            3 => PathKind::Block {
                size: 1 << 40,
                logical_block: 4096,
            },
            _ => PathKind::Other("a directory".to_owned()),
        }
    }

    fn free_bytes(&self, path: &Path) -> Option<u64> {
        path.as_os_str().len().is_multiple_of(2).then_some(1 << 30)
    }

    fn direct_align(&self, _: &Path) -> Option<u32> {
        Some(512)
    }
}

/// Takes bytes as a plan.
pub(crate) fn json(bytes: &[u8]) {
    let Ok(plan) = serde_json::from_slice::<Plan>(bytes) else {
        return;
    };
    let text = serde_json::to_vec(&plan).unwrap();
    assert_eq!(serde_json::from_slice::<Plan>(&text).unwrap(), plan);
    for stage in plan.stages.iter().take(4) {
        match compile(stage, &plan, &Host, 7) {
            Ok(programs) => {
                for program in programs.iter().take(4) {
                    assert!(program.depth() >= 1 && program.buffer.0 >= 1);
                    let mut generator = program.generator();
                    for _ in 0..64 {
                        let op = generator.pick_op();
                        let Some(io) = generator.next(op) else { break };
                        assert!((io.file as usize) < program.files.len().max(1));
                        assert!(u64::from(io.len) <= program.buffer.0);
                    }
                }
            }
            Err(problems) => {
                assert!(!problems.is_empty() && problems.iter().all(|p| !p.text.is_empty()));
            }
        }
    }
}
