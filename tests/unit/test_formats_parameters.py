"""Parameters of an engine: on a command line and in files."""

from __future__ import annotations

from pathlib import Path

import pytest
from samples import write

from evalstore.errors import DataError, FileError
from evalstore.formats.facts.parameters import parse_parameter, read_parameters

FILES = {
    "p.yaml": "k1: 0.9\nb: 0.4\nindex:\n  stemmer: porter\n  stopwords: true\nrun: '007'\n",
    "p.json": '{"k1": 0.9, "b": 0.4, "index": {"stemmer": "porter", "stopwords": true},'
    ' "run": "007"}',
    "p.toml": 'k1 = 0.9\nb = 0.4\nrun = "007"\n[index]\nstemmer = "porter"\nstopwords = true\n',
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("k=1", 1), ("k=-1", -1), ("k=0.9", 0.9), ("k=1e3", 1000.0), ("k=0", 0)),
        *(("k=true", True), ("k=false", False), ("k=True", "True"), ("k=yes", "yes")),
        *(("k=007", "007"), ("k=1_000", "1_000"), ("k=.5", ".5"), ("k=nan", "nan")),
        *(("k=1e999", "1e999"), ("k=+1", "+1"), ("k=", ""), ("k=a=b", "a=b")),
        *(("k='1'", "1"), ('k="true"', "true"), ("k=it's", "it's"), ("k = porter ", "porter")),
    ],
)
def test_a_value_is_a_number_a_boolean_or_else_text(text: str, value: object) -> None:
    name, parsed = parse_parameter(text)
    assert (name, parsed, type(parsed)) == ("k", value, type(value))


@pytest.mark.parametrize("text", ["k1", "=1", " =1", "a\nb=1", f"{'a' * 201}=1"])
def test_what_has_no_name_is_no_parameter(text: str) -> None:
    with pytest.raises(DataError, match="no parameter|no name of a parameter"):
        parse_parameter(text)


@pytest.mark.parametrize("name", FILES)
def test_yaml_json_and_toml_give_the_same(tmp_path: Path, name: str) -> None:
    assert read_parameters(write(tmp_path / name, FILES[name])) == {
        **{"k1": 0.9, "b": 0.4, "index.stemmer": "porter", "index.stopwords": True},
        "run": "007",
    }


def test_yaml_words_that_yaml_makes_something_else_stay_text(tmp_path: Path) -> None:
    path = write(tmp_path / "p.yml", "a: no\nb: 2026-11-21\nc: 1:30\nd: 0x10\ne: 1_000\nf: ~\n")
    assert read_parameters(path) == {
        **{"a": "no", "b": "2026-11-21", "c": "1:30", "d": "0x10", "e": "1_000"}
    }


def test_a_list_is_kept_as_its_json(tmp_path: Path) -> None:
    expected = {"fields": '["title", "body", 2]'}
    for name, text in {
        "p.yaml": "fields: [title, body, 2]\n",
        "p.json": '{"fields": ["title", "body", 2], "none": null}',
        "p.toml": 'fields = ["title", "body", 2]\n',
    }.items():
        assert read_parameters(write(tmp_path / name, text)) == expected


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("p.yaml", "k1: 0.9\nb: [1\n", ":3: not YAML: "),
        ("p.yaml", "a: 1\nb: 2\na: 3\n", ":3: the parameter 'a' stands twice"),
        ("p.yaml", "just words\n", ": no mapping of YAML"),
        ("p.yaml", "", ": no mapping of YAML"),
        ("p.yaml", "a: 1\nb: &x [*x]\n", ":2: nested more than 20 levels deep"),
        ("p.yaml", "b: &x {y: *x}\n", ":1: nested more than 20 levels deep"),
        ("p.yaml", "? [a]\n: 1\n", ":1: a name that is no text"),
        ("p.json", '{"a": 1,\n}', ":2: not JSON: "),
        ("p.json", '{"a": 1, "a": 2}', ": the parameter 'a' stands twice"),
        ("p.json", "[1]", ": not a JSON object"),
        ("p.json", "[" * 100_000, ": not JSON: nested too deep"),
        ("p.json", '{"a":' * 30 + "1" + "}" * 30, ": nested more than 20 levels deep"),
        ("p.json", '{"a": {"b": NaN}}', ": the parameter 'a.b' is nan, no finite number"),
        ("p.json", '{"a": 1e999}', ": the parameter 'a' is inf, no finite number"),
        ("p.json", '{"a": [1, {"b": -Infinity}]}', ": the parameter 'a' holds -inf, no finite"),
        ("p.toml", "a = nan", ": the parameter 'a' is nan, no finite number"),
        ("p.toml", "a = 1\nb = \n", ":2: not TOML: "),
        ("p.toml", "a = 1\na = 2\n", ":2: not TOML: "),
        ("p.txt", "a = 1\n", ": parameters are read from .yaml, .yml, .json, .toml files"),
        ("p.json", '{"a=b": 1}', ": 'a=b' is no name of a parameter"),
        ("p.json", '{"a": "' + "x" * 10_001 + '"}', ": 'a' has more than 10,000 characters"),
        ("p.toml", "a = '" + "x" * (1 << 20) + "'", ": larger than 1 MiB"),
        ("p.yaml", "".join(f"k{i}: 1\n" for i in range(1_001)), ":1001: more than 1,000"),
    ],
)
def test_a_file_that_is_no_list_of_parameters_is_refused_with_its_line(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    path = write(tmp_path / name, text)
    with pytest.raises(FileError) as caught:
        read_parameters(path)
    assert str(caught.value).startswith(f"{path}{message}")


def test_a_yaml_tag_makes_no_object_and_runs_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "p.yaml", "a: !!python/object/apply:os.system [ls]\n")
    assert read_parameters(path) == {"a": '["ls"]'}


def test_a_yaml_bomb_is_refused(tmp_path: Path) -> None:
    lines = ["a0: &a0 {x: 1, y: 2}"]
    lines += [f"a{i}: &a{i} {{l: *a{i - 1}, r: *a{i - 1}}}" for i in range(1, 19)]
    with pytest.raises(FileError, match="more than 1,000 parameters"):
        read_parameters(write(tmp_path / "bomb.yaml", "\n".join(lines)))
