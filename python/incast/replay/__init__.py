"""A page that plays a short window of a run in a small network: packets on links, queues at ports.

The packets come from the packet trace of the results, or of a second run. :mod:`window` chooses the
time to show, :mod:`trace` has its packets, :mod:`hops` pairs their events, and :mod:`page` writes
the page with its script.
"""
