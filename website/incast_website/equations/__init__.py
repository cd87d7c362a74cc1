"""Equations of doc comments: plain Unicode text, as it stands in the source, to HTML and MathML."""
