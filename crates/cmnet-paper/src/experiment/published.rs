//! The numbers that the paper prints in section 4, copied digit by digit.

/// One row of the paper's real-data tables; values for CMN, MN and SGM, the last on binary
/// tables only.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// The file's name without extension.
    pub(super) key: &'static str,
    pub(super) name: &'static str,
    /// Rows and variables; `None` where there is no table to compare with.
    pub(super) size: Option<(u64, usize)>,
    pub(super) sbic: [Option<f64>; 3],
    pub(super) predictive: [Option<f64>; 3],
    pub(super) edges: [Option<f64>; 3],
    pub(super) parameters: [Option<f64>; 3],
    /// Predictive accuracy at kappa = eps, n^-1, n^-1/2, n^-1/4.
    pub(super) by_kappa: [f64; 4],
}

const fn all(values: [f64; 3]) -> [Option<f64>; 3] {
    [Some(values[0]), Some(values[1]), Some(values[2])]
}

const fn two(values: [f64; 2]) -> [Option<f64>; 3] {
    [Some(values[0]), Some(values[1]), None]
}

/// The ten tables in the paper's order: binary ones first.
pub(super) const REAL: [Row; 10] = [
    Row {
        key: "congressional_voting",
        name: "Congressional voting",
        size: Some((312, 15)),
        sbic: all([-6.4800, -6.5068, -6.6583]),
        predictive: all([-6.4526, -6.4151, -6.5428]),
        edges: all([24.9, 23.4, 30.0]),
        parameters: all([40.0, 40.0, 54.3]),
        by_kappa: [-6.4151, -6.4151, -6.4900, -6.9397],
    },
    Row {
        key: "coronary_heart",
        name: "Coronary heart disease",
        size: Some((1841, 6)),
        sbic: all([-3.6506, -3.6567, -3.6522]),
        predictive: all([-3.6395, -3.6460, -3.6417]),
        edges: all([5.5, 4.5, 6.5]),
        parameters: all([9.5, 10.9, 12.1]),
        by_kappa: [-3.6460, -3.6460, -3.6437, -3.6395],
    },
    Row {
        key: "economic_activity",
        name: "Economic activity",
        size: Some((665, 8)),
        sbic: all([-4.0077, -4.0413, -4.0513]),
        predictive: all([-3.9515, -3.9698, -4.0245]),
        edges: all([14.3, 11.6, 12.8]),
        parameters: all([18.1, 22.2, 23.2]),
        by_kappa: [-3.9698, -3.9698, -3.9648, -3.9515],
    },
    Row {
        key: "finnish_parliament",
        name: "Finnish parliament",
        size: None,
        sbic: all([-7.3767, -7.4031, -7.4124]),
        predictive: all([-7.3525, -7.3579, -7.3623]),
        edges: all([31.9, 26.2, 34.8]),
        parameters: all([42.4, 48.0, 61.6]),
        by_kappa: [-7.3579, -7.3593, -7.3580, -7.4324],
    },
    Row {
        key: "women_mathematics",
        name: "Women in mathematics",
        size: Some((1190, 6)),
        sbic: all([-3.7770, -3.7829, -3.7771]),
        predictive: all([-3.7547, -3.7561, -3.7564]),
        edges: all([6.0, 4.9, 6.4]),
        parameters: all([11.1, 11.8, 11.2]),
        by_kappa: [-3.7561, -3.7563, -3.7551, -3.7547],
    },
    Row {
        key: "car",
        name: "Car evaluation",
        size: Some((1728, 7)),
        sbic: two([-7.9225, -7.9691]),
        predictive: two([-7.7651, -7.7690]),
        edges: two([6.0, 6.0]),
        parameters: two([79.0, 100.0]),
        by_kappa: [-7.7690, -7.7690, -7.7700, -7.7651],
    },
    Row {
        key: "contraceptive",
        name: "Contraceptive method",
        size: Some((1473, 10)),
        sbic: two([-8.3405, -8.3568]),
        predictive: two([-8.2108, -8.2188]),
        edges: two([10.9, 10.5]),
        parameters: two([83.2, 84.7]),
        by_kappa: [-8.2188, -8.2188, -8.2188, -8.2249],
    },
    Row {
        key: "mushroom",
        name: "Mushroom",
        size: Some((5644, 8)),
        sbic: two([-5.0416, -5.1035]),
        predictive: two([-4.4276, -4.4262]),
        edges: two([17.0, 17.7]),
        parameters: two([756.0, 832.0]),
        by_kappa: [-4.4262, -4.4262, -4.4259, -4.4276],
    },
    Row {
        key: "soybean",
        name: "Soybean",
        size: Some((266, 11)),
        sbic: two([-9.3404, -9.3773]),
        predictive: two([-9.0416, -9.1259]),
        edges: two([14.1, 12.4]),
        parameters: two([58.9, 60.8]),
        by_kappa: [-9.1259, -9.1259, -9.1524, -9.1168],
    },
    Row {
        key: "wisconsin_breast_cancer",
        name: "Wisconsin breast cancer",
        size: Some((683, 10)),
        sbic: two([-5.0012, -5.1344]),
        predictive: two([-4.9057, -5.0388]),
        edges: two([13.3, 12.0]),
        parameters: two([57.3, 62.6]),
        by_kappa: [-5.0388, -5.0388, -5.0079, -4.9187],
    },
];

/// The last row of the table of priors, over all ten tables: BIC, eps, n^-1, n^-1/2, n^-1/4.
pub(super) const AVERAGE: [f64; 5] = [-5.9502, -5.9724, -5.9725, -5.9787, -6.0171];

/// One row of the synthetic table: n, then sBIC and KL divergence of CMN, MN, SGM.
pub(super) const SYNTHETIC: [(u32, [f64; 3], [f64; 3]); 5] = [
    (250, [-4.3696, -4.4095, -4.3755], [0.0867, 0.0922, 0.0658]),
    (500, [-4.3274, -4.3604, -4.3327], [0.0435, 0.0472, 0.0273]),
    (1000, [-4.3069, -4.3302, -4.3119], [0.0142, 0.0201, 0.0129]),
    (2000, [-4.2789, -4.2930, -4.2825], [0.0052, 0.0070, 0.0055]),
    (4000, [-4.2667, -4.2740, -4.2689], [0.0026, 0.0032, 0.0027]),
];

/// p(X3=0 | X1, X2, X4, X5=1) and p(X4=0 | X1, X2, X3, X5=1), rows in the paper's order: the
/// three values count up from 000 to 111.
pub(super) const CONDITIONALS: [[f64; 8]; 2] = [
    [0.8140, 0.7887, 0.3333, 0.3478, 0.9459, 0.9289, 0.3333, 0.3478],
    [0.7143, 0.6809, 0.5000, 0.5161, 0.5172, 0.4444, 0.0588, 0.0625],
];
