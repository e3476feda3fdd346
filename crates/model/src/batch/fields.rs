//! The numbers of one sample, in their order, and what is expected of each. Writing and reading are one function each,
//! by way of a [`Coder`]. Must never: know what came before the last sample of the same workload and host.

use crate::bits::{Coder, Scale};
use crate::histogram::{BUCKETS, Histogram, index_of, lower_bound, upper_bound};
use crate::latency::Latency;
use crate::sample::{Counts, Depths, Moments, OpCounts, Parts};
use crate::varint::DecodeError;

/// How far the numbers of one track have been from what was expected.
#[derive(Clone, Debug, Default)]
pub(super) struct Scales {
    /// By the code of the operation.
    ops: Vec<(u8, OpScales)>,
    codes: Scale,
    late: Scale,
    lag: LatencyScales,
    depths: Scale,
    workers: [Scale; 3],
    moments: [Scale; 6],
}

#[derive(Clone, Copy, Debug, Default)]
struct OpScales {
    ios: Scale,
    bytes: Scale,
    short: Scale,
    errors: Scale,
    /// Service, response, submission, completion.
    latencies: [LatencyScales; 4],
}

#[derive(Clone, Copy, Debug, Default)]
struct LatencyScales {
    sum: Scale,
    squares: Scale,
    min: Scale,
    max: Scale,
    histogram: HistogramScales,
    unfinished: HistogramScales,
}

#[derive(Clone, Copy, Debug, Default)]
struct HistogramScales {
    filled: Scale,
    first: Scale,
    step: Scale,
    count: Scale,
}

/// What may be missing.
fn option<C: Coder, T>(
    coder: &mut C,
    new: Option<&T>,
    last: Option<&T>,
    blank: &T,
    of: impl FnOnce(&mut C, &T, &T) -> Result<T, DecodeError>,
) -> Result<Option<T>, DecodeError> {
    Ok(match coder.bit(new.is_some())? {
        true => Some(of(coder, new.unwrap_or(blank), last.unwrap_or(blank))?),
        false => None,
    })
}

/// Values by the codes of operations: the new ones and the last.
type NewAndLast<'a, T> = (&'a [(u8, T)], &'a [(u8, T)]);

/// Values by the codes of operations: most often of the same operations as the last.
fn by_code<C: Coder, T>(
    coder: &mut C,
    scale: &mut Scale,
    (new, last): NewAndLast<'_, T>,
    blank: &T,
    mut of: impl FnMut(&mut C, u8, &T, &T) -> Result<T, DecodeError>,
) -> Result<Vec<(u8, T)>, DecodeError> {
    let codes = |entries: &[(u8, T)]| entries.iter().map(|e| e.0).collect::<Vec<u8>>();
    let (of_new, mut all) = (codes(new), codes(last));
    if !coder.bit(of_new == all)? {
        let number = coder.small(scale, of_new.len() as u64)?;
        all.clear();
        for place in 0..number {
            let place = usize::try_from(place).map_err(|_| DecodeError::OutOfRange)?;
            let code = of_new.get(place).copied().unwrap_or(0);
            let code = coder.bits(u64::from(code), 8)?;
            let code = u8::try_from(code).map_err(|_| DecodeError::OutOfRange)?;
            if all.last().is_some_and(|&before| before >= code) {
                return Err(DecodeError::OutOfRange);
            }
            all.push(code);
        }
    }
    let find = |entries: &'_ [(u8, T)], code| entries.iter().position(|e| e.0 == code);
    let mut values = Vec::with_capacity(all.len());
    for code in all {
        let new = find(new, code).map_or(blank, |at| &new[at].1);
        let last = find(last, code).map_or(blank, |at| &last[at].1);
        values.push((code, of(coder, code, new, last)?));
    }
    Ok(values)
}

/// What was counted by operation.
pub(super) fn ops<C: Coder>(
    coder: &mut C,
    scales: &mut Scales,
    new: &[(u8, OpCounts)],
    last: &[(u8, OpCounts)],
) -> Result<Vec<(u8, OpCounts)>, DecodeError> {
    let blank = OpCounts {
        ios: 0,
        bytes: 0,
        short: 0,
        errors: 0,
        service: Latency::none(),
        response: None,
        parts: None,
    };
    let Scales {
        ops: by_op, codes, ..
    } = scales;
    by_code(coder, codes, (new, last), &blank, |c, code, new, last| {
        let place = by_op.iter().position(|e| e.0 == code);
        let place = place.unwrap_or_else(|| {
            by_op.push((code, OpScales::default()));
            by_op.len() - 1
        });
        op(c, &mut by_op[place].1, new, last)
    })
}

/// What was counted of all operations together.
pub(super) fn counts<C: Coder>(
    coder: &mut C,
    scales: &mut Scales,
    new: &Counts,
    last: &Counts,
) -> Result<Counts, DecodeError> {
    let late = coder.near(&mut scales.late, new.late, last.late)?;
    let (lag, last_lag) = (new.lag.as_ref(), last.lag.as_ref());
    let scale = &mut scales.lag;
    let lag = option(coder, lag, last_lag, &Latency::none(), |c, new, last| {
        latency(c, scale, new, last)
    })?;
    let (new, last) = (&new.depths, &last.depths);
    let depths = Depths {
        level: classes(coder, scales, &new.level, &last.level)?,
        submit: classes(coder, scales, &new.submit, &last.submit)?,
        complete: classes(coder, scales, &new.complete, &last.complete)?,
    };
    Ok(Counts {
        late,
        lag,
        depths,
        ..Counts::default()
    })
}

fn classes<C: Coder>(
    coder: &mut C,
    scales: &mut Scales,
    new: &[u64; 7],
    last: &[u64; 7],
) -> Result<[u64; 7], DecodeError> {
    if coder.bit(new == last)? {
        return Ok(*last);
    }
    let mut classes = [0; 7];
    for (mine, (&new, &last)) in classes.iter_mut().zip(new.iter().zip(last)) {
        *mine = coder.near(&mut scales.depths, new, last)?;
    }
    Ok(classes)
}

fn op<C: Coder>(
    coder: &mut C,
    scales: &mut OpScales,
    new: &OpCounts,
    last: &OpCounts,
) -> Result<OpCounts, DecodeError> {
    let ios = coder.near(&mut scales.ios, new.ios, last.ios)?;
    // I/Os are mostly of one size.
    let size = last.bytes.checked_div(last.ios).unwrap_or(0);
    let bytes = coder.near(&mut scales.bytes, new.bytes, ios.wrapping_mul(size))?;
    let short = coder.near(&mut scales.short, new.short, last.short)?;
    let errors = coder.near(&mut scales.errors, new.errors, last.errors)?;
    let [of_service, of_response, of_submission, of_completion] = &mut scales.latencies;
    let service = latency(coder, of_service, &new.service, &last.service)?;
    let none = Latency::none();
    let (answer, last_answer) = (new.response.as_ref(), last.response.as_ref());
    let response = option(coder, answer, last_answer, &none, |c, new, last| {
        latency(c, of_response, new, last)
    })?;
    let nothing = Parts {
        submission: Latency::none(),
        completion: Latency::none(),
    };
    let (parts, last_parts) = (new.parts.as_ref(), last.parts.as_ref());
    let parts = option(coder, parts, last_parts, &nothing, |c, new, last| {
        Ok(Parts {
            submission: latency(c, of_submission, &new.submission, &last.submission)?,
            completion: latency(c, of_completion, &new.completion, &last.completion)?,
        })
    })?;
    Ok(OpCounts {
        ios,
        bytes,
        short,
        errors,
        service,
        response,
        parts,
    })
}

/// What the buckets alone say of a latency.
struct Estimate {
    sum: u64,
    squares: f64,
    min: u64,
    max: u64,
}

impl Estimate {
    fn of(histogram: &Histogram, last: &Latency) -> Self {
        let mut estimate = Self {
            sum: 0,
            squares: 0.0,
            min: u64::MAX,
            max: 0,
        };
        let mut ends = None;
        for (index, count) in histogram.nonzero() {
            let middle = lower_bound(index).midpoint(upper_bound(index));
            let (value, times) = (middle as f64, count as f64);
            estimate.sum = estimate.sum.wrapping_add(middle.wrapping_mul(count));
            estimate.squares += value * value * times;
            ends = Some((ends.map_or(index, |(first, _)| first), index));
        }
        let within = |value, index| match index_of(value) == index {
            true => value,
            false => lower_bound(index),
        };
        if let Some((first, end)) = ends {
            estimate.min = within(last.min, first);
            estimate.max = within(last.max, end);
        }
        estimate
    }
}

fn latency<C: Coder>(
    coder: &mut C,
    scales: &mut LatencyScales,
    new: &Latency,
    last: &Latency,
) -> Result<Latency, DecodeError> {
    let (all, same) = histogram(
        coder,
        &mut scales.histogram,
        &new.histogram,
        &last.histogram,
    )?;
    let mut near = Estimate::of(&all, last);
    if same {
        (near.sum, near.squares) = (last.sum, last.sum_squares);
    }
    let sum = coder.near(&mut scales.sum, new.sum, near.sum)?;
    let squares = coder.near(
        &mut scales.squares,
        new.sum_squares.to_bits(),
        near.squares.to_bits(),
    )?;
    let min = coder.near(&mut scales.min, new.min, near.min)?;
    let max = coder.near(&mut scales.max, new.max, near.max)?;
    if min > max && all.total() > 0 {
        return Err(DecodeError::OutOfRange);
    }
    let none = Histogram::none();
    let (rest, last_rest) = (new.unfinished.as_ref(), last.unfinished.as_ref());
    let unfinished = option(coder, rest, last_rest, &none, |c, new, last| {
        Ok(histogram(c, &mut scales.unfinished, new, last)?.0)
    })?;
    Ok(Latency {
        sum,
        sum_squares: f64::from_bits(squares),
        min,
        max,
        histogram: all,
        unfinished,
    })
}

/// The buckets, and whether they are those of the last.
fn histogram<C: Coder>(
    coder: &mut C,
    scales: &mut HistogramScales,
    new: &Histogram,
    last: &Histogram,
) -> Result<(Histogram, bool), DecodeError> {
    if coder.bit(new == last)? {
        return Ok((last.clone(), true));
    }
    let filled = coder.near(
        &mut scales.filled,
        new.nonzero().count() as u64,
        last.nonzero().count() as u64,
    )?;
    if filled > BUCKETS as u64 {
        return Err(DecodeError::OutOfRange);
    }
    let first = last.nonzero().next().map_or(0, |bucket| bucket.0 as u64);
    let mut buckets: Vec<(usize, u64)> = Vec::new();
    let mut new = new.nonzero();
    for _ in 0..filled {
        let (index, count) = new.next().unwrap_or((0, 1));
        let index = index as u64;
        let index = match buckets.last() {
            None => coder.near(&mut scales.first, index, first)?,
            Some(&(before, _)) => {
                let next = before as u64 + 1;
                let step = coder.small(&mut scales.step, index.wrapping_sub(next))?;
                next.checked_add(step).ok_or(DecodeError::OutOfRange)?
            }
        };
        let count = coder.small(&mut scales.count, count.wrapping_sub(1))?;
        let index = usize::try_from(index).map_err(|_| DecodeError::OutOfRange)?;
        buckets.push((index, count.checked_add(1).ok_or(DecodeError::OutOfRange)?));
    }
    let histogram = Histogram::of_buckets(&buckets).ok_or(DecodeError::OutOfRange)?;
    Ok((histogram, false))
}

/// I/Os and bytes of each worker. What the others leave of the sums is the last one's.
pub(super) fn workers<C: Coder>(
    coder: &mut C,
    scales: &mut Scales,
    ops: &[(u8, OpCounts)],
    new: &[(u64, u64)],
    last: &[(u64, u64)],
) -> Result<Vec<(u64, u64)>, DecodeError> {
    let [of_number, of_ios, of_bytes] = &mut scales.workers;
    let number = coder.near(of_number, new.len() as u64, last.len() as u64)?;
    let mut left = (0_u64, 0_u64);
    for (_, op) in ops {
        left.0 = left.0.wrapping_add(op.ios);
        left.1 = left.1.wrapping_add(op.bytes);
    }
    let mut workers = Vec::new();
    for worker in 0..number {
        let place = usize::try_from(worker).map_err(|_| DecodeError::OutOfRange)?;
        let (ios, bytes) = new.get(place).copied().unwrap_or_default();
        let expected = match worker + 1 == number {
            true => left,
            false => last.get(place).copied().unwrap_or_default(),
        };
        let ios = coder.near(of_ios, ios, expected.0)?;
        let bytes = coder.near(of_bytes, bytes, expected.1)?;
        left = (left.0.wrapping_sub(ios), left.1.wrapping_sub(bytes));
        workers.push((ios, bytes));
    }
    Ok(workers)
}

/// What each worker did by operation.
pub(super) fn moments<C: Coder>(
    coder: &mut C,
    scales: &mut Scales,
    new: &[Vec<(u8, Moments)>],
    last: &[Vec<(u8, Moments)>],
) -> Result<Vec<Vec<(u8, Moments)>>, DecodeError> {
    let Scales {
        codes,
        moments: [of_number, of_moments @ ..],
        ..
    } = scales;
    let number = coder.near(of_number, new.len() as u64, last.len() as u64)?;
    let mut all = Vec::new();
    for worker in 0..number {
        let place = usize::try_from(worker).map_err(|_| DecodeError::OutOfRange)?;
        let own = |workers: &'_ [Vec<(u8, Moments)>]| workers.get(place).cloned();
        let (new, last) = (own(new).unwrap_or_default(), own(last).unwrap_or_default());
        let blank = Moments::default();
        let own = by_code(coder, codes, (&new, &last), &blank, |c, _, new, last| {
            moment(c, of_moments, new, last)
        })?;
        all.push(own);
    }
    Ok(all)
}

fn moment<C: Coder>(
    coder: &mut C,
    [of_ios, of_sum, of_squares, of_min, of_max]: &mut [Scale; 5],
    new: &Moments,
    last: &Moments,
) -> Result<Moments, DecodeError> {
    let squares = new.sum_squares.to_bits();
    Ok(Moments {
        ios: coder.near(of_ios, new.ios, last.ios)?,
        sum: coder.near(of_sum, new.sum, last.sum)?,
        sum_squares: f64::from_bits(coder.near(of_squares, squares, last.sum_squares.to_bits())?),
        min: coder.near(of_min, new.min, last.min)?,
        max: coder.near(of_max, new.max, last.max)?,
    })
}
