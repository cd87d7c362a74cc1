"""Files that appear whole or not at all."""

import os
from pathlib import Path

import pytest
from incast.files import write_whole, written_whole


def test_what_is_written_takes_the_place_of_what_was_there(tmp_path):
    file = tmp_path / "page.html"
    file.write_text("old")
    with written_whole(file) as staging:
        staging.write_text("new")
        assert file.read_text() == "old"
        assert staging.suffix == ".html"
    assert file.read_text() == "new"
    assert list(tmp_path.iterdir()) == [file]


def test_a_failure_leaves_the_old_file(tmp_path):
    file = tmp_path / "page.html"
    file.write_text("old")

    def fill_the_disk():
        with written_whole(file) as staging:
            staging.write_text("ne")
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        fill_the_disk()
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_link_stays_one(tmp_path):
    (tmp_path / "disk").mkdir()
    link = tmp_path / "page.html"
    link.symlink_to(tmp_path / "disk" / "page.html")
    write_whole(link, "new")
    assert link.is_symlink()
    assert (tmp_path / "disk" / "page.html").read_text() == "new"


def test_a_device_is_written_to():
    write_whole(Path(os.devnull), "gone")
    assert not Path(os.devnull).is_file()
