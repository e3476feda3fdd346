//! How the lines of a picture look, the same in each of its charts, and the legend that names them.
//!
//! Belongs here: colours, dashes, markers and names. Must never: choose which points are shown.

use super::lines::Picked;
use super::request::{MOST_DISTINCT, PlotX};
use super::spot::{PlotLine, PlotSpot};
use super::text::{ACROSS, WIDTH, text, wrapped};
use crate::render::hues;
use crate::render::svg::{MarkerFill, Series, Shape, VARIANTS, line_sample, sample};

/// Letters of a name that has room beside its line.
const LETTERS: usize = 17;
/// Most lines that are named at their ends; more have numbers and a legend.
const MOST_NAMED: usize = 6;
/// Letters of a name in a legend of two columns.
const ACROSS_HALF: usize = 30;
/// Marker of what was published: large and hollow, so that it is seen around a point of a run at the same place.
const PUBLISHED: u8 = 9;

/// Dashes of lines without markers in turn: the fourth is of dashes and dots.
const DASHES: [usize; 4] = [0, 1, 2, 4];

/// How a line looks.
#[derive(Clone, Default)]
pub(super) struct Look {
    label: String,
    class: String,
    /// Dash and marker.
    variant: u8,
    /// What is inside the marker: lines of other colours have another.
    fill: MarkerFill,
    /// The word at its end.
    end: String,
    /// Its points are joined.
    joined: bool,
    /// It has no markers: dash and colour alone distinguish it.
    unmarked: bool,
}

/// How each line looks, the same in every chart of the picture.
pub(super) struct Looks {
    pub(super) each: Vec<Look>,
    /// Lines have numbers, and a legend says what they are.
    pub(super) numbered: bool,
    /// Each is of dots, with nothing at its end, and a legend says what they are.
    dots: bool,
    /// More lines than colour and dash distinguish: they are thin.
    is_many: bool,
}

impl Looks {
    pub(super) fn of(picked: &Picked) -> Self {
        let mut lines: Vec<&PlotLine> = Vec::new();
        for line in picked.panels.iter().flat_map(|p| &p.lines) {
            if !lines.iter().any(|known| known.label == line.label) {
                lines.push(line);
            }
        }
        let mut colours: Vec<&str> = Vec::new();
        for line in &lines {
            if !colours.contains(&line.colour.as_str()) {
                colours.push(&line.colour);
            }
        }
        let classes = hues::of_all(&colours);
        let single = colours.len() == lines.len();
        let published = published(picked);
        let longest = lines.iter().map(|l| l.label.chars().count()).max();
        let numbered = longest > Some(LETTERS)
            || lines.len() + published.len() > MOST_NAMED
            || published.iter().any(|l| l.chars().count() > LETTERS)
            || (lines.len() > 1 && picked.x == PlotX::Time);
        let dots = !picked.names.is_empty();
        let is_many = lines.len() > MOST_DISTINCT;
        let mut looks = Self {
            each: Vec::new(),
            numbered: numbered && !dots,
            dots,
            is_many,
        };
        let unmarked = matches!(picked.x, PlotX::Time | PlotX::Percentile);
        for (n, line) in lines.iter().enumerate() {
            let place = colours.iter().position(|c| *c == line.colour);
            let class = place.and_then(|at| classes.get(at)).cloned();
            let class = class.unwrap_or_default();
            let before = looks.each.iter().filter(|one| one.class == class).count();
            // Of many lines those of one colour are all in turn.
            let variant = match (single, is_many) {
                (true, false) if unmarked => DASHES[n % DASHES.len()],
                (true, false) => n % 3,
                (true, true) => n / 5,
                (false, _) => before,
            } % VARIANTS;
            let variant = u8::try_from(variant).unwrap_or(0);
            let fill = match (single, is_many) {
                _ if unmarked => 0,
                (true, false) => n / 3,
                (true, true) | (false, _) => place.unwrap_or(n),
            };
            let look = (variant, MarkerFill::of(fill));
            looks.add(&line.label, class, look, line.joined);
        }
        looks
            .each
            .iter_mut()
            .for_each(|one| one.unmarked = unmarked);
        for label in published {
            let look = (PUBLISHED, MarkerFill::Full);
            looks.add(&label, "published".to_owned(), look, true);
        }
        looks
    }

    fn add(&mut self, label: &str, class: String, (variant, fill): (u8, MarkerFill), joined: bool) {
        let joined = joined && !self.dots;
        // Dots have no end, so that the legend names them.
        let end = match (joined, self.numbered) {
            (false, _) => String::new(),
            (true, true) => format!("{}", self.each.len() + 1),
            (true, false) => label.to_owned(),
        };
        self.each.push(Look {
            label: label.to_owned(),
            class,
            variant,
            fill,
            end,
            joined,
            unmarked: false,
        });
    }

    /// How lines that look the same are distinguished.
    pub(super) const fn apart(&self) -> &'static str {
        match self.dots {
            true => {
                "Some markers repeat: at each name of the axis, the lines are in the order of the list."
            }
            false => "Some line styles repeat: the number at the end of a line identifies it.",
        }
    }

    /// Whether two lines look the same: then only their numbers distinguish them.
    pub(super) fn repeat(&self) -> bool {
        let mut looks: Vec<(&str, u8, MarkerFill)> = Vec::new();
        let measured = self.each.iter().filter(|one| one.class != "published");
        for one in measured {
            let look = (colour_of(&one.class), one.variant, one.fill);
            if looks.contains(&look) {
                return true;
            }
            looks.push(look);
        }
        false
    }

    pub(super) fn series(&self, line: &PlotLine, label: &str, shape: Shape) -> Series {
        let own = self.each.iter().find(|one| one.label == label);
        let own = own.cloned().unwrap_or_default();
        let mut class = own.class;
        let shape = match shape {
            Shape::Marked if !own.joined => Shape::Dots,
            shape => shape,
        };
        if self.is_many {
            class += " many";
        }
        let tag = |s: &PlotSpot| match s.failed {
            true => format!("{} !", s.tag).trim_start().to_owned(),
            false => s.tag.clone(),
        };
        Series {
            label: own.end,
            class,
            variant: own.variant,
            fill: own.fill,
            shape,
            points: line.spots.iter().map(|s| (s.x, s.y)).collect(),
            tags: match shape {
                Shape::Marked | Shape::Dots | Shape::Bars(_) => {
                    line.spots.iter().map(tag).collect()
                }
                Shape::Line | Shape::Step => Vec::new(),
            },
            thin_from: line.thin_from,
            brackets: line.spots.iter().map(|s| s.bracket).collect(),
        }
    }

    /// The legend from y on, many short names in two columns; where it ends.
    pub(super) fn legend(&self, y: f64, out: &mut String) -> f64 {
        let has_dots = self.each.iter().any(|one| !one.joined);
        if !self.numbered && (!has_dots || self.each.len() < 2) {
            return y;
        }
        let named = self.each.iter().map(|one| {
            let label = if one.label.is_empty() {
                "measured"
            } else {
                &one.label
            };
            match one.end.as_str() {
                "" => label.to_owned(),
                end => format!("{end}: {label}"),
            }
        });
        let named: Vec<String> = named.collect();
        let is_short = named
            .iter()
            .all(|words| words.chars().count() <= ACROSS_HALF);
        let columns = if self.is_many && is_short { 2 } else { 1 };
        let rows = named.len().div_ceil(columns).max(1);
        let mut ends = vec![y; columns];
        for (n, (one, words)) in self.each.iter().zip(&named).enumerate() {
            let (x, y) = (WIDTH / 2.0 * (n / rows) as f64, &mut ends[n / rows]);
            let at = (x + 4.0, *y + 7.0);
            let look = (one.variant, one.fill);
            let as_drawn = match one.unmarked {
                true => line_sample(&one.class, one.variant, at),
                false => sample(&one.class, look, at, one.joined),
            };
            out.push_str(&as_drawn);
            for line in wrapped(words, ACROSS - 8) {
                text(out, (x + 42.0, *y + 11.0), "tag", &line);
                *y += 15.0;
            }
        }
        ends.into_iter().fold(y, f64::max) + 4.0
    }
}

/// The class of the same colour that operations have.
fn colour_of(class: &str) -> &str {
    let same = [
        ("k0", "read"),
        ("k1", "write"),
        ("k2", "trim"),
        ("k3", "sync"),
        ("k4", "all"),
    ];
    let found = same.iter().find(|(own, _)| *own == class);
    found.map_or(class, |(_, of_op)| of_op)
}

/// Labels of published lines.
fn published(picked: &Picked) -> Vec<String> {
    let mut labels: Vec<String> = Vec::new();
    for line in picked.panels.iter().flat_map(|p| &p.published) {
        let label = published_as(line);
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    labels
}

pub(super) fn published_as(line: &PlotLine) -> String {
    format!("published {}", line.label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_legend_has_markers_where_lines_have_them() {
        let of = |unmarked: bool| {
            let mut looks = Looks {
                each: Vec::new(),
                numbered: true,
                dots: false,
                is_many: false,
            };
            looks.add("a", "k0".to_owned(), (0, MarkerFill::Full), true);
            looks.each[0].unmarked = unmarked;
            let mut out = String::new();
            looks.legend(0.0, &mut out);
            out
        };
        assert_eq!(of(true).matches("<path").count(), 1, "{}", of(true));
        assert_eq!(of(false).matches("<path").count(), 2, "{}", of(false));
    }
}
