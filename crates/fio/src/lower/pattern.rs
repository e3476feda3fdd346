//! Operation, size, offset.

use super::Lowering;
use crate::number;
use crate::table::{OptionSpec, key};
use leadline_dialect::diagnostic::Diagnostic;
use leadline_dialect::text::Text;
use leadline_model::op::{Op, PerOp};
use leadline_model::plan::access::Sizes;
use leadline_model::plan::{
    Access, Amount, BlockSizes, Coverage, Distribution, FileChoice, OpMix, Order, Zone,
};
use leadline_model::units::Percent;

/// Seed of a repeatable run, unless `randseed` says otherwise.
const REPEATED_SEED: u64 = 0x89;

/// How zones are written.
const ZONES: &str = "share of I/O and extent of each zone, as in `60/10:40/90`";

/// Shares of one kind of operation in a bssplit: sizes with their percentages.
type Split = Vec<(u64, u32)>;

impl Lowering<'_> {
    pub(super) fn mix(&mut self) -> OpMix {
        let read_percent = Percent::whole(self.job.natural::<u8>(&key::RWMIXREAD));
        match self.job.word(&key::RW) {
            "write" | "randwrite" => OpMix::Only(Op::Write),
            "trim" | "randtrim" => OpMix::Only(Op::Trim),
            "rw" | "readwrite" | "randrw" => OpMix::ReadWrite { read_percent },
            "trimwrite" | "randtrimwrite" => OpMix::TrimWrite,
            _ => OpMix::Only(Op::Read),
        }
    }

    pub(super) fn sizes(&mut self) -> BlockSizes {
        let job = self.job;
        let bs = job.per_op(&key::BS);
        let ranges = job.given(&key::BSRANGE).unwrap_or_default();
        let unaligned = job.flag(&key::BS_UNALIGNED);
        let splits = self.splits();
        let size = |op: Op| match (splits.get(op), *ranges.get(op), *bs.get(op)) {
            (Some(split), _, _) => Sizes::Split(split.clone()),
            (None, Some((min, max)), _) if min == max => Sizes::Fixed(min),
            (None, Some((min, max)), _) => Sizes::Range {
                min,
                max,
                unaligned,
            },
            (None, None, bs) => Sizes::Fixed(bs.unwrap_or(4096)),
        };
        BlockSizes {
            by_op: PerOp {
                read: size(Op::Read),
                write: size(Op::Write),
                trim: size(Op::Trim),
            },
            align: job.per_op(&key::BA),
            by_order: job.flag(&key::BS_IS_SEQ_RAND),
        }
    }

    /// `bssplit`: one list, or up to three with `,` between them; trims share the writes' list.
    fn splits(&mut self) -> PerOp<Option<Split>> {
        let Some(text) = self.job.list(&key::BSSPLIT).cloned() else {
            return PerOp::default();
        };
        let mut lists = Vec::new();
        let mut start = 0;
        for part in text.as_str().split(',').take(3) {
            lists.push(text.slice(start, start + part.len()));
            start += part.len() + 1;
        }
        let mut slots: Vec<Option<Split>> = lists.iter().map(|list| self.split(list)).collect();
        let last = slots.last().cloned().flatten();
        slots.resize(3, last);
        let mut slots = slots.into_iter();
        let mut next = || slots.next().flatten();
        PerOp {
            read: next(),
            write: next(),
            trim: next(),
        }
    }

    fn split(&mut self, list: &Text) -> Option<Split> {
        if list.as_str().trim().is_empty() {
            return None;
        }
        let mut entries: Vec<(u64, Option<u32>)> = Vec::new();
        let mut start = 0;
        for entry in list.as_str().split(':') {
            let at = (start, start + entry.len());
            start = at.1 + 1;
            // fio reads up to the first empty entry; often a `:` stands after the last one.
            if entry.trim().is_empty() && !entries.is_empty() {
                break;
            }
            let (size, share) = entry.split_once('/').unwrap_or((entry, ""));
            let size = number::bytes(size, 1024)
                .ok()
                .filter(|n| n.value > 0 && !n.percent && !n.zones)
                .and_then(|n| u64::try_from(n.value).ok());
            let share = match share.trim() {
                "" => Some(None),
                text => text
                    .trim_end_matches('%')
                    .parse::<u64>()
                    .ok()
                    .map(|n| Some(u32::try_from(n.min(100)).unwrap_or(100))),
            };
            let (Some(size), Some(share)) = (size, share) else {
                let message = format!("`{entry}` is not a block size with its share");
                self.sink.push(
                    Diagnostic::error("bad-bssplit", message)
                        .at(list.span(at.0, at.1), "")
                        .expected("a size and a percentage, as in `4k/60`"),
                );
                return None;
            };
            entries.push((size, share));
        }
        self.whole_multiples(list, &mut entries);
        self.shares(list, &entries)
    }

    /// fio rounds the sizes of a list down to multiples of its smallest, unless `bs_unaligned`.
    fn whole_multiples(&mut self, list: &Text, entries: &mut [(u64, Option<u32>)]) {
        if self.job.flag(&key::BS_UNALIGNED) {
            return;
        }
        let min = entries
            .iter()
            .map(|entry| entry.0)
            .min()
            .unwrap_or(1)
            .max(1);
        let odd = entries.iter().find(|entry| !entry.0.is_multiple_of(min));
        if let Some(&(size, _)) = odd {
            let message = format!(
                "{size} bytes are not a multiple of the list's smallest size, {min}: fio does \
                 I/Os of {} bytes",
                size - size % min
            );
            let warning = Diagnostic::warning("bssplit-rounded", message);
            self.sink.push(warning.at(list.whole(), ""));
        }
        for (size, _) in entries {
            *size -= *size % min;
        }
    }

    /// Fills in missing shares and makes them sum to 100 as fio does: whatever is beyond 100 is cut
    /// off, and the last entry takes what is missing.
    fn shares(&mut self, list: &Text, entries: &[(u64, Option<u32>)]) -> Option<Split> {
        let known: u32 = entries.iter().filter_map(|e| e.1).sum();
        let open = u32::try_from(entries.iter().filter(|e| e.1.is_none()).count()).unwrap_or(1);
        if known > 100 && open > 1 {
            let message = format!("the shares add up to {known} %");
            self.sink
                .push(Diagnostic::error("bad-bssplit", message).at(list.whole(), ""));
            return None;
        }
        if known > 100 || (open == 0 && known < 100) {
            let message = format!(
                "the shares add up to {known} %; fio drops anything above 100 % and gives the \
                 last size what is missing"
            );
            self.sink
                .push(Diagnostic::warning("bssplit-not-100", message).at(list.whole(), ""));
        }
        let each = 100_u32.saturating_sub(known) / open.max(1);
        let mut left = 100_u32;
        let mut split = Split::new();
        for (i, (size, share)) in entries.iter().enumerate() {
            let share = share.unwrap_or(each).min(left);
            let share = if i + 1 == entries.len() { left } else { share };
            left -= share;
            if share > 0 {
                split.push((*size, share));
            }
        }
        Some(split)
    }

    pub(super) fn access(&mut self, sizes: &BlockSizes) -> Access {
        let job = self.job;
        let order = self.order();
        let random = matches!(order, Order::Random { .. });
        if !random {
            self.random_options_without_effect();
        }
        let distribution = Some(self.distribution())
            .filter(|_| random)
            .unwrap_or_default();
        let uniform = distribution.read == Distribution::Uniform
            && distribution.write == Distribution::Uniform
            && distribution.trim == Distribution::Uniform;
        let aligned = [Op::Read, Op::Write, Op::Trim].into_iter().all(|op| {
            sizes
                .align
                .get(op)
                .is_none_or(|a| a == sizes.by_op.get(op).min())
        });
        let lfsr = job.word(&key::RANDOM_GENERATOR) == "lfsr";
        let once = !random || lfsr || (!job.flag(&key::NORANDOMMAP) && uniform && aligned);
        let percent = job.per_op(&key::PERCENTAGE_RANDOM);
        let percent = |op: Op| {
            let given = percent.get(op).filter(|_| random).unwrap_or(100);
            Percent::whole(u8::try_from(given).unwrap_or(100))
        };
        let seed = match job.given_number::<u64>(&key::RANDSEED) {
            Some(seed) => Some(seed),
            None => job.flag(&key::RANDREPEAT).then_some(REPEATED_SEED),
        };
        Access {
            order,
            random_percent: PerOp {
                read: percent(Op::Read),
                write: percent(Op::Write),
                trim: percent(Op::Trim),
            },
            coverage: if once {
                Coverage::OncePerPass
            } else {
                Coverage::WithRepeats
            },
            distribution,
            seed,
            file_choice: self.file_choice(),
            ..Access::default()
        }
    }

    /// What only random I/O has is no part of a sequential plan.
    fn random_options_without_effect(&mut self) {
        let options: [&OptionSpec; 4] = [
            &key::RANDOM_DISTRIBUTION,
            &key::RANDOM_GENERATOR,
            &key::PERCENTAGE_RANDOM,
            &key::NORANDOMMAP,
        ];
        for option in options {
            if self.job.get(option).is_some() {
                let message = format!("`{}` changes nothing: `rw` is sequential", option.name);
                self.note("no-effect", message, option);
            }
        }
    }

    fn order(&mut self) -> Order {
        let suffix = self.job.suffix(&key::RW).cloned();
        if self.job.word(&key::RW).starts_with("rand") {
            let identical = self.job.word(&key::RW_SEQUENCER) == "identical";
            let every = match &suffix {
                None => 1,
                Some(text) => match text.as_str().trim().parse::<u32>() {
                    Ok(n) => n.max(1),
                    Err(_) => {
                        let message = format!("fio ignores `{}` here", text.as_str());
                        self.sink.push(
                            Diagnostic::warning("trailing-text-ignored", message)
                                .at(text.whole(), "")
                                .expected("a number of I/Os"),
                        );
                        1
                    }
                },
            };
            return Order::Random { every, identical };
        }
        let skip = suffix.map_or(0, |text| match number::bytes(text.as_str(), 1024) {
            Ok(number) if !number.percent && !number.zones => number.value,
            _ => {
                let message = format!("`{}` is not a number of bytes to skip", text.as_str());
                self.sink
                    .push(Diagnostic::error("not-a-number", message).at(text.whole(), ""));
                0
            }
        });
        Order::Sequential { skip }
    }

    fn file_choice(&mut self) -> FileChoice {
        let suffix = self.job.suffix(&key::FILE_SERVICE_TYPE).cloned();
        let text = suffix.as_ref().map_or("", Text::as_str).trim().to_owned();
        let ios = text.parse::<u32>().unwrap_or(1).max(1);
        let number = |default: f64| {
            text.parse::<f64>()
                .ok()
                .filter(|n| *n > 0.0)
                .unwrap_or(default)
        };
        let bad = match self.job.word(&key::FILE_SERVICE_TYPE) {
            "roundrobin" | "random" | "sequential" => text.parse::<u32>().is_err(),
            _ => text.parse::<f64>().is_err(),
        };
        if let Some(suffix) = suffix.filter(|_| bad) {
            let message = format!("fio ignores `{text}` here");
            self.sink
                .push(Diagnostic::warning("trailing-text-ignored", message).at(suffix.whole(), ""));
        }
        match self.job.word(&key::FILE_SERVICE_TYPE) {
            "sequential" => FileChoice::Sequential,
            "random" => FileChoice::Random { ios },
            "zipf" => FileChoice::Zipf { theta: number(1.1) },
            "pareto" => FileChoice::Pareto {
                h: number(0.2).min(0.999),
            },
            "normal" | "gauss" => FileChoice::Normal {
                deviation: number(10.0),
            },
            _ => FileChoice::RoundRobin { ios },
        }
    }

    fn distribution(&mut self) -> PerOp<Distribution> {
        let word = self.job.word(&key::RANDOM_DISTRIBUTION);
        let suffix = self.job.suffix(&key::RANDOM_DISTRIBUTION).cloned();
        match word {
            "zipf" | "pareto" | "normal" => {
                PerOp::splat(self.curve(word, suffix.as_ref()).unwrap_or_default())
            }
            "zoned" | "zoned_abs" => self.zoned(word == "zoned_abs", suffix.as_ref()),
            _ => PerOp::default(),
        }
    }

    fn curve(&mut self, word: &str, suffix: Option<&Text>) -> Option<Distribution> {
        let text = suffix.map_or("", Text::as_str);
        let mut numbers = text.split(':').map(|n| n.trim().parse::<f64>());
        let first = numbers
            .next()
            .and_then(Result::ok)
            .filter(|n| n.is_finite());
        let center = numbers.next();
        let (value, ok, expected) = match word {
            "zipf" => {
                let theta = if text.is_empty() { Some(1.1) } else { first };
                let ok = theta.is_some_and(|t| t > 0.0 && (t - 1.0).abs() > 1e-9);
                (theta, ok, "an exponent above 0 and not 1, as in `zipf:1.2`")
            }
            "pareto" => {
                let h = if text.is_empty() { Some(0.2) } else { first };
                let ok = h.is_some_and(|h| h > 0.0 && h < 1.0);
                (h, ok, "a number between 0 and 1, as in `pareto:0.9`")
            }
            _ => {
                let ok = first.is_some_and(|d| (0.0..=100.0).contains(&d));
                (
                    first,
                    ok,
                    "a deviation from 0 to 100 percent, as in `normal:10`",
                )
            }
        };
        let center_ok = center
            .as_ref()
            .is_none_or(|c| c.as_ref().is_ok_and(|c| (0.0..=1.0).contains(c)));
        let value = value.filter(|_| ok && center_ok);
        let Some(value) = value else {
            let span = self.job.span_of(&key::RANDOM_DISTRIBUTION);
            let given = suffix.map_or(word.to_owned(), |_| format!("{word}:{text}"));
            self.sink.push(
                Diagnostic::error("bad-distribution", format!("`{given}` is not valid"))
                    .at(span, "")
                    .expected(expected),
            );
            return None;
        };
        let center = center.and_then(Result::ok);
        Some(match word {
            "zipf" => Distribution::Zipf {
                theta: value,
                center,
            },
            "pareto" => Distribution::Pareto { h: value, center },
            _ => Distribution::Normal {
                deviation: value,
                center,
            },
        })
    }

    fn zoned(&mut self, absolute: bool, suffix: Option<&Text>) -> PerOp<Distribution> {
        let Some(text) = suffix else {
            let word = self.job.word(&key::RANDOM_DISTRIBUTION);
            let span = self.job.span_of(&key::RANDOM_DISTRIBUTION);
            self.sink.push(
                Diagnostic::error("bad-distribution", format!("`{word}` names no zones"))
                    .at(span, "")
                    .expected(ZONES),
            );
            return PerOp::default();
        };
        let mut lists = Vec::new();
        let mut start = 0;
        for part in text.as_str().split(',').take(3) {
            let list = text.slice(start, start + part.len());
            start += part.len() + 1;
            lists.push(self.zones(absolute, &list).unwrap_or_default());
        }
        let last = lists.last().cloned().unwrap_or_default();
        lists.resize(3, last);
        let mut lists = lists.into_iter();
        let mut next = || lists.next().unwrap_or_default();
        PerOp {
            read: next(),
            write: next(),
            trim: next(),
        }
    }

    fn zones(&mut self, absolute: bool, list: &Text) -> Option<Distribution> {
        let mut zones: Vec<(f64, Option<u64>)> = Vec::new();
        for entry in list.as_str().split(':') {
            let (access, extent) = entry.split_once('/').unwrap_or((entry, ""));
            let access = access
                .trim()
                .parse::<f64>()
                .ok()
                .filter(|a| (0.0..=100.0).contains(a));
            let extent = match extent.trim() {
                "" => Some(None),
                text => number::bytes(text, 1024)
                    .ok()
                    .and_then(|n| u64::try_from(n.value).ok())
                    .filter(|n| *n > 0 && (absolute || *n <= 100))
                    .map(Some),
            };
            let (Some(access), Some(extent)) = (access, extent) else {
                let message = format!("`{entry}` is not a zone");
                return self.bad_zones(list, message);
            };
            zones.push((access, extent));
        }
        let access: f64 = zones.iter().map(|z| z.0).sum();
        if (access - 100.0).abs() > 1e-6 {
            return self.bad_zones(
                list,
                format!("the shares of I/O add up to {access} %, not to 100"),
            );
        }
        let known: u64 = zones
            .iter()
            .filter_map(|z| z.1)
            .fold(0, u64::saturating_add);
        let open = u64::try_from(zones.iter().filter(|z| z.1.is_none()).count()).unwrap_or(1);
        if absolute && open > 0 {
            return self.bad_zones(list, "a zone without its size in bytes".to_owned());
        }
        if !absolute && (known > 100 || (known == 100 && open > 0)) {
            return self.bad_zones(list, format!("the zones add up to {known} % of the target"));
        }
        if !absolute && open == 0 && known < 100 {
            let message = format!("the zones add up to {known} % of the target, not to 100");
            return self.bad_zones(list, message);
        }
        let each = 100_u64.saturating_sub(known) / open.max(1);
        let extent = |z: Option<u64>| {
            if absolute {
                Amount::Bytes(z.unwrap_or(0))
            } else {
                Amount::Percent(u32::try_from(z.unwrap_or(each)).unwrap_or(100))
            }
        };
        Some(Distribution::Zoned(
            zones
                .into_iter()
                .map(|(access_percent, z)| Zone {
                    access_percent,
                    extent: extent(z),
                })
                .collect(),
        ))
    }

    fn bad_zones(&mut self, list: &Text, message: String) -> Option<Distribution> {
        self.sink.push(
            Diagnostic::error("bad-distribution", message)
                .at(list.whole(), "")
                .expected(ZONES),
        );
        None
    }
}
