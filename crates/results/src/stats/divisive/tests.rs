//! Tests against what Apache Otava publishes of its own (tests/analysis_test.py, tests/series_test.py,
//! tests/change_point_divisive_test.py and tests/tigerbeetle_test.py at commit 1ceb153): the numbers of its series and the
//! places that it expects.

use super::*;
use crate::stats::draws::Draws;

/// Throughput of TigerBeetle over its commits, 365 values (tigerbeetle_test.py).
#[rustfmt::skip]
const TIGERBEETLE: [f64; 365] = [
    26705.0, 26475.0, 26641.0, 26806.0, 26835.0, 26911.0, 26564.0, 26812.0, 26874.0, 26682.0,
    15672.0, 26745.0, 26460.0, 26977.0, 26851.0, 23412.0, 23547.0, 23674.0, 23519.0, 23670.0,
    23662.0, 23462.0, 23750.0, 23717.0, 23524.0, 23588.0, 23687.0, 23793.0, 23937.0, 23715.0,
    23570.0, 23730.0, 23690.0, 23699.0, 23670.0, 23860.0, 23988.0, 23652.0, 23681.0, 23798.0,
    23728.0, 23604.0, 23523.0, 23412.0, 23685.0, 23773.0, 23771.0, 23718.0, 23409.0, 23739.0,
    23674.0, 23597.0, 23682.0, 23680.0, 23711.0, 23660.0, 23990.0, 23938.0, 23742.0, 23703.0,
    23536.0, 24363.0, 24414.0, 24483.0, 24509.0, 24944.0, 24235.0, 24560.0, 24236.0, 24667.0,
    24730.0, 28346.0, 28437.0, 28436.0, 28057.0, 28217.0, 28456.0, 28427.0, 28398.0, 28250.0,
    28331.0, 28222.0, 28726.0, 28578.0, 28345.0, 28274.0, 28514.0, 28590.0, 28449.0, 28305.0,
    28411.0, 28788.0, 28404.0, 28821.0, 28580.0, 27483.0, 26805.0, 27487.0, 27124.0, 26898.0,
    27295.0, 26951.0, 27312.0, 27660.0, 27154.0, 27050.0, 26989.0, 27193.0, 27503.0, 27326.0,
    27375.0, 27513.0, 27057.0, 27421.0, 27574.0, 27609.0, 27123.0, 27824.0, 27644.0, 27394.0,
    27836.0, 27949.0, 27702.0, 27457.0, 27272.0, 28207.0, 27802.0, 27516.0, 27586.0, 28005.0,
    27768.0, 28543.0, 28237.0, 27915.0, 28437.0, 28342.0, 27733.0, 28296.0, 28524.0, 28687.0,
    28258.0, 28611.0, 29360.0, 28590.0, 29641.0, 28965.0, 29474.0, 29256.0, 28611.0, 28205.0,
    28539.0, 27962.0, 28398.0, 28509.0, 28240.0, 28592.0, 28102.0, 28461.0, 28578.0, 28669.0,
    28507.0, 28535.0, 28226.0, 28536.0, 28561.0, 28087.0, 27953.0, 28398.0, 28007.0, 28518.0,
    28337.0, 28242.0, 28607.0, 28545.0, 28514.0, 28377.0, 28010.0, 28412.0, 28633.0, 28576.0,
    28195.0, 28637.0, 28724.0, 28466.0, 28287.0, 28719.0, 28425.0, 28860.0, 28842.0, 28604.0,
    28327.0, 28216.0, 28946.0, 28918.0, 29287.0, 28725.0, 29148.0, 29541.0, 29137.0, 29628.0,
    29087.0, 28612.0, 29154.0, 29108.0, 28884.0, 29234.0, 28695.0, 28969.0, 28809.0, 28695.0,
    28634.0, 28916.0, 29852.0, 29389.0, 29757.0, 29531.0, 29363.0, 29251.0, 29552.0, 29561.0,
    29046.0, 29795.0, 29022.0, 29395.0, 28921.0, 29739.0, 29257.0, 29455.0, 29376.0, 29528.0,
    28909.0, 29492.0, 28984.0, 29621.0, 29026.0, 29457.0, 29102.0, 29114.0, 28924.0, 29162.0,
    29259.0, 29554.0, 29616.0, 29211.0, 29367.0, 29460.0, 28836.0, 29645.0, 29586.0, 28848.0,
    29324.0, 28969.0, 29150.0, 29243.0, 29081.0, 29312.0, 28923.0, 29272.0, 29117.0, 29072.0,
    29529.0, 29737.0, 29652.0, 29612.0, 29856.0, 29012.0, 30402.0, 29969.0, 29309.0, 29439.0,
    29285.0, 29421.0, 29023.0, 28772.0, 29692.0, 29416.0, 29267.0, 29542.0, 29904.0, 30045.0,
    29739.0, 29945.0, 29141.0, 29163.0, 29765.0, 29197.0, 29441.0, 28910.0, 29504.0, 29614.0,
    29643.0, 29506.0, 29420.0, 29672.0, 29432.0, 29784.0, 29888.0, 29309.0, 29247.0, 29816.0,
    29254.0, 29813.0, 29451.0, 29382.0, 29618.0, 28558.0, 29845.0, 29499.0, 29283.0, 29184.0,
    29246.0, 28790.0, 29952.0, 29145.0, 29415.0, 30437.0, 29227.0, 29605.0, 29859.0, 29156.0,
    29807.0, 29406.0, 29734.0, 29861.0, 29140.0, 29983.0, 29832.0, 29919.0, 29896.0, 29991.0,
    29266.0, 29001.0, 29459.0, 29548.0, 29310.0, 29042.0, 29303.0, 29894.0, 29091.0, 29018.0,
    29537.0, 29614.0, 29180.0, 29736.0, 29500.0, 29218.0, 29581.0, 28906.0, 28542.0, 29306.0,
    28987.0, 29878.0, 28865.0, 30272.0, 29707.0, 29662.0, 29815.0, 30492.0, 29347.0, 30096.0,
    29054.0, 30238.0, 28813.0, 31895.0, 28915.0,
];

const UP_THEN_HALF: [f64; 11] = [
    1.02, 0.95, 0.99, 1.00, 1.12, 0.90, 0.50, 0.51, 0.48, 0.48, 0.55,
];
const A_TENTH_LESS: [f64; 11] = [
    2.02, 2.03, 2.01, 2.04, 1.82, 1.85, 1.79, 1.81, 1.80, 1.76, 1.78,
];
const HALF: [f64; 20] = [
    1.02, 0.95, 0.99, 1.00, 1.12, 1.00, 1.01, 0.98, 1.01, 0.96, 0.50, 0.51, 0.48, 0.48, 0.55, 0.50,
    0.49, 0.51, 0.50, 0.49,
];

fn how(window: usize, chance: f64, share: f64) -> Sensitivity {
    Sensitivity {
        window,
        chance,
        share,
    }
}

fn places(points: &[ChangePoint]) -> Vec<usize> {
    points.iter().map(|p| p.at).collect()
}

#[test]
fn the_places_are_those_that_otava_expects_of_its_own_data() {
    let found = |series: &[f64], of| merge(series, split(series, &of), &of);
    let tiger = |chance, share| found(&TIGERBEETLE, how(30, chance, share));
    assert_eq!(tiger(0.01, 0.05), [15, 71]);
    assert_eq!(tiger(0.05, 0.05), [15, 71]);
    assert_eq!(tiger(0.1, 0.05), [10, 11, 15, 71, 363]);
    assert_eq!(tiger(0.2, 0.05), [10, 11, 15, 71]);
    let at_a_tenth = [
        3, 6, 10, 11, 15, 16, 28, 29, 35, 37, 39, 41, 44, 48, 49, 61, 71, 95, 117, 131, 142, 148,
        165, 169, 192, 206, 212, 260, 265, 268, 278, 282, 288, 305, 363,
    ];
    assert_eq!(tiger(0.1, 0.0), at_a_tenth);
    let at_a_fifth = [
        3, 6, 7, 10, 11, 13, 15, 16, 28, 29, 35, 37, 39, 41, 44, 48, 49, 56, 58, 61, 65, 66, 69,
        71, 74, 76, 82, 95, 108, 117, 125, 126, 129, 131, 136, 137, 142, 148, 165, 169, 187, 190,
        192, 197, 200, 212, 220, 241, 243, 246, 247, 249, 250, 260, 265, 266, 268, 278, 282, 288,
        305, 306, 325, 330, 337, 338, 340, 347, 349, 363,
    ];
    assert_eq!(tiger(0.2, 0.0), at_a_fifth);
    let hundredth = [
        15, 26, 61, 71, 95, 117, 131, 142, 148, 165, 169, 192, 212, 260,
    ];
    assert_eq!(tiger(0.01, 0.0), hundredth);
    assert_eq!(
        tiger(0.001, 0.0),
        [15, 61, 71, 95, 117, 131, 142, 148, 192, 212, 260]
    );
    assert_eq!(tiger(0.0001, 0.0), [71, 95, 117, 131, 142, 148, 192, 212]);
    assert_eq!(tiger(0.00001, 0.0), [71, 95, 131, 192, 212]);
    assert_eq!(found(&HALF, how(10, 0.0001, 0.0)), [10]);
    let usual = how(50, 0.001, 0.0);
    assert_eq!(found(&UP_THEN_HALF, usual), [6]);
    assert_eq!(found(&A_TENTH_LESS, usual), [4]);
    assert_eq!(found(&A_TENTH_LESS, how(50, 0.001, 0.2)), [0_usize; 0]);
}

/// Two changes in one window, by Student's test (change_point_divisive_test.py).
#[test]
fn a_window_is_divided_where_its_pieces_differ() {
    let series = [
        0.3, 2.4, 1.5, -0.9, -0.5, 99.7, 98.3, 99.1, 149.0, 149.7, 149.5, 149.1, 148.8, 150.0,
    ];
    assert_eq!(divide(&series, 0.01), [5, 8]);
}

/// By hand: {0, 0} and {3}: twice 2 * 1 / 3 times the mean distance 3, nothing within.
#[test]
fn the_measure_is_that_of_the_paper() {
    let (at, distance) = farthest(&[0.0, 0.0, 3.0]);
    assert_eq!(at, 2);
    assert!(
        (distance - 2.0 * 2.0 / 3.0 * 3.0).abs() < 1e-12,
        "{distance}"
    );
    // {1, 2} and {5, 7}: 2 / 4 * (4 + 6 + 3 + 5) - 2 * 2 / 4 * 1 - 2 * 2 / 4 * 2.
    let (at, distance) = farthest(&[1.0, 2.0, 5.0, 7.0]);
    assert_eq!((at, distance), (2, 6.0));
}

/// Otava's test of its test (analysis_test.py): two equal groups, and two that differ by a fifth.
#[test]
fn a_difference_is_judged_by_its_spread() {
    let first = [1.00, 1.02, 1.05, 0.95, 0.98];
    let level = |values: &[f64]| Level::of(values).unwrap();
    assert!(level(&first).chance(&level(&first)) > 0.99);
    let second = level(&[0.80, 0.82, 0.85, 0.79, 0.77]);
    assert!(level(&first).chance(&second) < 0.001);
}

#[test]
fn lasting_levels_are_found_and_outliers_are_not_levels() {
    let usual = Sensitivity::default();
    let tiger = lasting(&TIGERBEETLE, &usual);
    let found = places(&tiger.changes);
    assert!(tiger.alone.contains(&10), "{:?}", tiger.alone);
    assert!(found.contains(&15) && found.contains(&71), "{found:?}");
    // However little is asked of a change, the drop at 10 and the rise at 363 of one value each are none.
    for chance in [0.1, 0.2] {
        let found = places(&lasting(&TIGERBEETLE, &how(30, chance, 0.05)).changes);
        assert_eq!(found, [15, 71], "{chance}");
    }
    assert_eq!(places(&lasting(&HALF, &usual).changes), [10]);
    assert_eq!(places(&lasting(&UP_THEN_HALF, &usual).changes), [6]);
    assert_eq!(places(&lasting(&A_TENTH_LESS, &usual).changes), [4]);
}

/// A series of noise around levels.
fn noisy(seed: u64, levels: &[(usize, f64)], spread: f64) -> Vec<f64> {
    let all: Vec<f64> = levels
        .iter()
        .flat_map(|(count, level)| vec![*level; *count])
        .collect();
    let noise = Draws::new(seed).wander(0.0, all.len());
    let each = all.iter().zip(noise);
    each.map(|(level, e)| level * (1.0 + spread * e)).collect()
}

/// One value at each place of 30, half and twice as large: never a change, and known to stand alone.
#[test]
fn one_outlier_is_no_change_wherever_it_is() {
    for seed in 0..20 {
        for at in 0..30 {
            for times in [0.5, 2.0] {
                let mut series = noisy(seed, &[(30, 1000.0)], 0.01);
                series[at] *= times;
                let found = lasting(&series, &Sensitivity::default());
                assert_eq!(places(&found.changes), [0_usize; 0], "{seed} {at} {times}");
                assert_eq!(found.alone, [at], "{seed} {times}");
            }
        }
    }
}

#[test]
fn a_change_is_found_beside_an_outlier_and_after_two_runs() {
    for seed in 0..50 {
        let mut series = noisy(seed, &[(12, 1000.0), (12, 850.0)], 0.01);
        series[5] = 300.0;
        series[17] = 2000.0;
        let found = lasting(&series, &Sensitivity::default());
        assert_eq!(places(&found.changes), [12], "{seed}");
        assert_eq!(found.alone, [5, 17], "{seed}");
        let change = found.changes[0];
        assert!((change.change() + 0.15).abs() < 0.02, "{change:?}");
        // One run at another level stands alone; with the second, it is the level.
        let begun = noisy(seed, &[(12, 1000.0), (1, 800.0)], 0.01);
        let found = lasting(&begun, &Sensitivity::default());
        assert_eq!((places(&found.changes), found.alone), (vec![], vec![12]));
        let begun = noisy(seed, &[(12, 1000.0), (2, 800.0)], 0.01);
        assert_eq!(
            places(&lasting(&begun, &Sensitivity::default()).changes),
            [12]
        );
    }
}

/// Of 1,000 series of 30 runs that do not change, with 3 % of noise: 23 are said to.
#[test]
fn noise_has_seldom_a_change() {
    let changed = (0..1000).filter(|seed| {
        let series = noisy(*seed, &[(30, 1000.0)], 0.03);
        !lasting(&series, &Sensitivity::default()).changes.is_empty()
    });
    let count = changed.count();
    assert!(count <= 30, "{count}");
}

#[test]
fn what_has_too_few_values_has_no_change() {
    let usual = Sensitivity::default();
    for series in [
        &[][..],
        &[1.0],
        &[1.0, 9.0],
        &[1.0, 9.0, 9.0],
        &[5.0; 40],
        &[0.0; 9],
    ] {
        assert_eq!(lasting(series, &usual), Lasting::default(), "{series:?}");
    }
    // From nothing to something is a change, of no share that could be said (series_test.py).
    let started = [0.0, 0.0, 0.0, 1.0, 1.12, 0.9, 0.5, 0.51, 0.48, 0.48, 0.55];
    let found = lasting(&started, &usual).changes;
    assert_eq!((places(&found), found[0].change()), (vec![3, 6], 0.0));
}

/// Of five values one is a percent above the others: with it the level is 2.1 % higher, without it 1.9 %.
#[test]
fn a_change_that_one_value_makes_large_enough_is_none() {
    let mut series = [99.9, 100.1].repeat(4);
    series.extend([101.9, 101.9, 102.9, 101.9, 101.9]);
    let usual = Sensitivity::default();
    let change = ChangePoint::of(&series, (0, 8, 13)).unwrap();
    assert!((change.change() - 0.021).abs() < 1e-9, "{change:?}");
    assert!(change.chance < 1e-6, "{change:?}");
    assert!(!change.holds(&series, (0, 13), &usual));
    assert_eq!(lasting(&series, &usual), Lasting::default());
    // As far, and by all of them.
    series[8..].fill(102.1);
    assert_eq!(places(&lasting(&series, &usual).changes), [8]);
}

/// The value at 130 is as high as the level that begins four values later.
#[test]
fn an_outlier_differs_from_three_values_on_either_side() {
    let mut series = vec![100.0, 101.0, 99.0, 130.0, 101.0, 99.0, 100.0];
    series.extend([130.0; 9]);
    assert_eq!(alone(&series), [3]);
    // Of five values it has four others, which are enough; of four, three are not.
    assert_eq!(alone(&[100.0, 101.0, 300.0, 100.0, 101.0]), [2]);
    assert_eq!(alone(&[100.0, 101.0, 300.0, 100.0]), [0_usize; 0]);
}

/// By hand: the neighbours are 10 from their median of 100 in the middle, so that five standard deviations are 74.1.
#[test]
fn an_outlier_is_beyond_five_standard_deviations_of_its_neighbours() {
    let of = |value: f64| alone(&[90.0, 100.0, 110.0, value, 90.0, 100.0, 110.0]);
    assert_eq!(of(180.0), [3]);
    assert_eq!(of(20.0), [3]);
    assert_eq!((of(170.0), of(30.0)), (vec![], vec![]));
    // Where they are alike, a tenth of their median.
    let of = |value: f64| alone(&[100.0, 100.0, 100.0, value, 100.0, 100.0, 100.0]);
    assert_eq!((of(110.5), of(109.5)), (vec![3], vec![]));
}

/// As in Otava: chance has to be less, and the change more, than is asked for.
#[test]
fn a_change_exactly_at_the_threshold_is_weak() {
    let level = |mean| Level {
        mean,
        variance: 1.0,
        count: 9,
    };
    let point = |chance, after| ChangePoint {
        at: 9,
        before: level(1.0),
        after: level(after),
        chance,
    };
    let of = |points: &[ChangePoint]| weakest(points, &how(50, 0.25, 0.5));
    assert_eq!(of(&[point(0.25, 2.0)]), Some(0));
    assert_eq!(of(&[point(0.24, 2.0)]), None);
    assert_eq!(of(&[point(0.0, 1.5)]), Some(0));
    assert_eq!(of(&[point(0.0, 1.51)]), None);
    assert_eq!(
        of(&[point(0.1, 1.4), point(0.3, 3.0), point(0.4, 2.0)]),
        Some(2)
    );
    assert_eq!(
        of(&[point(0.1, 1.4), point(0.2, 1.3), point(0.0, 9.0)]),
        Some(1)
    );
}

/// One value before it and two after it have one degree of freedom; with t = 4 / sqrt(3 / 2), p = 2 / pi x atan(1 / t).
#[test]
fn a_series_is_divided_while_the_probability_is_below_the_threshold() {
    let series = [9.0, 4.0, 6.0];
    let p = 2.0 / std::f64::consts::PI * (1.5_f64.sqrt() / 4.0).atan();
    assert_eq!(divide(&series, p * 1.001), [1]);
    assert_eq!(divide(&series, p * 0.999), [0_usize; 0]);
    let own = ChangePoint::of(&series, (0, 1, 3)).unwrap().chance;
    assert_eq!(divide(&series, own), [1]);
}

/// Two values have no degree of freedom; of two and one the two show how far values vary.
#[test]
fn a_window_of_two_shows_nothing_and_one_of_three_does() {
    let series = [1.0, 1.01, 9.0];
    for window in [0, 1, 2] {
        assert_eq!(split(&series, &how(window, 0.04, 0.0)), [0_usize; 0]);
    }
    assert_eq!(split(&series, &how(3, 0.04, 0.0)), [2]);
}

/// At an end, six on the other side. Of those four are 100, and the seventh and further are of another level.
#[test]
fn an_outlier_at_an_end_differs_from_the_six_next_to_it() {
    let mut series = vec![130.0; 6];
    series.extend([100.0, 100.0, 110.0, 90.0, 100.0, 100.0, 115.0]);
    assert_eq!(alone(&series), [12]);
    series.reverse();
    assert_eq!(alone(&series), [0]);
}
