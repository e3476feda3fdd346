//! How the work of a run was spread over slaves, hosts, SDs and WDs.

use super::layout::{Layout, PageKind, slave_of};
use super::row::{Cpu, Figures};
use super::stage::Current;
use std::fmt::Write as _;

/// The tables of one run; every line begins with the time.
pub(super) fn tables(layout: &Layout, current: &Current, time: &str, first: bool) -> String {
    let mut out = format!("{time} \n");
    if first {
        let _ = writeln!(
            out,
            "{time} All counts are of the intervals after the warm-up.\n{time} "
        );
    }
    let of = |kind: PageKind| -> Vec<usize> {
        let pages = layout.pages.iter().enumerate();
        let own = pages.filter(|(place, page)| page.kind == kind && current.uses(*place));
        own.map(|p| p.0).collect()
    };
    let mut all = Vec::new();
    let hosts = of(PageKind::Host);
    if hosts.len() > 1 {
        for &host in &hosts {
            let rows = [(slave_of(&layout.pages[host].name), host)];
            all.push(table(current, time, "Slave:", &rows, None));
        }
        let rows = named(layout, &hosts);
        let cpu = |place| current.cpu().of(place);
        all.push(table(current, time, "Host:", &rows, Some(&cpu)));
    }
    for (kind, title) in [(PageKind::Sd, "SD:"), (PageKind::Wd, "WD:")] {
        let places = of(kind);
        if places.len() > 1 {
            all.push(table(current, time, title, &named(layout, &places), None));
        }
    }
    // Tables are parted by a line with the time alone; none follows the last.
    out.push_str(&all.join(&format!("{time} \n")));
    out
}

fn named(layout: &Layout, places: &[usize]) -> Vec<(String, usize)> {
    let name = |&place: &usize| (layout.pages[place].name.clone(), place);
    places.iter().map(name).collect()
}

type CpuOf<'a> = Option<&'a dyn Fn(usize) -> Option<Cpu>>;

fn table(
    current: &Current,
    time: &str,
    title: &str,
    rows: &[(String, usize)],
    cpu: CpuOf<'_>,
) -> String {
    let (_, cells, span) = current.averages();
    let wide = rows
        .iter()
        .map(|r| r.0.chars().count())
        .max()
        .unwrap_or(0)
        .max(8);
    let (head, foot) = if cpu.is_some() {
        ("   cpu", " sys+u")
    } else {
        ("", "")
    };
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{time} {:wide$}       i/o   MB/sec   bytes   read     resp     read    write     resp     resp queue {head}",
        ""
    );
    let _ = writeln!(
        out,
        "{time} {title:<wide$}      rate  1024**2     i/o    pct     time     resp     resp      max   stddev depth {foot}"
    );
    let mut sum = super::row::Cell::default();
    for (name, place) in rows {
        sum.merge(&cells[*place]);
        let figures = Figures::of(&cells[*place], span);
        let cpu = cpu.map(|of| of(*place));
        line(&mut out, (time, name, wide), &figures, cpu);
    }
    let all = cpu.is_some().then(|| current.cpu().mean());
    line(
        &mut out,
        (time, "Total", wide),
        &Figures::of(&sum, span),
        all,
    );
    out
}

fn line(
    out: &mut String,
    (time, name, wide): (&str, &str, usize),
    f: &Figures,
    cpu: Option<Option<Cpu>>,
) {
    let _ = write!(
        out,
        "{time} {name:<wide$} {:>9.2} {:>8.2} {:>7.0} {:>6.2} {:>8.3} {:>8.3} {:>8.3} {:>8.3} {:>8.3} {:>5.1} ",
        f.rate,
        f.mib,
        f.bytes,
        f.read_percent,
        f.resp[0],
        f.resp[1],
        f.resp[2],
        f.max[0],
        f.stddev[0],
        f.depth
    );
    if let Some(cpu) = cpu {
        let used = cpu.map_or(f64::NAN, |c| c.user + c.system);
        let _ = write!(out, "{used:>6.1}");
    }
    out.push('\n');
}
