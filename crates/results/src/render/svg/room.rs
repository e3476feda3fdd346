//! Where words have room on patches that lie on one another.
//!
//! Belongs here: from patches and words to places. A word is placed on what still shows of its patch, on one line or on two;
//! a patch without that room gets a number, inside of it or beside it with a leader. Must never: let words touch each
//! other, or put one on a smaller patch that is not its own.

/// From one line of a word to the next.
pub(super) const LINE: f64 = 12.0;
/// Height of a line of digits and letters, and how far it is below the middle when it is centred.
const HIGH: f64 = 11.0;
const DOWN: f64 = 4.0;
/// Between words.
const GAP: f64 = 1.5;
/// Places that are tried along each side of a patch.
const STEPS: u32 = 8;
/// How far beside its patch a number may stand.
const BESIDE: [f64; 3] = [14.0, 20.0, 27.0];
/// More numbers are not looked up.
const MOST_KEYS: usize = 40;

/// A rectangle in pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patch {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

/// A word in its place.
#[derive(Clone, Debug)]
pub(super) struct TileWord {
    /// The patch that it is about.
    pub(super) of: usize,
    /// The patch that it is placed on.
    pub(super) on: usize,
    /// Its lines: one or two.
    pub(super) lines: Vec<String>,
    /// Middle of the first line, at its foot.
    pub(super) at: (f64, f64),
    /// Where a line to it begins, of one beside its patch.
    pub(super) leader: Option<(f64, f64)>,
    /// The number that it is; 0 = it is the word itself.
    pub(super) key: usize,
}

impl Patch {
    fn touches(&self, other: &Self) -> bool {
        let across = self.left < other.right && other.left < self.right;
        across && self.top < other.bottom && other.top < self.bottom
    }

    fn holds(&self, other: &Self) -> bool {
        let across = self.left <= other.left && other.right <= self.right;
        across && self.top <= other.top && other.bottom <= self.bottom
    }

    const fn middle(&self) -> (f64, f64) {
        (
            f64::midpoint(self.left, self.right),
            f64::midpoint(self.top, self.bottom),
        )
    }

    /// A rectangle of a size around a point.
    fn around((x, y): (f64, f64), (wide, high): (f64, f64)) -> Self {
        Self {
            left: x - wide / 2.0,
            right: x + wide / 2.0,
            top: y - high / 2.0,
            bottom: y + high / 2.0,
        }
    }
}

/// What words have to keep clear of.
struct TileRoom<'a> {
    patches: &'a [Patch],
    /// The words that have a place.
    taken: Vec<Patch>,
    /// Where patches end: words beside a patch stay inside.
    whole: Patch,
}

/// The words of the patches that have one, larger patches before those that lie on them.
pub(super) fn placed(patches: &[Patch], words: &[String]) -> Vec<TileWord> {
    let mut room = TileRoom::of(patches);
    let mut found = Vec::new();
    let mut short = Vec::new();
    for (of, word) in words
        .iter()
        .enumerate()
        .filter(|(_, word)| !word.is_empty())
    {
        let lines = [vec![word.clone()], on_two_lines(word)];
        let mut lines = lines.into_iter().filter(|lines| !lines.is_empty());
        match lines.find_map(|lines| room.inside(of, lines)) {
            Some(word) => found.push(word),
            None => short.push(of),
        }
    }
    if short.len() > MOST_KEYS {
        return found;
    }
    // Left to right, then up, as a map is read.
    let place = |of: &usize| patches.get(*of).map_or((0.0, 0.0), Patch::middle);
    short.sort_by(|a, b| {
        let (a, b) = (place(a), place(b));
        a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1))
    });
    // Those inside before those that stand wherever there is room.
    let inside: Vec<Option<TileWord>> = (1_usize..)
        .zip(&short)
        .map(|(key, of)| room.inside(*of, vec![key.to_string()]))
        .collect();
    for ((key, of), word) in (1_usize..).zip(short).zip(inside) {
        let word = word.or_else(|| room.beside(of, key.to_string()));
        found.extend(word.map(|word| TileWord { key, ..word }));
    }
    found
}

impl<'a> TileRoom<'a> {
    fn of(patches: &'a [Patch]) -> Self {
        let ends = |a: Patch, b: &Patch| Patch {
            left: a.left.min(b.left),
            top: a.top.min(b.top),
            right: a.right.max(b.right),
            bottom: a.bottom.max(b.bottom),
        };
        let nothing = Patch::around((f64::NAN, f64::NAN), (0.0, 0.0));
        Self {
            patches,
            taken: Vec::new(),
            whole: patches.iter().fold(nothing, ends),
        }
    }

    /// Lines on what shows of their own patch, as near to its middle as there is room.
    fn inside(&mut self, of: usize, lines: Vec<String>) -> Option<TileWord> {
        let own = *self.patches.get(of)?;
        let size = size_of(&lines);
        let free = (own.right - own.left - size.0, own.bottom - own.top - size.1);
        if free.0 < 0.0 || free.1 < 0.0 {
            return None;
        }
        let middle = own.middle();
        let part = |step: u32, of: f64| (f64::from(step) / f64::from(STEPS) - 0.5) * of;
        let all = (0..=STEPS).flat_map(|x| (0..=STEPS).map(move |y| (x, y)));
        let mut shifts: Vec<(f64, f64)> = all
            .map(|(x, y)| (part(x, free.0), part(y, free.1)))
            .collect();
        shifts.sort_by(|a, b| a.0.hypot(a.1).total_cmp(&b.0.hypot(b.1)));
        let over = self.patches.get(of + 1..).unwrap_or_default();
        let place = shifts.into_iter().find_map(|shift| {
            let place = Patch::around((middle.0 + shift.0, middle.1 + shift.1), size);
            let is_clear = |other: &Patch| !other.touches(&place);
            (over.iter().all(is_clear) && self.taken.iter().all(is_clear)).then_some(place)
        })?;
        Some(self.take(of, of, place, (lines, None)))
    }

    /// A number near its patch, where no small patch and no word is.
    fn beside(&mut self, of: usize, number: String) -> Option<TileWord> {
        let middle = self.patches.get(of)?.middle();
        let lines = vec![number];
        let size = size_of(&lines);
        let largest = self.patches.first()?;
        let is_small = |p: &&Patch| p.right - p.left < (largest.right - largest.left) * 0.99;
        let turns = BESIDE
            .iter()
            .flat_map(|far| (0..16_u32).map(move |turn| (*far, f64::from(turn) * 0.125)));
        let place = turns.into_iter().find_map(|(far, turn)| {
            let angle = turn * std::f64::consts::PI;
            let at = (middle.0 + far * angle.sin(), middle.1 - far * angle.cos());
            let place = Patch::around(at, size);
            let is_clear = |other: &Patch| !other.touches(&place);
            let mut small = self.patches.iter().filter(is_small);
            let is_free = small.all(is_clear) && self.taken.iter().all(is_clear);
            (is_free && self.whole.holds(&place)).then_some(place)
        })?;
        let at = place.middle();
        let under = |p: &Patch| p.holds(&Patch::around(at, (0.0, 0.0)));
        let on = self.patches.iter().rposition(under).unwrap_or(of);
        Some(self.take(of, on, place, (lines, Some(middle))))
    }

    fn take(
        &mut self,
        of: usize,
        on: usize,
        place: Patch,
        (lines, leader): (Vec<String>, Option<(f64, f64)>),
    ) -> TileWord {
        self.taken.push(Patch {
            left: place.left - GAP,
            right: place.right + GAP,
            ..place
        });
        let (x, y) = place.middle();
        let above = if lines.len() > 1 { LINE / 2.0 } else { 0.0 };
        TileWord {
            of,
            on,
            lines,
            at: (x, y + DOWN - above),
            leader,
            key: 0,
        }
    }
}

/// A number above its unit; nothing where there is no unit.
fn on_two_lines(word: &str) -> Vec<String> {
    let parts = word.rsplit_once(' ');
    parts.map_or_else(Vec::new, |(number, unit)| {
        vec![number.replace(' ', ""), unit.to_owned()]
    })
}

/// Room for lines of the size of ticks, in the widest of the usual fonts.
fn size_of(lines: &[String]) -> (f64, f64) {
    let letter = |c: char| match c {
        ' ' | '.' | ',' => 3.6,
        'm' => 10.8,
        '\u{2265}' => 9.3,
        _ => 7.1,
    };
    let width = |line: &String| line.chars().map(letter).sum::<f64>();
    let wide = lines.iter().map(width).fold(0.0, f64::max);
    let more = lines.len().saturating_sub(1);
    (wide, HIGH + LINE * if more > 0 { 1.0 } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LARGE: Patch = Patch {
        left: 0.0,
        top: 0.0,
        right: 60.0,
        bottom: 50.0,
    };

    fn at(x: f64, y: f64, wide: f64, high: f64) -> Patch {
        Patch::around((x, y), (wide, high))
    }

    fn words(all: &[&str]) -> Vec<String> {
        all.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn a_word_stands_where_its_patch_still_shows() {
        // On the right end of the large patch lies a small one.
        let patches = [LARGE, at(60.0, 25.0, 30.0, 26.0)];
        let found = placed(&patches, &words(&["363 us", "12.5 ms"]));
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].lines, ["363 us"]);
        assert!(found[0].at.0 < 25.0, "{found:?}");
        // The small one is too narrow for a line, and has two.
        assert_eq!(found[1].lines, ["12.5", "ms"]);
        assert_eq!(found[1].key, 0);
    }

    #[test]
    fn a_patch_without_room_has_a_number_inside_or_beside_it() {
        let patches = [LARGE, at(45.0, 12.0, 16.0, 14.0), at(10.0, 40.0, 6.0, 6.0)];
        let found = placed(&patches, &words(&["1 ms", "100 ms", "200 ms"]));
        let keyed: Vec<_> = found.iter().filter(|word| word.key > 0).collect();
        // From left to right.
        assert_eq!(keyed[0].of, 2);
        assert_eq!(keyed[0].lines, ["1"]);
        assert!(keyed[0].leader.is_some() && keyed[0].on == 0, "{keyed:?}");
        assert_eq!(keyed[1].lines, ["2"]);
        assert!(keyed[1].leader.is_none() && keyed[1].on == 1, "{keyed:?}");
    }

    #[test]
    fn words_never_touch() {
        // Small patches at each fourth of two large ones.
        let mut patches = vec![LARGE, at(90.0, 25.0, 60.0, 50.0)];
        let small = (0..14_u32).map(|n| at(6.0 + 8.0 * f64::from(n), 25.0, 14.0, 12.0));
        patches.extend(small);
        let all = vec!["\u{2265} 193 ms".to_owned(); patches.len()];
        let mut places: Vec<Patch> = Vec::new();
        for word in placed(&patches, &all) {
            let middle = match word.lines.len() {
                1 => word.at.1 - DOWN,
                _ => word.at.1 - DOWN + LINE / 2.0,
            };
            let place = at(
                word.at.0,
                middle,
                size_of(&word.lines).0,
                size_of(&word.lines).1,
            );
            assert!(
                !places.iter().any(|other| other.touches(&place)),
                "{word:?}"
            );
            let above = &patches[word.on + 1..];
            assert!(!above.iter().any(|other| other.touches(&place)), "{word:?}");
            places.push(place);
        }
        assert!(places.len() > 3);
    }

    #[test]
    fn more_than_can_be_looked_up_have_no_number() {
        let patches: Vec<Patch> = (0..60_u32)
            .map(|n| at(7.0 * f64::from(n), 5.0, 7.0, 7.0))
            .collect();
        assert!(placed(&patches, &vec!["1 ms".to_owned(); 60]).is_empty());
        assert!(placed(&[], &[]).is_empty());
    }
}
