use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use tempfile::tempdir;

use super::leftovers::ABANDONED;
use super::*;

const OURS: &str = r#"{"incast": "0.1.0", "fingerprint": "0123456789abcdef"}"#;

/// Writes a summary, and another file, as results would be.
fn fill(folder: &Path) -> Result<(), FileError> {
    write_text(&folder.join(SUMMARY), OURS)?;
    write_text(&folder.join(SCENARIO), "name = \"new\"")
}

/// Writes one file, then finds the disk full.
fn fail(folder: &Path) -> Result<(), FileError> {
    fill(folder)?;
    Err(FileError::write(
        &folder.join(FLOWS),
        io::Error::from(ErrorKind::StorageFull),
    ))
}

/// Names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> = entries
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    names
}

#[test]
fn a_new_folder_appears_with_its_parents() {
    let place = tempdir().expect("a folder");
    let folder = place.path().join("deep/down/results");
    replace(&folder, Spare::Nothing, fill).expect("written");
    assert_eq!(names(&folder), [CHECKSUMS, SCENARIO, SUMMARY]);
    assert_eq!(names(folder.parent().expect("a parent")), ["results"]);
}

#[test]
fn an_empty_folder_is_filled() {
    let place = tempdir().expect("a folder");
    let folder = place.path().join("results");
    fs::create_dir(&folder).expect("made");
    replace(&folder, Spare::Nothing, fill).expect("written");
    assert_eq!(names(&folder), [CHECKSUMS, SCENARIO, SUMMARY]);
}

#[test]
fn old_results_go_and_other_files_stay() {
    let place = tempdir().expect("a folder");
    let folder = place.path().join("results");
    fs::create_dir_all(folder.join("figures")).expect("made");
    for (name, text) in [(SUMMARY, OURS), (FLOWS, "old"), ("notes.txt", "mine")] {
        fs::write(folder.join(name), text).expect("written");
    }
    replace(&folder, Spare::Nothing, fill).expect("written");
    assert_eq!(
        names(&folder),
        [CHECKSUMS, "figures", "notes.txt", SCENARIO, SUMMARY]
    );
    assert_eq!(names(place.path()), ["results"]);
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_stays_one() {
    let place = tempdir().expect("a folder");
    let (disk, link) = (place.path().join("disk"), place.path().join("results"));
    fs::create_dir(&disk).expect("made");
    std::os::unix::fs::symlink(&disk, &link).expect("linked");
    replace(&link, Spare::Nothing, fill).expect("written");
    assert!(link.is_symlink());
    assert_eq!(names(&disk), [CHECKSUMS, SCENARIO, SUMMARY]);
}

#[test]
fn a_folder_of_another_program_is_left_alone() {
    let place = tempdir().expect("a folder");
    for (name, text) in [("thesis.tex", "…"), (SUMMARY, r#"{"passed": 7}"#)] {
        let folder = place.path().join(format!("with-{name}"));
        fs::create_dir(&folder).expect("made");
        fs::write(folder.join(name), text).expect("written");
        let message = replace(&folder, Spare::Nothing, fill)
            .expect_err("refused")
            .to_string();
        let folder_text = folder.display();
        assert_eq!(
            message,
            format!("{folder_text} exists and is not a results folder; give another --out")
        );
        assert_eq!(names(&folder), [name]);
    }
}

#[test]
fn damaged_results_are_replaced() {
    let place = tempdir().expect("a folder");
    let folder = place.path().join("results");
    fs::create_dir(&folder).expect("made");
    for name in [SUMMARY, SCENARIO, FLOWS] {
        fs::write(folder.join(name), "").expect("written");
    }
    fs::write(folder.join("notes.txt"), "mine").expect("written");
    replace(&folder, Spare::Nothing, fill).expect_err("holds more than results");
    fs::remove_file(folder.join("notes.txt")).expect("removed");
    replace(&folder, Spare::Nothing, fill).expect("written");
    assert!(is_summary(&folder.join(SUMMARY)));
}

#[test]
fn a_file_in_the_way_is_left_alone() {
    let place = tempdir().expect("a folder");
    let file = place.path().join("results");
    fs::write(&file, "mine").expect("written");
    assert!(matches!(
        replace(&file, Spare::Nothing, fill),
        Err(FileError::NotResults { .. })
    ));
    assert_eq!(fs::read_to_string(&file).expect("still there"), "mine");
}

#[test]
fn a_failure_leaves_nothing_behind() {
    let place = tempdir().expect("a folder");
    let folder = place.path().join("deep/down/results");
    let message = replace(&folder, Spare::Nothing, fail)
        .expect_err("no space")
        .to_string();
    let file = folder.join(FLOWS);
    assert_eq!(
        message,
        format!("{}: cannot write: no storage space", file.display())
    );
    assert!(names(place.path()).is_empty());
}

#[test]
fn a_failure_leaves_old_results_whole() {
    let place = tempdir().expect("a folder");
    let folder = place.path().join("results");
    replace(&folder, Spare::Nothing, fill).expect("written");
    fs::write(folder.join(FLOWS), "old").expect("written");
    replace(&folder, Spare::Nothing, fail).expect_err("no space");
    assert_eq!(names(&folder), [CHECKSUMS, FLOWS, SCENARIO, SUMMARY]);
    assert_eq!(names(place.path()), ["results"]);
}

/// Below a regular file no folder can be made, not even by root.
#[test]
fn an_impossible_place_is_named_with_its_reason() {
    let place = tempdir().expect("a folder");
    let file = place.path().join("file");
    fs::write(&file, "").expect("written");
    let folder = file.join("results");
    let message = replace(&folder, Spare::Nothing, fill)
        .expect_err("impossible")
        .to_string();
    let start = format!("{}: cannot write: Not a directory", folder.display());
    assert!(message.starts_with(&start), "{message}");
}

/// Folders that killed processes have left go a day later; those that may still be written stay,
/// and so do all others.
#[test]
fn leftovers_of_killed_processes_go() {
    let place = tempdir().expect("a folder");
    let leave = |name: &str, file: &str, age: Duration| {
        let folder = place.path().join(name);
        fs::create_dir(&folder).expect("made");
        fs::write(folder.join(file), "").expect("written");
        let begun = SystemTime::now() - age;
        let folder = File::open(folder).expect("a folder");
        folder.set_modified(begun).expect("set");
    };
    let hour = Duration::from_secs(3600);
    leave(".results.new-1", FLOWS, ABANDONED + hour);
    leave(".results.new-2", FLOWS, hour);
    leave(".results.new-3", "notes.txt", ABANDONED + hour);
    leave(".others.new-4", FLOWS, ABANDONED + hour);
    replace(&place.path().join("results"), Spare::Nothing, fill).expect("written");
    assert_eq!(
        names(place.path()),
        [
            ".others.new-4",
            ".results.new-2",
            ".results.new-3",
            "results"
        ]
    );
}

/// Eight threads replace one folder in single steps, so none is in the way of another.
#[cfg(target_os = "linux")]
#[test]
fn threads_may_write_one_folder() {
    let place = tempdir().expect("a folder");
    let folder = place.path().join("results");
    replace(&folder, Spare::Nothing, fill).expect("written");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..20 {
                    replace(&folder, Spare::Nothing, fill).expect("written");
                }
            });
        }
    });
    assert_eq!(names(&folder), [CHECKSUMS, SCENARIO, SUMMARY]);
    assert_eq!(names(place.path()), ["results"]);
}

/// A folder beside the results, as a process of this kernel leaves it that ends amid its work.
fn leave(place: &Path, role: &str, files: &[(&str, &str)]) -> std::path::PathBuf {
    let path = leftovers::sibling(&place.join("results"), role, 7).expect("a name");
    fs::create_dir(&path).expect("made");
    for (name, text) in files {
        fs::write(path.join(name), text).expect("written");
    }
    path
}

/// Half of the new results go at once; what still has its lock stays.
#[cfg(target_os = "linux")]
#[test]
fn leftovers_of_ended_processes_go_at_once() {
    let place = tempdir().expect("a folder");
    let ended = leave(place.path(), "new", &[(FLOWS, "half")]);
    replace(&place.path().join("results"), Spare::Nothing, fill).expect("written");
    assert!(!ended.exists());
    let alive = leave(place.path(), "new", &[(FLOWS, "half")]);
    let _lock = lock::exclusive(&alive);
    replace(&place.path().join("results"), Spare::Nothing, fill).expect("written");
    assert_eq!(names(&alive), [FLOWS]);
}

/// Results that are whole, but were not put in place, are; the user's own files come back, too.
#[cfg(target_os = "linux")]
#[test]
fn what_is_worth_it_is_brought_back() {
    let place = tempdir().expect("a folder");
    let folder = place.path().join("results");
    replace(&folder, Spare::Nothing, fill).expect("written");
    let stranded = leave(place.path(), "new", &[]);
    fs::remove_dir(&stranded).expect("removed");
    fs::rename(&folder, &stranded).expect("moved");
    let old = leave(
        place.path(),
        "old",
        &[(FLOWS, "old"), ("notes.txt", "mine")],
    );
    assert_eq!(recover(&folder), [stranded, old]);
    assert_eq!(names(&folder), [CHECKSUMS, "notes.txt", SCENARIO, SUMMARY]);
    assert_eq!(names(place.path()), ["results"]);
    assert!(recover(&folder).is_empty());
}

fn fill_as(partial: bool, identity: u8) -> impl Fn(&Path) -> Result<(), FileError> {
    move |folder| {
        let text = format!(
            r#"{{"incast": "0", "fingerprint": "0", "partial": {partial}, "identity": {identity}}}"#
        );
        for table in [FLOWS, SERIES, PORTS, SCENARIO] {
            write_text(&folder.join(table), "")?;
        }
        write_text(&folder.join(SUMMARY), &text)
    }
}

/// What stands in a folder is judged in the moment of replacement, by what is there then.
#[test]
fn whole_results_are_spared() {
    const PARTIAL: bool = true;
    const WHOLE: bool = false;
    for (standing, identity, spare, stays) in [
        (WHOLE, 1, Spare::Nothing, false),
        (WHOLE, 1, Spare::SameRun, true),
        (WHOLE, 2, Spare::SameRun, false),
        (WHOLE, 2, Spare::Whole, true),
        (PARTIAL, 1, Spare::SameRun, false),
        (PARTIAL, 1, Spare::Whole, false),
    ] {
        let place = tempdir().expect("a folder");
        let folder = place.path().join("results");
        let written = replace(&folder, spare, |staging| {
            // Another process is first.
            replace(&folder, Spare::Nothing, fill_as(standing, identity))?;
            fill_as(WHOLE, 1)(staging)
        });
        let case = (standing, identity, spare);
        assert_eq!(
            matches!(written, Err(FileError::Spared { .. })),
            stays,
            "{case:?}"
        );
        assert_eq!(names(place.path()), ["results"], "{case:?}");
    }
}

#[test]
fn a_file_that_differs_is_told() {
    let place = tempdir().expect("a folder");
    let folder = place.path().join("results");
    replace(&folder, Spare::Nothing, fill).expect("written");
    let file = folder.join(SCENARIO);
    check_file(&file).expect("as written");
    assert!(sizes_match(&folder));
    fs::write(&file, "name = \"mew\"").expect("written");
    assert!(sizes_match(&folder), "as long as before");
    let message = check_file(&file).expect_err("differs").to_string();
    assert_eq!(
        message,
        format!("{} differs from what was written", file.display())
    );
    copy_results(&folder, &place.path().join("copy")).expect_err("differs");
    fs::write(&file, "").expect("written");
    assert!(!sizes_match(&folder));
    fs::remove_file(folder.join(CHECKSUMS)).expect("removed");
    check_file(&file).expect("older results have no checksums");
    assert!(sizes_match(&folder));
}

/// A report may be edited, written anew or removed, also that of a copy.
#[test]
fn reports_have_no_checksum() {
    let place = tempfile::tempdir().unwrap();
    let (folder, copy) = (place.path().join("whole"), place.path().join("copy"));
    let fill = |staging: &Path| write_text(&staging.join(SUMMARY), "{}");
    replace(&folder, Spare::Nothing, fill).unwrap();
    fs::write(folder.join(REPORT), "a report").unwrap();
    copy_results(&folder, &copy).unwrap();
    assert!(checksums::are_met(&copy));
    fs::write(copy.join(REPORT), "another one").unwrap();
    assert!(checksums::are_met(&copy));
    fs::remove_file(copy.join(REPORT)).unwrap();
    assert!(checksums::are_met(&copy));
    write_text(&copy.join(SUMMARY), "{} ").unwrap();
    assert!(!checksums::are_met(&copy));
}
