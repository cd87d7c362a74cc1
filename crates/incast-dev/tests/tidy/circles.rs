//! Files of a crate import each other in one direction only: no circles. A module and the modules
//! inside it are one room; what it takes of them, and they of it, is left out.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};

use crate::source::{Source, for_tests, none, rust};

/// A module of a crate, by the steps of its path; none for the root.
type Module = Vec<String>;

/// The imports of one file: from where, and whether others may take them from here.
#[derive(Default)]
struct Imports {
    taken: Vec<Vec<String>>,
    /// Names that the file passes on, with the paths that they come from.
    passed_on: BTreeMap<String, Vec<String>>,
}

#[test]
fn imports_form_no_circles() {
    let mut crates: BTreeMap<String, BTreeMap<Module, Imports>> = BTreeMap::new();
    for source in rust().iter().filter(|source| !source.is_test()) {
        if let Some((name, module)) = place(source) {
            let mut imports = Imports::default();
            imports.visit_file(&source.syntax());
            crates.entry(name).or_default().insert(module, imports);
        }
    }
    let (mut arrows, mut found) = (0, Vec::new());
    for (name, files) in &crates {
        let graph = graph(files);
        arrows += graph.values().map(BTreeSet::len).sum::<usize>();
        let circle = circle(&graph);
        if !circle.is_empty() {
            let shown = circle.iter().map(|module| module.join("::"));
            found.push(format!(
                "{name}: {}",
                shown.collect::<Vec<_>>().join(" -> ")
            ));
        }
    }
    none(&found, "imports go round");
    assert!(arrows > 500, "{arrows} imports");
}

/// The crate and the module of a source file; `None` for programs, examples and build scripts.
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

/// Which module takes something from which, parents and children apart.
fn graph(files: &BTreeMap<Module, Imports>) -> BTreeMap<Module, BTreeSet<Module>> {
    let arrows = files.iter().map(|(module, imports)| {
        let taken = imports
            .taken
            .iter()
            .filter_map(|path| home(module, path, files));
        let apart = |other: &Module| !(module.starts_with(other) || other.starts_with(module));
        (module.clone(), taken.filter(apart).collect())
    });
    arrows.collect()
}

/// The module that defines what a path names in `module`, if it is one of this crate.
fn home(module: &Module, path: &[String], files: &BTreeMap<Module, Imports>) -> Option<Module> {
    let mut at = module.clone();
    for (number, step) in path.iter().enumerate() {
        let inside = [at.as_slice(), std::slice::from_ref(step)].concat();
        match step.as_str() {
            "crate" => at.clear(),
            "self" => {}
            "super" => _ = at.pop()?,
            _ if files.contains_key(&inside) => at = inside,
            // A path that begins with neither is another crate's.
            _ if number == 0 => return None,
            name => {
                let origin = files.get(&at)?.passed_on.get(name);
                return origin.and_then(|path| home(&at, path, files)).or(Some(at));
            }
        }
    }
    Some(at)
}

/// The modules of a circle, in order; empty if there is none.
fn circle(graph: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<Module> {
    fn search(
        module: &Module,
        way: &mut Vec<Module>,
        done: &mut BTreeSet<Module>,
        graph: &BTreeMap<Module, BTreeSet<Module>>,
    ) -> Vec<Module> {
        if let Some(start) = way.iter().position(|step| step == module) {
            return way[start..].to_vec();
        }
        if !done.insert(module.clone()) {
            return Vec::new();
        }
        way.push(module.clone());
        for next in graph.get(module).into_iter().flatten() {
            let found = search(next, way, done, graph);
            if !found.is_empty() {
                return found;
            }
        }
        way.pop();
        Vec::new()
    }
    let mut done = BTreeSet::new();
    let found = graph
        .keys()
        .map(|module| search(module, &mut Vec::new(), &mut done, graph));
    found
        .into_iter()
        .find(|circle| !circle.is_empty())
        .unwrap_or_default()
}

impl Imports {
    fn add(&mut self, tree: &syn::UseTree, before: &[String], passes_on: bool) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            syn::UseTree::Path(path) => self.add(&path.tree, &with(&path.ident), passes_on),
            syn::UseTree::Group(group) => {
                group
                    .items
                    .iter()
                    .for_each(|item| self.add(item, before, passes_on));
            }
            syn::UseTree::Glob(_) => self.taken.push(before.to_vec()),
            syn::UseTree::Name(name) => self.take(&name.ident, with(&name.ident), passes_on),
            syn::UseTree::Rename(name) => self.take(&name.rename, with(&name.ident), passes_on),
        }
    }

    fn take(&mut self, name: &syn::Ident, path: Vec<String>, passes_on: bool) {
        if passes_on {
            self.passed_on.insert(name.to_string(), path.clone());
        }
        self.taken.push(path);
    }
}

impl<'ast> Visit<'ast> for Imports {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let passes_on = !matches!(item.vis, syn::Visibility::Inherited);
        self.add(&item.tree, &[], passes_on);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !for_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }
}

#[test]
fn circles_are_found() {
    let module = |name: &str| vec![name.to_owned()];
    let graph = |arrows: &[(&str, &str)]| {
        let mut graph: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
        for (from, to) in arrows {
            graph.entry(module(from)).or_default().insert(module(to));
        }
        graph
    };
    let found = circle(&graph(&[("a", "b"), ("b", "c"), ("c", "b")]));
    assert_eq!(found, [module("b"), module("c")]);
    assert!(circle(&graph(&[("a", "b"), ("a", "c"), ("b", "c")])).is_empty());
}
