use super::super::tests::{from_toml, network};
use crate::files::no_files;

fn said(tasks: &str) -> String {
    let text = format!("kind = \"tasks\"\nhosts = \"0-1\"\ntasks = [{tasks}]");
    let spec = from_toml(&text).unwrap();
    let valid = spec.validate(&network(4), &no_files());
    valid.map_or_else(|wrong| wrong.to_string(), |_| "sound".to_owned())
}

#[test]
fn mistakes_are_named() {
    let there = "{ id = \"there\", rank = 0, send = 1, size = \"1KB\" }";
    let and = "{ rank = 1, receive = 0, size = \"1KB\" }";
    assert_eq!(said(&format!("{there}, {and}")), "sound");
    for (tasks, message) in [
        ("", "tasks: there is no task; give at least one"),
        (
            "{ rank = 0 }",
            "tasks[0]: it is none, or several, of send, receive and compute; give one of them",
        ),
        (
            "{ rank = 0, send = 1 }",
            "tasks[0]: a message needs a size; write e.g. size = \"1MB\"",
        ),
        (
            "{ rank = 0, compute = \"1us\", tag = 1 }",
            "tasks[0].tag: it means nothing for computing; leave it out",
        ),
        (
            there,
            "tasks: `there` of rank 0 sends 1KB to rank 1 with tag 0, but rank 1 has no receive \
             from rank 0 for it; give every send its receive, with the same tag",
        ),
        (
            "{ rank = 0, send = 2, size = \"1KB\" }",
            "tasks: task 0 of rank 0 names rank 2, which does not exist; \
             there are 2 ranks, counted from 0",
        ),
        (
            "{ rank = 0, compute = \"1us\", after = [\"x\"] }, \
             { id = \"y\", rank = 0, compute = \"1us\" }",
            "tasks[0].after: unknown task `x`; give the id of another task",
        ),
        (
            "{ id = \"a\", rank = 0, compute = \"1us\", after = [\"a\"] }",
            "tasks: `a` of rank 0 waits for itself, so it never begins; \
             let one of them wait for something else",
        ),
        (
            "{ id = \"a\", rank = 0, compute = \"1us\" }, \
             { id = \"a\", rank = 1, compute = \"1us\" }",
            "tasks[1].id: two tasks are called `a`; give each a name of its own",
        ),
        (
            "{ id = \"a\", rank = 0, compute = \"1us\" }, \
             { rank = 1, compute = \"1us\", after = [\"a\"] }",
            "tasks: task 1 of rank 1 waits for `a` of rank 0: what another rank does is not known \
             there; send a message, and wait for its receive",
        ),
        (
            "{ id = \"there\", rank = 0, send = 1, size = \"1KB\" }, \
             { rank = 1, receive = 0, size = \"2KB\" }",
            "tasks: `there` of rank 0 sends 1KB, of which task 1 of rank 1 receives 2KB; \
             give both the same size",
        ),
        (
            "{ rank = 0, send = 0, size = \"1KB\" }",
            "tasks: task 0 of rank 0 has its own rank at the other end; \
             leave the message out, and let tasks wait for each other",
        ),
        (
            "{ rank = 0, send = 1, size = \"0B\" }",
            "tasks: task 0 of rank 0 has a message of 0 bytes, which never ends; \
             give at least 1 byte",
        ),
    ] {
        assert_eq!(said(tasks), message);
    }
}

/// The diagnostic of an entry with these keys and a file that does not exist.
fn said_of_file(keys: &str) -> String {
    let spec = from_toml(&format!("kind = \"tasks\"\n{keys}")).unwrap();
    let valid = spec.validate(&network(4), &no_files());
    valid.map_or_else(|wrong| wrong.to_string(), |_| "sound".to_owned())
}

#[test]
fn tasks_are_listed_or_in_a_file() {
    for (keys, message) in [
        ("", "tasks: there is no task; give at least one"),
        (
            "file = \"a.goal\"",
            "format: the format of the file is not told; write e.g. format = \"goal\"",
        ),
        (
            "format = \"goal\"",
            "format: it tells how to read a file, but no file is named; give `file`, or leave it \
             out",
        ),
        (
            "nics = \"check\"",
            "nics: it tells how to read a file, but no file is named; give `file`, or leave it out",
        ),
        (
            "file = \"a.goal\"\nformat = \"goal\"\ntasks = [{ rank = 0, compute = \"1us\" }]",
            "tasks: tasks are listed, and a file of tasks is named; leave out `tasks` or `file`",
        ),
        (
            "file = \"a.goal\"\nformat = \"goal\"",
            "a.goal: there is no such file; relative paths begin at the scenario's folder",
        ),
    ] {
        assert_eq!(said_of_file(keys), message);
    }
}
