//! Limits on the length of files, functions and lines. Tests in Python hold Python to the same
//! limits.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use crate::source::{for_tests, none, rust};

/// The most lines of a source file, without tests.
const MAX_FILE_LINES: usize = 500;
/// The most lines of a function.
const MAX_FUNCTION_LINES: usize = 70;
/// The most columns of a line.
const MAX_COLUMNS: usize = 100;

#[test]
fn files_and_lines_are_short() {
    let mut found = Vec::new();
    for source in rust() {
        let lines = source.code_and_tests().0.lines().count();
        if lines > MAX_FILE_LINES {
            found.push(format!("{}: {lines} lines", source.shown()));
        }
        for (number, line) in source.text.lines().enumerate() {
            let columns = line.chars().count();
            if columns > MAX_COLUMNS {
                let place = format!("{}:{}", source.shown(), number + 1);
                found.push(format!("{place}: {columns} columns"));
            }
        }
    }
    none(&found, "split these");
}

#[test]
fn functions_are_short() {
    let mut found = Vec::new();
    for source in rust().iter().filter(|source| !source.is_test()) {
        let mut functions = Functions::default();
        functions.visit_file(&source.syntax());
        let long = functions
            .0
            .iter()
            .filter(|(_, lines)| *lines > MAX_FUNCTION_LINES);
        found.extend(long.map(|(name, lines)| format!("{} {name}: {lines} lines", source.shown())));
    }
    none(&found, "a second thing hides inside");
}

/// Names of functions, with their lengths in lines.
#[derive(Default)]
struct Functions(Vec<(String, usize)>);

impl Functions {
    fn add(&mut self, name: &syn::Ident, block: &syn::Block) {
        let span = block.span();
        let lines = span.end().line - span.start().line + 1;
        self.0.push((name.to_string(), lines));
    }
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.add(&item.sig.ident, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.add(&item.sig.ident, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !for_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }
}
