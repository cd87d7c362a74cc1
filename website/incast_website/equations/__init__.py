"""Converts equations in doc comments, which are plain Unicode text, to HTML and MathML."""
