"""Writes results in formats of other programs: captures for Wireshark, timelines for Perfetto."""
