"""Standard output and standard error of a command."""

import gc
import threading
import weakref

from incast.cli import streams


def test_streams_into_which_a_thread_may_print_are_kept():
    ended = threading.Event()
    thread = threading.Thread(target=ended.wait)
    thread.start()
    try:
        with streams.lasting() as pair:
            used = [weakref.ref(stream) for stream in pair]
        del pair
        gc.collect()
        assert all(each() is not None for each in used)
    finally:
        ended.set()
        thread.join()
