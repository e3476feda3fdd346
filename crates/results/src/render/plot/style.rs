//! The style sheet of a chart that stands alone: its colours are literal, since programs that print or convert pictures
//! know no variables. Must never: differ from the page's style sheet in a colour, which a test compares.

use std::fmt::Write as _;

/// A class or a role, with its colour on paper and in the dark.
type Colour = (&'static str, &'static str, &'static str);

/// Of lines, dots, bars and names.
const SERIES: [Colour; 11] = [
    ("read", "#1a5fa9", "#72b2f4"),
    ("write", "#b0500a", "#f2a25c"),
    ("trim", "#41732a", "#95c874"),
    ("sync", "#7a4ba3", "#c7a4ea"),
    ("all", "#33475a", "#b6c5d3"),
    ("k0", "#1a5fa9", "#72b2f4"),
    ("k1", "#b0500a", "#f2a25c"),
    ("k2", "#41732a", "#95c874"),
    ("k3", "#7a4ba3", "#c7a4ea"),
    ("k4", "#33475a", "#b6c5d3"),
    ("published", "#606c77", "#8e9ca9"),
];
/// Of the rest.
const PAPER: Colour = ("paper", "#fbfbf8", "#10161c");
const INK: Colour = ("ink", "#17212b", "#e4e9ee");
const SOFT: Colour = ("soft", "#4a5763", "#b3bfca");
const FAINT: Colour = ("faint", "#606c77", "#8e9ca9");
const GRID: Colour = ("grid", "#e6e8e6", "#232d36");

/// What has no colour.
const SHAPES: &str = "text{font:11.5px system-ui,-apple-system,\"Segoe UI\",Roboto,Arial,\"DejaVu Sans\",sans-serif}\
    .end{text-anchor:end}.mid{text-anchor:middle}.tick{font-size:11px}.tag,.note{font-size:10.5px}\
    .title{font-size:14px;font-weight:600}.strong,.name{font-weight:600}.name{font-size:11px}\
    .grid,.axis,.mark,.ring,.line,.whisker,.arrow,path.published{fill:none}.grid,.axis,.mark{stroke-width:1}\
    .leader{fill:none;stroke-width:1;stroke-dasharray:1 3}.mark{stroke-dasharray:2 3}.ring{stroke-width:1.5}\
    .line{stroke-width:1.8;stroke-linejoin:round;stroke-linecap:round}.whisker,.arrow{stroke-width:1.4}\
    .many{stroke-width:1.1}.v1{stroke-dasharray:6 4}.v2{stroke-dasharray:1 4}\
    .v3{stroke-dasharray:10 3}.v4{stroke-dasharray:8 3 1.5 3}.v5{stroke-dasharray:8 3 1.5 3 1.5 3}.v6{stroke-dasharray:3 2.5}.v7{stroke-dasharray:12 3 3 3}.v8{stroke-dasharray:2 6}.v9{stroke-dasharray:12 3 3 3 3 3}\
    .thin{opacity:.45}.bar{fill-opacity:.35;stroke-width:1}.within{fill-opacity:.18}.hollow{stroke-width:1.5;stroke-linecap:round}.within.many{fill-opacity:.04}\
    .band{fill-opacity:.05}path.published{opacity:.75;stroke-dasharray:5 3;stroke-width:1.2}";

/// The style sheet.
pub(super) fn sheet() -> String {
    let mut sheet = SHAPES.to_owned();
    sheet += &colours(|c| c.1);
    let _ = write!(
        sheet,
        "@media screen and (prefers-color-scheme:dark){{{}}}",
        colours(|c| c.2)
    );
    sheet
}

fn colours(pick: fn(&Colour) -> &'static str) -> String {
    let (paper, ink, soft) = (pick(&PAPER), pick(&INK), pick(&SOFT));
    let (faint, grid) = (pick(&FAINT), pick(&GRID));
    let mut all = format!(
        ".paper{{fill:{paper}}}.note,.tag,.name{{stroke:{paper};stroke-width:3px;paint-order:stroke}}text{{fill:{soft}}}.title,.strong{{fill:{ink}}}.tick,.note{{fill:{faint}}}\
         .grid{{stroke:{grid}}}.axis,.mark{{stroke:{faint}}}.ring{{stroke:{ink}}}.band{{fill:{ink}}}"
    );
    for colour in &SERIES {
        let (class, value) = (colour.0, pick(colour));
        let _ = write!(
            all,
            ".line.{class},.whisker.{class},.arrow.{class},path.{class}{{stroke:{value}}}\
             .bar.{class}{{fill:{value};stroke:{value}}}.dot.{class},.within.{class}{{fill:{value};stroke:none}}.name.{class}{{fill:{value}}}\
             .hollow.dot.{class}{{fill:{paper};stroke:{value}}}"
        );
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of a variable in a block of the page's style sheet.
    fn of_page(block: &str, name: &str) -> String {
        let (_, after) = block.split_once(&format!("--{name}:")).unwrap();
        after.split([';', '}']).next().unwrap().to_owned()
    }

    #[test]
    fn colours_are_those_of_the_page() {
        let page = include_str!("../../../assets/report.css");
        let (light, rest) = page
            .split_once("@media (prefers-color-scheme:dark)")
            .unwrap();
        let dark = rest.split_once("}}").unwrap().0;
        for colour in SERIES
            .iter()
            .take(5)
            .chain([&PAPER, &INK, &SOFT, &FAINT, &GRID])
        {
            assert_eq!(colour.1, of_page(light, colour.0), "{}", colour.0);
            assert_eq!(colour.2, of_page(dark, colour.0), "{}", colour.0);
        }
    }
}
