use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use tempfile::tempdir;

use super::leftovers::ABANDONED;
use super::*;
use crate::file_error::StandingResults;

const OURS: &str = r#"{"incast": "0.1.0", "fingerprint": "0123456789abcdef"}"#;

/// Writes the files of a small result.
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
    replace(&folder, Spare::Nothing, &wait_on, fill).expect("written");
    assert_eq!(names(&folder), [CHECKSUMS, SCENARIO, SUMMARY]);
    assert_eq!(names(folder.parent().expect("a parent")), ["results"]);
}

#[test]
fn an_empty_folder_is_filled() {
    let place = tempdir().expect("a folder");
    let folder = place.path().join("results");
    fs::create_dir(&folder).expect("made");
    replace(&folder, Spare::Nothing, &wait_on, fill).expect("written");
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
    replace(&folder, Spare::Nothing, &wait_on, fill).expect("written");
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
    replace(&link, Spare::Nothing, &wait_on, fill).expect("written");
    assert!(link.is_symlink());
    assert_eq!(names(&disk), [CHECKSUMS, SCENARIO, SUMMARY]);
}

#[test]
fn a_folder_of_another_program_is_left_alone() {
    let place = tempdir().expect("a folder");
    for (number, (name, text)) in [
        ("thesis.tex", "…"),
        (SUMMARY, r#"{"passed": 7}"#),
        (SUMMARY, r#"{"incast": "0.1.0"}"#),
        (SUMMARY, r#"{"fingerprint": "0123456789abcdef"}"#),
    ]
    .into_iter()
    .enumerate()
    {
        let folder = place.path().join(number.to_string());
        fs::create_dir(&folder).expect("made");
        fs::write(folder.join(name), text).expect("written");
        let message = replace(&folder, Spare::Nothing, &wait_on, fill)
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
    replace(&folder, Spare::Nothing, &wait_on, fill).expect_err("holds more than results");
    fs::remove_file(folder.join("notes.txt")).expect("removed");
    replace(&folder, Spare::Nothing, &wait_on, fill).expect("written");
    assert!(SummaryHead::of(&folder).is_some());
}

#[test]
fn a_file_in_the_way_is_left_alone() {
    let place = tempdir().expect("a folder");
    let file = place.path().join("results");
    fs::write(&file, "mine").expect("written");
    assert!(matches!(
        replace(&file, Spare::Nothing, &wait_on, fill),
        Err(FileError::NotResults { .. })
    ));
    assert_eq!(fs::read_to_string(&file).expect("still there"), "mine");
}

#[test]
fn a_failure_leaves_nothing_behind() {
    let place = tempdir().expect("a folder");
    let folder = place.path().join("deep/down/results");
    let message = replace(&folder, Spare::Nothing, &wait_on, fail)
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
    replace(&folder, Spare::Nothing, &wait_on, fill).expect("written");
    fs::write(folder.join(FLOWS), "old").expect("written");
    replace(&folder, Spare::Nothing, &wait_on, fail).expect_err("no space");
    assert_eq!(names(&folder), [CHECKSUMS, FLOWS, SCENARIO, SUMMARY]);
    assert_eq!(names(place.path()), ["results"]);
}

/// No folder can be made below a regular file, not even by root.
#[test]
fn an_impossible_place_is_named_with_its_reason() {
    let place = tempdir().expect("a folder");
    let file = place.path().join("file");
    fs::write(&file, "").expect("written");
    let folder = file.join("results");
    let message = replace(&folder, Spare::Nothing, &wait_on, fill)
        .expect_err("impossible")
        .to_string();
    let start = format!("{}: cannot write: Not a directory", folder.display());
    assert!(message.starts_with(&start), "{message}");
}

/// Folders that killed processes have left are removed a day later. Younger folders stay, since a
/// process may still write them. Folders of other results and other users stay, too.
#[test]
fn leftovers_of_killed_processes_go() {
    let place = tempdir().expect("a folder");
    let leave = |name: &str, file: &str, age: Duration| {
        let folder = place.path().join(name);
        fs::create_dir_all(&folder).expect("made");
        fs::write(folder.join(file), "").expect("written");
        let begun = SystemTime::now() - age;
        let folder = File::open(folder).expect("a folder");
        folder.set_modified(begun).expect("set");
    };
    let hour = Duration::from_secs(3600);
    let user = rustix::process::geteuid().as_raw();
    let of = |name: &str| format!(".{name}.unfinished-{user}");
    let [others, ours] = ["others", "results"].map(of);
    let of_another = format!(".results.unfinished-{}", user + 1);
    leave(&format!("{ours}/new-1"), FLOWS, ABANDONED + hour);
    leave(&format!("{ours}/new-2"), FLOWS, hour);
    leave(&format!("{ours}/new-3"), "notes.txt", ABANDONED + hour);
    leave(&format!("{others}/new-4"), FLOWS, ABANDONED + hour);
    leave(&format!("{of_another}/new-5"), FLOWS, ABANDONED + hour);
    replace(
        &place.path().join("results"),
        Spare::Nothing,
        &wait_on,
        fill,
    )
    .expect("written");
    let all = [&others, &ours, &of_another, "results"];
    assert_eq!(names(place.path()), all);
    assert_eq!(names(&place.path().join(&others)), ["new-4"]);
    assert_eq!(names(&place.path().join(&ours)), ["new-2", "new-3"]);
    assert_eq!(names(&place.path().join(&of_another)), ["new-5"]);
}

/// Eight threads replace one folder, each in a single step, so no thread disturbs another.
#[cfg(target_os = "linux")]
#[test]
fn threads_may_write_one_folder() {
    let place = tempdir().expect("a folder");
    let folder = place.path().join("results");
    replace(&folder, Spare::Nothing, &wait_on, fill).expect("written");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..20 {
                    replace(&folder, Spare::Nothing, &wait_on, fill).expect("written");
                }
            });
        }
    });
    assert_eq!(names(&folder), [CHECKSUMS, SCENARIO, SUMMARY]);
    assert_eq!(names(place.path()), ["results"]);
}

/// Makes a folder beside the results, like one that is left by a process that ended while it wrote.
fn leave(place: &Path, role: &str, files: &[(&str, &str)]) -> std::path::PathBuf {
    let path = leftovers::sibling(&place.join("results"), role, 7).expect("a name");
    fs::create_dir_all(&path).expect("made");
    for (name, text) in files {
        fs::write(path.join(name), text).expect("written");
    }
    path
}

/// Half-written results of an ended process are removed at once; those with a held lock stay.
#[cfg(target_os = "linux")]
#[test]
fn leftovers_of_ended_processes_go_at_once() {
    let place = tempdir().expect("a folder");
    let ended = leave(place.path(), "new", &[(FLOWS, "half")]);
    replace(
        &place.path().join("results"),
        Spare::Nothing,
        &wait_on,
        fill,
    )
    .expect("written");
    assert!(!ended.exists());
    let alive = leave(place.path(), "new", &[(FLOWS, "half")]);
    let _lock = lock::exclusive(&alive, &wait_on).expect("waited for");
    replace(
        &place.path().join("results"),
        Spare::Nothing,
        &wait_on,
        fill,
    )
    .expect("written");
    assert_eq!(names(&alive), [FLOWS]);
}

/// Whole results that were never put in place are put in place; the user's own files are restored,
/// too.
#[cfg(target_os = "linux")]
#[test]
fn what_is_worth_it_is_brought_back() {
    let place = tempdir().expect("a folder");
    let folder = place.path().join("results");
    replace(&folder, Spare::Nothing, &wait_on, fill).expect("written");
    let stranded = leave(place.path(), "new", &[]);
    fs::remove_dir(&stranded).expect("removed");
    fs::rename(&folder, &stranded).expect("moved");
    let old = leave(
        place.path(),
        "old",
        &[(FLOWS, "old"), ("notes.txt", "mine")],
    );
    assert_eq!(
        recover(&folder, &wait_on).expect("no lock"),
        [stranded, old]
    );
    assert_eq!(names(&folder), [CHECKSUMS, "notes.txt", SCENARIO, SUMMARY]);
    assert_eq!(names(place.path()), ["results"]);
    assert!(recover(&folder, &wait_on).expect("no lock").is_empty());
}

/// A process was killed while its results were beside those of another user: before the exchange of
/// the two, or after it.
#[cfg(target_os = "linux")]
#[test]
fn the_place_of_another_user_is_taken_or_left() {
    let place = tempdir().expect("a folder");
    let folder = place.path().join("results");
    let beside = leftovers::replacing(&folder).expect("a name");
    replace(&folder, Spare::Nothing, &wait_on, fill).expect("written");
    fs::rename(&folder, &beside).expect("moved");
    let back = recover(&folder, &wait_on).expect("no lock");
    assert_eq!(back, [beside.as_path()]);
    assert_eq!(names(&folder), [CHECKSUMS, SCENARIO, SUMMARY]);
    copy_results(&folder, &beside, &wait_on).expect("copied");
    recover(&folder, &wait_on).expect("no lock");
    assert_eq!(names(place.path()), ["results"]);
    // Results that another user has replaced are removed at the next run of their owner.
    let replaced = leftovers::replaced(&folder, &folder).expect("a name");
    copy_results(&folder, &replaced, &wait_on).expect("copied");
    assert_ne!(leftovers::replaced(&folder, &folder), Some(replaced));
    recover(&folder, &wait_on).expect("no lock");
    assert_eq!(names(place.path()), ["results"]);
}

/// Another user has put a link where leftovers would be. The folder behind the link stays
/// unchanged.
#[cfg(unix)]
#[test]
fn leftovers_are_not_looked_for_behind_links() {
    let place = tempdir().expect("a folder");
    let docs = place.path().join("docs");
    fs::create_dir(&docs).expect("made");
    fs::write(docs.join("thesis.txt"), "mine").expect("written");
    fs::write(docs.join(SUMMARY), "mine, too").expect("written");
    let shared = place.path().join("shared");
    let folder = shared.join("results");
    replace(&folder, Spare::Nothing, &wait_on, fill).expect("written");
    for link in [
        leftovers::replacing(&folder).expect("a name"),
        leftovers::replaced(&folder, &folder).expect("a name"),
    ] {
        std::os::unix::fs::symlink(&docs, &link).expect("linked");
        assert!(recover(&folder, &wait_on).expect("no lock").is_empty());
        replace(&folder, Spare::Nothing, &wait_on, fill).expect("written");
        assert_eq!(names(&docs), [SUMMARY, "thesis.txt"]);
        assert_eq!(names(&folder), [CHECKSUMS, SCENARIO, SUMMARY]);
        fs::remove_file(link).expect("still there");
    }
    // Unfinished results behind the link are not brought here, and nothing is written there.
    let leftover = leave(&shared, "new", &[(SUMMARY, "its own")]);
    let unfinished = leftover.parent().expect("a folder");
    let elsewhere = place.path().join("elsewhere");
    fs::rename(unfinished, &elsewhere).expect("moved");
    std::os::unix::fs::symlink(&elsewhere, unfinished).expect("linked");
    assert!(recover(&folder, &wait_on).expect("no lock").is_empty());
    let error = replace(&folder, Spare::Nothing, &wait_on, fill).expect_err("a link");
    assert!(error.to_string().contains("cannot write"), "{error}");
    assert_eq!(names(&elsewhere).len(), 1);
}

/// Stranded results replace standing ones only if these got less far in their run; the user's files
/// stay.
#[cfg(target_os = "linux")]
#[test]
fn what_is_better_than_what_stands_takes_its_place() {
    for (standing, stranded, takes_place) in [
        (until(5), WHOLE, true),
        (other(until(5)), WHOLE, true),
        (until(5), until(6), true),
        (until(5), until(4), false),
        (WHOLE, WHOLE, false),
        (WHOLE, until(5), false),
        (other(WHOLE), WHOLE, false),
    ] {
        let place = tempdir().expect("a folder");
        let folder = place.path().join("results");
        replace(&folder, Spare::Nothing, &wait_on, fill_as(stranded)).expect("written");
        let leftover = leave(place.path(), "new", &[]);
        fs::remove_dir(&leftover).expect("removed");
        fs::rename(&folder, &leftover).expect("moved");
        let its_own = fs::read_to_string(leftover.join(SUMMARY)).expect("read");
        fs::create_dir(&folder).expect("made");
        fill_as(standing)(&folder).expect("written");
        checksums::write(&folder).expect("written");
        fs::write(folder.join("notes.txt"), "mine").expect("written");
        let brought = recover(&folder, &wait_on).expect("no lock");
        assert_eq!(
            !brought.is_empty(),
            takes_place,
            "{standing:?} {stranded:?}"
        );
        if takes_place {
            let there = fs::read_to_string(folder.join(SUMMARY)).expect("read");
            assert_eq!(there, its_own);
        }
        assert!(folder.join("notes.txt").exists());
        assert_eq!(names(place.path()), ["results"]);
    }
}

/// The summary of a run, whole or interrupted.
#[derive(Copy, Clone, Debug)]
struct Run {
    identity: u8,
    partial: bool,
    simulated_ps: u64,
}

const WHOLE: Run = Run {
    identity: 1,
    partial: false,
    simulated_ps: 9,
};

const fn until(simulated_ps: u64) -> Run {
    Run {
        partial: true,
        simulated_ps,
        ..WHOLE
    }
}

const fn other(run: Run) -> Run {
    Run { identity: 2, ..run }
}

fn fill_as(run: Run) -> impl Fn(&Path) -> Result<(), FileError> {
    let Run {
        identity,
        partial,
        simulated_ps,
    } = run;
    move |folder| {
        let text = format!(
            r#"{{"incast": "0", "fingerprint": "0", "partial": {partial}, "identity": "{identity}",
            "name": "n", "algorithm": "a", "seed": 3, "simulated_ps": {simulated_ps}}}"#
        );
        for table in [FLOWS, SERIES, PORTS, SCENARIO] {
            write_text(&folder.join(table), "")?;
        }
        write_text(&folder.join(SUMMARY), &text)
    }
}

/// Standing results are judged at the moment of replacement, as they are then.
#[test]
fn better_results_and_those_of_others_are_spared() {
    let same = || Some(StandingResults::SameRun);
    let further = || Some(StandingResults::Further);
    let of_others = |partial| {
        let run = "`n`, a, seed 3, identity 2".to_owned();
        let partial = Some(partial);
        Some(StandingResults::Other { run, partial })
    };
    for (standing, new, why) in [
        (WHOLE, WHOLE, same()),
        (WHOLE, until(5), same()),
        (other(WHOLE), WHOLE, of_others(false)),
        (other(WHOLE), until(5), of_others(false)),
        (until(5), WHOLE, None),
        (other(until(5)), WHOLE, None),
        (until(5), until(4), further()),
        (until(5), until(5), None),
        (until(5), until(6), None),
        (other(until(5)), until(6), of_others(true)),
    ] {
        for spare in [Spare::Better, Spare::Nothing] {
            let place = tempdir().expect("a folder");
            let folder = place.path().join("results");
            let written = replace(&folder, spare, &wait_on, |staging| {
                // Another process writes its results first.
                replace(&folder, Spare::Nothing, &wait_on, fill_as(standing))?;
                fill_as(new)(staging)
            });
            let found = match written {
                Ok(()) => None,
                Err(FileError::Spared { standing, .. }) => Some(standing),
                Err(error) => panic!("{error}"),
            };
            let stays = why.clone().filter(|_| spare == Spare::Better);
            assert_eq!(found, stays, "{standing:?}, then {new:?}, {spare:?}");
            assert_eq!(names(place.path()), ["results"]);
        }
    }
}

/// Results of the same run with a torn table may be replaced. Damaged results of another run stay,
/// since they may still have value to their owner.
#[test]
fn damaged_results_of_the_same_run_are_not_spared() {
    let place = tempdir().expect("a folder");
    let folder = place.path().join("results");
    for (new, stays) in [(WHOLE, false), (other(WHOLE), true)] {
        replace(&folder, Spare::Nothing, &wait_on, fill_as(WHOLE)).expect("written");
        fs::write(folder.join(FLOWS), "torn").expect("written");
        let written = replace(&folder, Spare::Better, &wait_on, fill_as(new));
        assert_eq!(written.is_err(), stays, "{new:?}");
    }
}

/// A summary that does not say whether its run was interrupted does not count as that of a whole
/// run.
#[test]
fn damaged_summaries_are_not_those_of_whole_runs() {
    let place = tempdir().expect("a folder");
    let folder = place.path().join("results");
    replace(&folder, Spare::Nothing, &wait_on, fill_as(WHOLE)).expect("written");
    let file = folder.join(SUMMARY);
    let text = fs::read_to_string(&file).expect("text");
    let damaged = text.replace("\"partial\": false", "\"partial\": 0");
    assert_ne!(text, damaged);
    fs::write(&file, damaged).expect("written");
    // Results of older versions have no checksums.
    fs::remove_file(folder.join(CHECKSUMS)).expect("removed");
    let found = other_run(&folder, "2").expect("another run").to_string();
    assert!(
        found.starts_with("holds a damaged run of another"),
        "{found}"
    );
    replace(&folder, Spare::Better, &wait_on, fill_as(WHOLE)).expect("gives way");
}

/// A summary that `summary_file.rs` can read has a head that can be read, too.
#[test]
fn summaries_of_this_version_have_heads() {
    let place = tempdir().expect("a folder");
    let text = include_str!("../tests/summary.json").replace("IDENTITY", "0123456789abcdef");
    crate::checked_summary(Path::new(SUMMARY), &text).expect("a summary");
    write_text(&place.path().join(SUMMARY), &text).expect("written");
    let head = SummaryHead::of(place.path()).expect("a head");
    assert_eq!(head.identity(), Some("0123456789abcdef"));
    assert_eq!(head.is_partial(), Some(false));
    let [simulated_ps, packet_hops] = head.reached();
    assert!(text.contains(&format!("\"simulated_ps\": {simulated_ps},")));
    assert!(text.contains(&format!("\"packet_hops\": {packet_hops},")));
}

#[test]
fn results_of_another_run_are_told() {
    let place = tempdir().expect("a folder");
    let folder = place.path().join("results");
    assert_eq!(other_run(&folder, "1"), None);
    replace(&folder, Spare::Nothing, &wait_on, fill_as(until(5))).expect("written");
    assert_eq!(other_run(&folder, "1"), None);
    let found = other_run(&folder, "2").expect("another run");
    assert_eq!(
        found.to_string(),
        "holds an interrupted run of another scenario, seed or version (`n`, a, seed 3, identity 1)"
    );
}

/// The observer of a wait for a lock is told of the wait and may end it; then nothing is left
/// behind.
#[cfg(target_os = "linux")]
#[test]
fn a_wait_for_a_lock_is_told_and_can_be_ended() {
    let place = tempdir().expect("a folder");
    let folder = place.path().join("results");
    let held = lock::exclusive(place.path(), &wait_on).expect("no lock yet");
    let told = Mutex::new(Vec::new());
    let watch = |locked: &Path, waited: Duration| {
        let mut told = told.lock().expect("one thread");
        told.push((locked.to_owned(), waited));
        match told.len() {
            3 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    };
    let error = replace(&folder, Spare::Nothing, &watch, fill).expect_err("locked");
    let parent = place.path().display();
    assert_eq!(
        error.to_string(),
        format!("{parent} is locked by another process")
    );
    let told = told.into_inner().expect("one thread");
    assert!(told.iter().all(|(locked, _)| locked == place.path()));
    assert!(told.is_sorted_by_key(|(_, waited)| *waited), "{told:?}");
    recover(&folder, &|_, _| ControlFlow::Break(())).expect_err("locked");
    assert!(names(place.path()).is_empty());
    drop(held);
    replace(&folder, Spare::Nothing, &wait_on, fill).expect("written");
}

#[test]
fn a_file_that_differs_is_told() {
    let place = tempdir().expect("a folder");
    let folder = place.path().join("results");
    replace(&folder, Spare::Nothing, &wait_on, fill_as(WHOLE)).expect("written");
    let file = folder.join(SUMMARY);
    check_file(&file).expect("as written");
    assert!(sizes_match(&folder));
    let text = fs::read_to_string(&file).expect("text");
    fs::write(&file, text.replace('n', "m")).expect("written");
    assert!(sizes_match(&folder), "as long as before");
    let message = check_file(&file).expect_err("differs").to_string();
    assert_eq!(
        message,
        format!("{} differs from what was written", file.display())
    );
    copy_results(&folder, &place.path().join("copy"), &wait_on).expect_err("differs");
    fs::write(&file, "").expect("written");
    assert!(!sizes_match(&folder));
    let checksums = folder.join(CHECKSUMS);
    fs::remove_file(&checksums).expect("removed");
    check_file(&file).expect("older results have no checksums");
    assert!(sizes_match(&folder));
    fs::remove_file(folder.join(PORTS)).expect("removed");
    assert!(!sizes_match(&folder), "every run has ports");
}

/// Only an attacker makes checksums a link to itself or to nowhere. Such checksums count as
/// damaged, not as absent.
#[cfg(unix)]
#[test]
fn checksums_that_are_a_link_to_nowhere_are_damaged() {
    let place = tempdir().expect("a folder");
    let folder = place.path().join("results");
    replace(&folder, Spare::Nothing, &wait_on, fill_as(WHOLE)).expect("written");
    let checksums = folder.join(CHECKSUMS);
    for target in [checksums.clone(), folder.join("nothing")] {
        fs::remove_file(&checksums).expect("removed");
        std::os::unix::fs::symlink(&target, &checksums).expect("linked");
        let message = check_file(&folder.join(SUMMARY))
            .expect_err("damaged")
            .to_string();
        assert_eq!(
            message,
            format!("{} differs from what was written", checksums.display())
        );
        assert!(!sizes_match(&folder), "{}", target.display());
    }
}

/// A report may be edited, written again or removed, also in a copy of the results.
#[test]
fn reports_have_no_checksum() {
    let place = tempfile::tempdir().unwrap();
    let (folder, copy) = (place.path().join("whole"), place.path().join("copy"));
    let fill = |staging: &Path| write_text(&staging.join(SUMMARY), "{}");
    replace(&folder, Spare::Nothing, &wait_on, fill).unwrap();
    fs::write(folder.join(REPORT), "a report").unwrap();
    copy_results(&folder, &copy, &wait_on).unwrap();
    assert!(checksums::are_met(&copy));
    fs::write(copy.join(REPORT), "another one").unwrap();
    assert!(checksums::are_met(&copy));
    fs::remove_file(copy.join(REPORT)).unwrap();
    assert!(checksums::are_met(&copy));
    write_text(&copy.join(SUMMARY), "{} ").unwrap();
    assert!(!checksums::are_met(&copy));
}
