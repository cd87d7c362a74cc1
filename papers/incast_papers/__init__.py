"""Reproductions of papers: a folder for each paper, a short file for each of its figures."""
