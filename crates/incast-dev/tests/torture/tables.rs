//! Damaged Parquet files of results.

use incast_sim::{Source, Spec, Table, run};

use crate::damage::damaged;
use crate::outcome::Outcome;
use crate::{repository, torture, write};

#[test]
fn parquet_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = Source::from_file(&repository("examples/incast.toml")).expect("an example");
    let spec = Spec::parse(&source, &[])
        .and_then(Spec::validate)
        .expect("the example is valid");
    let results = run(&spec, &mut ()).expect("the example runs");
    let seeds = [&results.flows, &results.ports].map(|table| {
        let path = folder.path().join("seed.parquet");
        table.write_parquet(&path).expect("the disk has room");
        std::fs::read(&path).expect("the table was written")
    });
    let path = folder.path().join("damaged.parquet");
    torture(
        "parquet files",
        10,
        &damaged(seeds.to_vec(), &["x"]),
        |file| {
            write(&path, file);
            match Table::read_parquet(&path) {
                Ok(_) => Outcome::Accepted,
                Err(error) => Outcome::Refused(error.to_string().chars().count()),
            }
        },
    );
}
