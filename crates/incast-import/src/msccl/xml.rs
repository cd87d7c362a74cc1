//! Elements of an XML file and their attributes, with lines.

use std::io::Read;

use incast_diagnostic::{Diagnostic, excerpt};
use roxmltree::{Document, Node, ParsingOptions};

use crate::diagnostics;

/// The largest file in bytes: twenty times the largest algorithm that we found.
const MAX_BYTES: u64 = 1 << 26;

/// The text of a file.
pub(super) fn text(file: impl Read) -> Result<String, Diagnostic> {
    let mut bytes = Vec::new();
    let read = file.take(MAX_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| Diagnostic::unreadable(&error))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(too_large());
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let before = &error.as_bytes()[..valid];
        let line_feeds = before.iter().filter(|byte| **byte == b'\n').count();
        let begin = before.iter().rposition(|byte| *byte == b'\n');
        let byte = valid - begin.map_or(0, |at| at + 1);
        diagnostics::not_text(byte + 1).on_line(line_feeds as u64 + 1)
    })
}

/// The XML document of a text.
pub(super) fn document(text: &str) -> Result<Document<'_>, Diagnostic> {
    let options = ParsingOptions::default();
    Document::parse_with_options(text, options).map_err(|error| {
        let told = match error {
            roxmltree::Error::UnclosedRootNode => "an element never ends".to_owned(),
            _ => excerpt(
                &error
                    .to_string()
                    .replace(&format!(" at {}", error.pos()), ""),
            ),
        };
        let what = format!("this is no XML: {told}");
        let wrong = Diagnostic::new(what, "is the file cut off?");
        wrong.on_line(error.pos().row.into())
    })
}

/// An element.
#[derive(Copy, Clone)]
pub(super) struct Element<'a> {
    node: Node<'a, 'a>,
}

impl<'a> Element<'a> {
    /// The root element, which must have this name and only these attributes.
    pub(super) fn root(
        document: &'a Document<'a>,
        name: &'static str,
        attributes: &[&'static str],
    ) -> Result<Self, Diagnostic> {
        let root = Self {
            node: document.root_element(),
        };
        root.check(name, attributes)?;
        Ok(root)
    }

    /// The child elements, which must have this name and only these attributes.
    pub(super) fn children(
        self,
        name: &'static str,
        attributes: &'static [&'static str],
    ) -> impl Iterator<Item = Result<Self, Diagnostic>> {
        let nodes = self.node.children();
        let nodes = nodes.filter(|node| node.is_element() || !is_blank(*node));
        nodes.map(move |node| {
            let child = Self { node };
            child.check(name, attributes)?;
            Ok(child)
        })
    }

    /// Checks that this element has no content.
    pub(super) fn check_empty(self) -> Result<(), Diagnostic> {
        match self.node.children().find(|node| !is_blank(*node)) {
            None => Ok(()),
            Some(node) => {
                let name = self.node.tag_name().name();
                Err(Self { node }.wrong(stray(node, name)))
            }
        }
    }

    fn check(self, name: &'static str, attributes: &[&'static str]) -> Result<(), Diagnostic> {
        let found = self.node.tag_name().name();
        if !self.node.is_element() || found != name {
            return Err(self.wrong(other_element(self.node, name)));
        }
        for attribute in self.node.attributes() {
            let known = attributes.iter().copied();
            if !attributes.contains(&attribute.name()) {
                let wrong = Diagnostic::unknown("attribute", attribute.name(), known);
                return Err(self.wrong(wrong.at(name)));
            }
        }
        Ok(())
    }

    /// Adds the line of this element to a diagnostic.
    pub(super) fn wrong(self, wrong: Diagnostic) -> Diagnostic {
        wrong.on_line(self.line())
    }

    /// The line of this element.
    pub(super) fn line(self) -> u64 {
        let at = self.node.document().text_pos_at(self.node.range().start);
        at.row.into()
    }

    /// The text of an attribute, if the element has it.
    pub(super) fn optional(self, name: &str) -> Option<&'a str> {
        self.node.attribute(name)
    }

    /// The text of an attribute; an error if the element does not have it.
    pub(super) fn text(self, name: &'static str) -> Result<&'a str, Diagnostic> {
        let missing = || self.wrong(missing(self.node.tag_name().name(), name).at(name));
        self.optional(name).ok_or_else(missing)
    }

    /// The attribute as an integer from `min` to `max`.
    pub(super) fn integer(self, name: &'static str, min: i64, max: i64) -> Result<i64, Diagnostic> {
        let text = self.text(name)?;
        match text.parse::<i64>() {
            Ok(number) if (min..=max).contains(&number) => Ok(number),
            _ => {
                let what = format!(
                    "`{}` is not a whole number from {min} to {max}",
                    excerpt(text)
                );
                let wrong = Diagnostic::new(what, format!("write e.g. {name}=\"{min}\""));
                Err(self.wrong(wrong.at(name)))
            }
        }
    }

    /// The attribute as a 32-bit integer of at least `min`.
    pub(super) fn count(self, name: &'static str, min: u32) -> Result<u32, Diagnostic> {
        let number = self.integer(name, min.into(), u32::MAX.into())?;
        Ok(number as u32)
    }

    /// The attribute as an integer; `None` for -1.
    pub(super) fn number_or_none(
        self,
        name: &'static str,
        max: u32,
    ) -> Result<Option<u32>, Diagnostic> {
        let number = self.integer(name, -1, max.into())?;
        Ok(u32::try_from(number).ok())
    }
}

/// Whether a node is a comment, or blanks between elements.
fn is_blank(node: Node<'_, '_>) -> bool {
    node.is_comment() || node.is_text() && node.text().is_none_or(|text| text.trim().is_empty())
}

fn too_large() -> Diagnostic {
    Diagnostic::new(
        "the file has more than 64 MiB, which is no algorithm of MSCCL",
        "name another file",
    )
}

fn other_element(node: Node<'_, '_>, name: &str) -> Diagnostic {
    match node.is_element() {
        true => {
            let what = format!(
                "element `{}` is not known here",
                excerpt(node.tag_name().name())
            );
            Diagnostic::new(what, format!("here stand elements `{name}`"))
        }
        false => Diagnostic::new(
            format!("there is text between elements `{name}`"),
            "leave it out, or make it a comment: <!-- … -->",
        ),
    }
}

fn stray(node: Node<'_, '_>, within: &str) -> Diagnostic {
    let found = match node.is_element() {
        true => format!("element `{}`", excerpt(node.tag_name().name())),
        false => "text".to_owned(),
    };
    Diagnostic::new(
        format!("there is {found} within an element `{within}`"),
        format!("end it by `/>`: elements `{within}` are empty"),
    )
}

fn missing(element: &str, attribute: &str) -> Diagnostic {
    Diagnostic::new(
        format!("the element `{element}` does not have it"),
        format!("give it: <{element} … {attribute}=\"…\">"),
    )
}
