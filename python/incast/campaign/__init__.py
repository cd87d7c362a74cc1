"""Campaigns: many runs on all cores, each scenario once. Reproductions of papers, comparisons and
studies use them.
"""
