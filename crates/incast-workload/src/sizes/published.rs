//! The distributions of the literature, by name.
//!
//! Sizes are in bytes, percentages count the flows up to that size. The first four tables are those
//! of the HPCC artifact (Li et al., SIGCOMM 2019), linear between points. The `rocc` tables are
//! those of RoCC's simulation (Menikkumbura et al., CoNEXT 2020), which draws only the listed
//! sizes.

use incast_registry::registry;

use crate::cdf::{BadPoint, Cdf};

registry! {
    /// A published distribution of flow sizes.
    #[derive(Copy, Clone, Debug, PartialEq, Eq)]
    pub enum Published as "sizes" => Result<Cdf, BadPoint> {
        "web-search" => WebSearch = lines(&WEB_SEARCH),
            "web search (the DCTCP paper's): 30 % of the flows above 1 MB, mean 1.7 MB";
        "fb-hadoop" => FbHadoop = lines(&FB_HADOOP),
            "Facebook's Hadoop cluster: half of the flows up to 700 B, mean 120 KB";
        "ali-storage" => AliStorage = lines(&ALI_STORAGE),
            "Alibaba's storage, 2019: 96 % of the flows below 128 KB, up to 2 MB, mean 41 KB";
        "google-rpc" => GoogleRpc = lines(&GOOGLE_RPC),
            "Google's RPCs, 2008, a coarse extract: 86 % of the flows up to 1 KB, mean 2.9 KB";
        "rocc-fb" => RoccFb = Cdf::steps(&ROCC_FB),
            "RoCC's key-value table: only 13 sizes, half of the flows 75 B, mean 0.5 KB";
        "rocc-htl" => RoccHtl = Cdf::steps(&ROCC_HTL),
            "RoCC's heavy-tailed table: only 10 sizes, 10 KB to 20 MB, mean 3.1 MB";
        "rocc-vl2" => RoccVl2 = Cdf::steps(&ROCC_VL2),
            "RoCC's table after VL2: only 12 sizes, 180 B to 1 GB, mean 23 MB";
    }
}

impl Published {
    /// The table of the distribution.
    pub fn cdf(self) -> Cdf {
        self.value().expect("published tables are valid")
    }
}

fn lines(table: &[(f64, f64)]) -> Result<Cdf, BadPoint> {
    Cdf::new(table.iter().copied())
}

const WEB_SEARCH: [(f64, f64); 12] = [
    (0.0, 0.0),
    (10_000.0, 15.0),
    (20_000.0, 20.0),
    (30_000.0, 30.0),
    (50_000.0, 40.0),
    (80_000.0, 53.0),
    (200_000.0, 60.0),
    (1_000_000.0, 70.0),
    (2_000_000.0, 80.0),
    (5_000_000.0, 90.0),
    (10_000_000.0, 97.0),
    (30_000_000.0, 100.0),
];

const FB_HADOOP: [(f64, f64); 20] = [
    (0.0, 0.0),
    (100.0, 1.0),
    (200.0, 2.0),
    (300.0, 5.0),
    (350.0, 15.0),
    (400.0, 20.0),
    (500.0, 30.0),
    (600.0, 40.0),
    (700.0, 50.0),
    (1_000.0, 60.0),
    (2_000.0, 67.0),
    (7_000.0, 70.0),
    (30_000.0, 72.0),
    (50_000.0, 82.0),
    (80_000.0, 87.0),
    (120_000.0, 90.0),
    (300_000.0, 95.0),
    (1_000_000.0, 97.5),
    (2_000_000.0, 99.0),
    (10_000_000.0, 100.0),
];

const ALI_STORAGE: [(f64, f64); 9] = [
    (0.0, 0.0),
    (4_000.0, 22.93),
    (8_000.0, 69.21),
    (16_000.0, 80.61),
    (32_000.0, 90.47),
    (64_000.0, 93.53),
    (128_000.0, 96.77),
    (256_000.0, 97.53),
    (2_000_000.0, 100.0),
];

/// A coarse extract, 46 of the artifact's 843 points. Its mean is 2 932.3 B; that of the full table
/// is 2 891.6 B, because the full curve deviates from the straight lines between the 46 points.
/// Loads are computed from the extract's own mean.
const GOOGLE_RPC: [(f64, f64); 46] = [
    (0.0, 0.0),
    (3.0, 6.48826),
    (32.0, 9.73239),
    (64.0, 15.5271),
    (96.0, 28.6139),
    (128.0, 35.1573),
    (205.0, 46.1319),
    (256.0, 49.7901),
    (331.0, 62.8365),
    (402.0, 70.6643),
    (512.0, 78.4921),
    (683.0, 82.406),
    (1_024.0, 86.32),
    (1_536.0, 89.3641),
    (2_048.0, 90.8862),
    (3_072.0, 92.6257),
    (4_096.0, 93.4955),
    (5_521.0, 95.0105),
    (8_192.0, 96.4309),
    (10_496.0, 97.3259),
    (12_918.0, 97.9225),
    (16_384.0, 98.4694),
    (21_984.0, 98.7602),
    (32_768.0, 99.0402),
    (44_772.0, 99.1932),
    (65_536.0, 99.3256),
    (81_920.0, 99.4805),
    (103_478.0, 99.6096),
    (131_072.0, 99.7129),
    (171_850.0, 99.7757),
    (207_604.0, 99.8105),
    (262_144.0, 99.8453),
    (323_452.0, 99.8849),
    (393_216.0, 99.915),
    (524_288.0, 99.9498),
    (719_853.0, 99.9639),
    (1_068_642.0, 99.9763),
    (1_457_870.0, 99.9831),
    (2_113_675.0, 99.9889),
    (2_910_653.0, 99.9924),
    (4_135_977.0, 99.9952),
    (5_368_784.0, 99.9967),
    (7_143_054.0, 99.998),
    (9_710_291.0, 99.999),
    (11_837_511.0, 99.9995),
    (15_158_197.0, 100.0),
];

const ROCC_FB: [(f64, f64); 13] = [
    (75.0, 50.0),
    (250.0, 75.0),
    (350.0, 90.0),
    (1_000.0, 96.5),
    (2_515.0, 98.0),
    (6_326.0, 99.0),
    (10_032.0, 99.5),
    (15_910.0, 99.7),
    (23_009.0, 99.92),
    (24_094.0, 99.96),
    (25_000.0, 99.99),
    (100_000.0, 99.999),
    (1_000_000.0, 100.0),
];

const ROCC_HTL: [(f64, f64); 10] = [
    (10_000.0, 10.0),
    (20_000.0, 20.0),
    (30_000.0, 30.0),
    (50_000.0, 40.0),
    (80_000.0, 50.0),
    (100_000.0, 60.0),
    (200_000.0, 70.0),
    (1_000_000.0, 80.0),
    (10_000_000.0, 90.0),
    (20_000_000.0, 100.0),
];

const ROCC_VL2: [(f64, f64); 12] = [
    (180.0, 10.0),
    (216.0, 20.0),
    (560.0, 30.0),
    (900.0, 40.0),
    (1_100.0, 50.0),
    (1_870.0, 60.0),
    (3_160.0, 70.0),
    (10_000.0, 80.0),
    (400_000.0, 90.0),
    (3_160_000.0, 95.0),
    (100_000_000.0, 98.0),
    (1_000_000_000.0, 100.0),
];
