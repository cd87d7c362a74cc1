"""The gallery: every example has its picture, its commands and its TOML."""

import incast
from incast_website import gallery
from incast_website.repository import ROOT


def test_pictures_are_of_examples_and_charts_that_there_are():
    assert {picture.chart for picture in gallery.PICTURES} <= set(incast.charts())
    for picture in gallery.PICTURES:
        assert (ROOT / f"examples/{picture.example}.toml").exists()


def test_the_page_has_figure_commands_and_toml_of_each(tmp_path):
    text = gallery.page()
    gallery.draw(tmp_path)
    for picture in gallery.PICTURES:
        image = f"{gallery.FOLDER}/{picture.file}"
        assert f"]({image})" in text
        assert (tmp_path / image).read_text(encoding="utf-8").count("<path") > 2
        assert (ROOT / f"examples/{picture.example}.toml").read_text().strip() in text
        assert f"--chart {picture.chart}" in text
