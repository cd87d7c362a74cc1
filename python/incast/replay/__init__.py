"""A short window of a small network as a page that plays it: packets on links, queues at ports.

The packet trace of the results is read, or the scenario is run again with one. :mod:`window` says
which time is shown, :mod:`trace` has the packets of that time, :mod:`hops` pairs their events, and
:mod:`page` writes what the script of the page plays.
"""
