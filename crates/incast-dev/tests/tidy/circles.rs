//! Files of a crate import each other in one direction only, and so do its rooms. A name counts as
//! imported from the file that defines it, whichever files re-export it. Imports between a module
//! and its submodules do not count.
//!
//! A room is a file or a folder at the top of a crate, with all of its content. A file `options.rs`
//! is a room of its own: it holds a scenario's options of one mechanism. The configuration of a
//! network consists of all options, and the rooms import that configuration.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};

use crate::source::{Source, for_tests, none, rust};

/// A module of a crate, as the segments of its path; empty for the root.
type Module = Vec<String>;

/// For each module, the modules that it imports from.
type Graph = BTreeMap<Module, BTreeSet<Module>>;

/// The imports of one file.
#[derive(Default)]
struct Imports {
    paths: Vec<Vec<String>>,
    /// Imported names, with their paths; other files may import them from here.
    names: BTreeMap<String, Vec<String>>,
}

/// Imports between rooms that may close a circle: crate, from, to; with the reason.
const EXCEPTIONS: [[&str; 3]; 4] = [
    // One folder has both the readers of a simulator's files, and the import of its experiments.
    ["incast-import", "hpcc_ns3", "files"],
    ["incast-import", "hpcc_ns3", "checked"],
    ["incast-import", "htsim", "files"],
    ["incast-import", "htsim", "checked"],
];

#[test]
fn imports_form_no_circles() {
    let mut crates: BTreeMap<String, BTreeMap<Module, Imports>> = BTreeMap::new();
    for source in rust().iter().filter(|source| !source.is_test()) {
        if let Some((name, module)) = place(source) {
            let imports = Imports::of(&source.syntax());
            crates.entry(name).or_default().insert(module, imports);
        }
    }
    let graphs: BTreeMap<_, _> = crates
        .iter()
        .map(|(name, files)| (name.as_str(), graph(files)))
        .collect();
    let arrows: usize = graphs
        .values()
        .flat_map(BTreeMap::values)
        .map(BTreeSet::len)
        .sum();
    assert!(arrows > 500, "{arrows} imports");
    let mut found = Vec::new();
    for (name, files) in graphs {
        let mut rooms = rooms(&files);
        for [_, from, to] in EXCEPTIONS.iter().filter(|[of, ..]| *of == name) {
            let imported = rooms.entry(module(from)).or_default();
            if !imported.remove(&module(to)) {
                found.push(format!("{name}: {from} does not import {to}"));
            }
        }
        for (what, graph) in [("files", files), ("rooms", rooms)] {
            let circle = circle(graph);
            if !circle.is_empty() {
                let shown: Vec<_> = circle.iter().map(|module| module.join("::")).collect();
                found.push(format!("{name}, {what}: {}", shown.join(" -> ")));
            }
        }
    }
    none(&found, "imports go round");
}

/// The crate and the module path of a source file; `None` for programs, examples and build scripts.
fn place(source: &Source) -> Option<(String, Module)> {
    let path = source.path.with_extension("");
    let steps: Vec<_> = path
        .iter()
        .map(|step| step.to_str().unwrap().to_owned())
        .collect();
    let [_, name, folder, module @ ..] = steps.as_slice() else {
        return None;
    };
    if folder != "src" || module.first().is_some_and(|first| first == "bin") {
        return None;
    }
    let mut module = module.to_vec();
    if module
        .last()
        .is_some_and(|last| last == "mod" || last == "lib")
    {
        module.pop();
    }
    Some((name.clone(), module))
}

fn graph(files: &BTreeMap<Module, Imports>) -> Graph {
    let arrows = files.iter().map(|(module, imports)| {
        let homes = imports.paths.iter();
        let homes = homes.filter_map(|path| home(module, path, files));
        let apart = |other: &Module| !(module.starts_with(other) || other.starts_with(module));
        (module.clone(), homes.filter(apart).collect())
    });
    arrows.collect()
}

/// For each room, the rooms that its files import from.
fn rooms(files: &Graph) -> Graph {
    let mut rooms = Graph::new();
    for (module, imported) in files {
        let Some(own) = room(module, files) else {
            continue;
        };
        let others = imported.iter().filter_map(|other| room(other, files));
        let others = others.filter(|other| *other != own);
        rooms
            .entry(own.to_vec())
            .or_default()
            .extend(others.map(<[_]>::to_vec));
    }
    rooms
}

/// The room of a module; `None` for the root, which re-exports names of all rooms.
fn room<'m>(module: &'m Module, files: &Graph) -> Option<&'m [String]> {
    let is_leaf = || {
        let mut inside = files.keys().filter(|other| other.starts_with(module));
        inside.all(|other| other == module)
    };
    match module.as_slice() {
        [] => None,
        [_, .., last] if last == "options" && is_leaf() => Some(module),
        [first, ..] => Some(std::slice::from_ref(first)),
    }
}

/// The module that defines the item at `path`, seen from `module`; `None` for items of other
/// crates.
fn home(module: &Module, path: &[String], files: &BTreeMap<Module, Imports>) -> Option<Module> {
    let mut at = module.clone();
    for (number, step) in path.iter().enumerate() {
        let inside = [at.as_slice(), std::slice::from_ref(step)].concat();
        match step.as_str() {
            "crate" => at.clear(),
            "self" => {}
            "super" => _ = at.pop()?,
            _ if files.contains_key(&inside) => at = inside,
            // An item of another crate, or a name that is imported elsewhere in the file.
            _ if number == 0 => return None,
            name => {
                let origin = files.get(&at)?.names.get(name);
                return origin.and_then(|path| home(&at, path, files)).or(Some(at));
            }
        }
    }
    Some(at)
}

/// The modules of a circle, in order; empty if there is none.
fn circle(mut graph: Graph) -> Vec<Module> {
    // A module that imports from no remaining module is in no circle, and is removed, until all
    // remaining ones import from others.
    loop {
        let left: BTreeSet<_> = graph.keys().cloned().collect();
        graph.retain(|_, imported| !imported.is_disjoint(&left));
        if graph.len() == left.len() {
            break;
        }
    }
    let mut way: Vec<Module> = Vec::new();
    let mut next = graph.keys().next();
    while let Some(module) = next {
        if let Some(start) = way.iter().position(|step| step == module) {
            return way.split_off(start);
        }
        way.push(module.clone());
        next = graph[module].iter().find(|next| graph.contains_key(*next));
    }
    Vec::new()
}

impl Imports {
    fn of(file: &syn::File) -> Self {
        let mut imports = Self::default();
        imports.visit_file(file);
        imports
    }

    fn add(&mut self, tree: &syn::UseTree, before: &[String]) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            syn::UseTree::Path(path) => self.add(&path.tree, &with(&path.ident)),
            syn::UseTree::Group(group) => {
                group.items.iter().for_each(|item| self.add(item, before));
            }
            syn::UseTree::Glob(_) => self.paths.push(before.to_vec()),
            syn::UseTree::Name(name) => self.take(&name.ident, with(&name.ident)),
            syn::UseTree::Rename(name) => self.take(&name.rename, with(&name.ident)),
        }
    }

    fn take(&mut self, name: &syn::Ident, path: Vec<String>) {
        self.names.insert(name.to_string(), path.clone());
        self.paths.push(path);
    }
}

impl<'ast> Visit<'ast> for Imports {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.add(&item.tree, &[]);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let steps = path.segments.iter().map(|step| step.ident.to_string());
        self.paths.push(steps.collect());
        visit::visit_path(self, path);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !for_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }
}

/// The module with this path.
fn module(path: &str) -> Module {
    path.split("::").map(str::to_owned).collect()
}

#[test]
fn circles_are_found() {
    let found = |files: &[(&str, &str)]| {
        let files = files.iter().map(|(path, text)| {
            let file = syn::parse_str(text).unwrap();
            (module(path), Imports::of(&file))
        });
        circle(graph(&files.collect()))
    };
    // Two shapes, whose table re-exports their names, and a trait in the file of one of them.
    let table = ("shapes", "pub use self::{ring::Ring, star::{Shape, Star}};");
    let ring = ("shapes::ring", "use super::Shape; struct Ring;");
    let star = ("shapes::star", "trait Shape {} struct Star;");
    assert!(found(&[table, ring, star]).is_empty());
    let star = (
        "shapes::star",
        "trait Shape {} struct Star(crate::shapes::Ring);",
    );
    let circle = [module("shapes::ring"), module("shapes::star")];
    assert_eq!(found(&[table, ring, star]), circle);
}

/// A configuration consists of options; hosts and switches import it.
#[test]
fn circles_of_rooms_are_found() {
    let found = |files: &[(&str, &str)]| {
        let files = files.iter().map(|(path, text)| {
            let file = syn::parse_str(text).unwrap();
            (module(path), Imports::of(&file))
        });
        circle(rooms(&graph(&files.collect())))
    };
    let config = ("config", "use crate::{host::Nic, switch::Arbitration};");
    let host = (
        "host",
        "pub use self::options::Nic; use crate::config::Config;",
    );
    let options = ("host::options", "struct Nic;");
    let arbiter = ("switch::arbiter", "enum Arbitration {}");
    let port = ("switch::port", "use crate::config::Config;");
    // Files form no circle here, but their rooms do.
    let rooms = [module("config"), module("switch")];
    assert!(found(&[config, host, options]).is_empty());
    let table = ("switch", "pub use self::arbiter::Arbitration;");
    assert_eq!(found(&[config, host, options, table, arbiter, port]), rooms);
    // A separate file of options breaks the circle, unless it imports from a room above.
    let table = ("switch", "pub use self::options::Arbitration;");
    let arbiter = ("switch::options", "enum Arbitration {}");
    assert!(found(&[config, host, options, table, arbiter, port]).is_empty());
    let arbiter = (
        "switch::options",
        "enum Arbitration {} use super::port::Port;",
    );
    let circle = [
        module("config"),
        module("switch::options"),
        module("switch"),
    ];
    assert_eq!(
        found(&[config, host, options, table, arbiter, port]),
        circle
    );
    // A folder of options is not a room of its own.
    let arbiter = ("switch::options", "mod weights; enum Arbitration {}");
    let weights = ("switch::options::weights", "struct Weights;");
    let all = [config, host, options, table, arbiter, weights, port];
    assert_eq!(found(&all), rooms);
}
