//! No bare `true` or `false` as an argument: the call does not say what it means, whereas an enum
//! does.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use crate::source::{for_tests, none, rust};

/// Callees for which a bare boolean is the value itself, not an option.
const VALUES: &[&str] = &[
    // Constructors of values.
    "Ok",
    "Err",
    "Some",
    "Cell",
    "AtomicBool",
    "new",
    "from",
    "Bool",
    // Values that a map or a cell holds, or that are compared.
    "insert",
    "push",
    "set",
    "replace",
    "store",
    "swap",
    "unwrap_or",
    "map_or",
    "map_or_else",
    "is_some_and_or",
    "fold",
    "serialize_bool",
    "visit_bool",
    // Modes of the standard library's `OpenOptions`.
    "write",
];

#[test]
fn no_argument_is_a_bare_boolean() {
    let mut found = Vec::new();
    for source in rust().iter().filter(|source| !source.is_test()) {
        let mut calls = Calls::default();
        calls.visit_file(&source.syntax());
        let shown = source.shown();
        found.extend(
            calls
                .0
                .iter()
                .map(|(callee, line)| format!("{shown}:{line}: {callee}(…)")),
        );
    }
    none(&found, "an enum of two would say what these mean");
}

/// Calls with a bare boolean: callee, line.
#[derive(Default)]
struct Calls(Vec<(String, usize)>);

impl Calls {
    fn add<'a>(&mut self, callee: &str, arguments: impl IntoIterator<Item = &'a syn::Expr>) {
        for argument in arguments {
            if let syn::Expr::Lit(literal) = argument
                && matches!(literal.lit, syn::Lit::Bool(_))
                && !VALUES.contains(&callee)
            {
                self.0
                    .push((callee.to_owned(), literal.span().start().line));
            }
        }
    }
}

impl<'ast> Visit<'ast> for Calls {
    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        if let syn::Expr::Path(callee) = &*call.func
            && let Some(last) = callee.path.segments.last()
        {
            self.add(&last.ident.to_string(), &call.args);
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        self.add(&call.method.to_string(), &call.args);
        visit::visit_expr_method_call(self, call);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !for_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }
}
