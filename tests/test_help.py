"""`help()` of every public name describes its result, arguments, units and errors."""

import importlib
import inspect
import pydoc
import re
import types

import incast
import pytest

MODULES = ["incast", "incast.algorithm", "incast.papers", "incast.validate", "incast.fluid"]


def public():
    """Every public name with its object, and the public members of classes."""
    for module in MODULES:
        loaded = importlib.import_module(module)
        for name in loaded.__all__:
            found = getattr(loaded, name)
            if name != "__version__" and not isinstance(found, dict):
                yield f"{module}.{name}", found
            if inspect.isclass(found) and not issubclass(found, tuple | int | float):
                for member, value in members(found):
                    if not member.startswith("_"):
                        yield f"{module}.{name}.{member}", value


def members(found):
    """The members of a class, and of the classes of incast from which it inherits."""
    own = {}
    for each in reversed(found.__mro__):
        if each.__module__.startswith("incast"):
            own |= {name: its for name, its in [*vars(each).items()] if not is_field(each, name)}
    return own.items()


def is_field(found, member):
    """Fields of dataclasses and attributes are documented by the class."""
    return member in getattr(found, "__annotations__", {}) or isinstance(vars(found)[member], str)


PUBLIC = dict(sorted(public()))
FUNCTIONS = {name: each for name, each in PUBLIC.items() if isinstance(each, types.FunctionType)}


def test_everything_is_looked_at():
    assert len(PUBLIC) > 150
    assert {"incast.run", "incast.Results.plot", "incast.Table.columns"} <= set(PUBLIC)


@pytest.mark.parametrize("name", PUBLIC)
def test_help_says_what_it_is(name):
    text = inspect.getdoc(PUBLIC[name]) or ""
    assert len(text) > 10, text
    assert text[0].isupper() or text[0] in "`0123456789" or text.startswith("incast"), text
    first = text.split("\n\n", 1)[0].rstrip()
    assert first.endswith((".", ":")), first


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arguments_are_explained(name):
    """Several arguments are all explained; a single one is explained in the sentence."""
    given = [each for each in inspect.signature(FUNCTIONS[name]).parameters if each != "self"]
    text = inspect.getdoc(FUNCTIONS[name])
    if len(given) > 1 and "algorithm.Algorithm" not in name:
        missing = [each for each in given if f"{each}:" not in text]
        assert missing == [], text


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name.count(".") == 1])
def test_signatures_are_readable(name):
    signature = str(inspect.signature(FUNCTIONS[name]))
    assert "0x" not in signature
    assert not re.search(r": '|-> '", signature), signature


def test_arguments_of_classes_are_explained():
    for name in ("Scenario", "Comparison"):
        found = getattr(incast, name)
        given = [each for each in inspect.signature(found).parameters if each != "self"]
        assert [each for each in given if f"{each}:" not in found.__doc__] == []


def test_attributes_of_results_are_explained(star):
    for name in vars(star):
        if not name.startswith("_") and not hasattr(type(star), name):
            assert f"{name}:" in incast.Results.__doc__


@pytest.mark.parametrize("error", [each for each in incast.__all__ if each.endswith("Error")])
def test_errors_say_when_and_are_of_one_family(error):
    assert issubclass(getattr(incast, error), incast.Error)


def test_help_of_the_package_leads_on():
    text = pydoc.plain(pydoc.render_doc(incast))
    for name in incast.__all__:
        kind = getattr(incast, name)
        if isinstance(kind, types.FunctionType):
            assert f"`{name}`" in incast.__doc__, name
    assert 'incast.run("scenario.toml", seed=7)' in text


def test_help_of_charts(star):
    assert inspect.getdoc(star.plot_queue).startswith("Plots the chart `queue`")
    assert "plot_queue" in dir(star)
