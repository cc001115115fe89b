"""The ir_metadata of a run: read from the lines that open its file, and written to them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalstore.errors import DataError
from evalstore.formats.facts.ir_metadata import LONGEST, check_header, header_facts, header_lines

HEADER = """\
# ir_metadata.start
# schema-version: 0.1
# tag: bm25
# platform:
#   hardware:
#     cpu:
#       number of cores: 16
# research goal:
#   evaluation:
#     reported measures:
#     - map
#     - P_10
# implementation:
#   executable:
#     cmd: python run.py --k1 0.9
#   source:
#     lang:
#     - python
#     commit: 9548263
# method:
#   automatic: true
#   retrieval:
#   - name: bm25
#     b: 0.4
#     k1: 0.9
# ir_metadata.end
"""


def read(text: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    return header_facts("a.run", list(enumerate(text.splitlines(), 1)))


def header_of(yaml: str) -> Any:
    """The header in lines of YAML."""
    lines = "".join(f"# {line}\n" for line in yaml.splitlines())
    return read(f"# ir_metadata.start\n{lines}# ir_metadata.end\n")[0].get("header")


def test_a_header_of_the_published_schema_is_read_without_a_warning() -> None:
    facts, warnings = read(HEADER)
    assert warnings == ()
    assert facts["header"] == {
        "schema-version": 0.1,
        "tag": "bm25",
        "platform": {"hardware": {"cpu": {"number of cores": 16}}},
        "research goal": {"evaluation": {"reported measures": ["map", "P_10"]}},
        "implementation": {
            "executable": {"cmd": "python run.py --k1 0.9"},
            "source": {"lang": ["python"], "commit": "9548263"},
        },
        "method": {"automatic": True, "retrieval": [{"name": "bm25", "b": 0.4, "k1": 0.9}]},
    }


def test_commit_and_command_are_facts_of_the_run_too() -> None:
    facts, _ = read(HEADER)
    assert facts["commit"] == "9548263"
    assert facts["command"] == "python run.py --k1 0.9"


@pytest.mark.parametrize("commit", ["[1, 2]", '""', '"a\\nb"', "null", "{a: b}", "x" * 2_000])
def test_a_commit_that_is_not_one_line_of_text_is_no_fact(commit: str) -> None:
    facts, _ = read(
        "# ir_metadata.start\n# implementation:\n#   source:\n"
        f"#     commit: {commit}\n# ir_metadata.end"
    )
    assert set(facts) == {"header"}


def test_lines_before_and_after_the_header_are_comments() -> None:
    facts, warnings = read("# made by hand\n" + HEADER + "# tag: other\n")
    assert facts["header"]["tag"] == "bm25"
    assert warnings == ()


@pytest.mark.parametrize("text", ["", "# a comment\n", "# ir_metadata.end\n", "# ir_metadata\n"])
def test_lines_without_a_header_give_no_facts(text: str) -> None:
    assert read(text) == ({}, ())


@pytest.mark.parametrize(
    "text",
    [
        "#ir_metadata.start\n#tag: a\n#method:\n# automatic: true\n#ir_metadata.end\n",
        "# ir_metadata.start\n# tag: a\n# method:\n#   automatic: true\n# ir_metadata.end\n",
        "  # ir_metadata.start\r\n  # tag: a\r\n# method: {automatic: true}\r\n# ir_metadata.end",
        "# ir_metadata.start\n\n# tag: a\n#\n# # b\n# method: {automatic: true}\n#ir_metadata.end",
    ],
)
def test_blanks_around_the_sign_and_line_ends_do_not_matter(text: str) -> None:
    assert read(text) == ({"header": {"tag": "a", "method": {"automatic": True}}}, ())


@pytest.mark.parametrize(
    ("yaml", "value"),
    [
        ("0.9", 0.9),
        ("10", 10),
        ("true", True),
        ("no", "no"),
        ("007", "007"),
        ('"7"', "7"),
        ("2026-01-01", "2026-01-01"),
        ("null", None),
        ("", None),
        ("nan", "nan"),
        ("!!python/object:os.system x", "x"),
    ],
)
def test_a_value_is_a_number_a_boolean_or_a_text_as_a_parameter_is(yaml: str, value: Any) -> None:
    assert header_of(f"method:\n  retrieval:\n  - a: {yaml}")["method"]["retrieval"] == [
        {"a": value}
    ]


def test_what_the_schema_calls_a_text_stays_one() -> None:
    assert header_of("tag: 12\nactor: {fields: [1.0]}") == {
        "tag": "12",
        "actor": {"fields": ["1.0"]},
    }


# --- what is odd ---------------------------------------------------------------------------------


def warned(yaml: str) -> tuple[Any, tuple[str, ...]]:
    lines = "".join(f"# {line}\n" for line in yaml.splitlines())
    facts, warnings = read(f"# ir_metadata.start\n{lines}# ir_metadata.end\n")
    return facts.get("header"), warnings


def test_unknown_keys_are_kept_and_named_with_the_first_line() -> None:
    header, warnings = warned("tag: a\nactor:\n  nme: Ann\nmood: {good: 1}")
    assert header == {"tag": "a", "actor": {"nme": "Ann"}, "mood": {"good": 1}}
    [warning] = warnings
    assert warning.startswith("a.run:4: ")
    assert warning.endswith(" are kept: 'actor.nme', 'mood'")


def test_for_one_unknown_key_the_nearest_known_one_is_named() -> None:
    _, [warning] = warned("tag: a\nactor:\n  nme: Ann")
    assert warning.endswith(" are kept: 'actor.nme'; did you mean 'name'?")


def test_of_many_unknown_keys_the_first_five_are_named() -> None:
    header, [warning] = warned("\n".join(f"key{n}: {n}" for n in range(100)))
    assert len(header) == 100
    assert warning.endswith("and 95 more")


@pytest.mark.parametrize("key", ["test collection", "test_collection", "test-collection"])
def test_keys_may_have_blanks_hyphens_or_underscores(key: str) -> None:
    header, warnings = warned(f"data:\n  {key}:\n    ir_datasets: cranfield")
    assert header == {"data": {key: {"ir_datasets": "cranfield"}}}
    assert warnings == ()


@pytest.mark.parametrize(
    ("yaml", "message"),
    [
        ("method: bm25", "a.run:2: the schema expects named values in 'method'; it is kept"),
        ("tag: [a]", "a.run:2: the schema expects a text in 'tag'"),
        ("tag: {a: b}", "a.run:2: the schema expects a text in 'tag'"),
        ("method: {automatic: yes}", "a.run:2: the schema expects true or false in"),
        ("actor: {fields: ir}", "a.run:2: the schema expects a list in 'actor.fields'"),
        ("data: {other: GloVe}", "a.run:2: the schema expects a list in 'data.other'"),
        ("tag: a\ntag: b", "a.run:3: 'tag' stands twice; the first one counts"),
        ("? [a]\n: b", "a.run:2: a key that is no text is left out"),
        ('tag: "a\\x1bb"', "a.run:2: a control character in 'tag' is replaced"),
        (f"tag: {'a' * (LONGEST + 1)}", "a.run:2: a text in 'tag' is cut at 10,000"),
    ],
)
def test_what_the_schema_does_not_expect_is_kept_with_a_warning(yaml: str, message: str) -> None:
    header, warnings = warned(yaml)
    assert header is not None or yaml.startswith("?")
    [warning] = warnings
    assert warning.startswith(message)


def test_of_many_warnings_five_are_given_and_the_others_counted() -> None:
    _, warnings = warned("\n".join(["tag: a"] * 100))
    assert len(warnings) == 6
    assert "94 more" in warnings[-1]


def test_a_header_that_is_not_ended_is_all_lines_up_to_the_ranking() -> None:
    facts, [warning] = read("# about\n# ir_metadata.start\n# tag: a\n")
    assert facts == {"header": {"tag": "a"}}
    assert warning.startswith("a.run:2: no line `# ir_metadata.end`")


@pytest.mark.parametrize(
    ("yaml", "message"),
    [
        ("tag: a\nb: [", "a.run:3: the YAML can't be read"),
        ("tag: a\n\tb: c", "a.run:3: the YAML can't be read"),
        ("tag: *x", "a.run:2: the YAML can't be read: found undefined alias"),
        ("tag: a\nb: \x1b", "the YAML can't be read"),
        ("just text", "a.run:2: no mapping of YAML"),
        ("- a", "a.run:2: no mapping of YAML"),
        ("a: " + "[" * 1_000, "a.run:2: the YAML can't be read: more than"),
        ("a: &a [*a]", "a.run:2: nested more than 20 levels deep"),
        ("a: [" + "1," * 6_000 + "]", "a.run:2: more than 5,000 values"),
        ("\n".join(f"a{n}: {'x' * 9_000}" for n in range(20)), "a.run:2: a header of more than"),
        ("\n".join(["# " + "x" * 1_000] * 600), "a.run:2: a header of more than 512 KiB"),
        (
            "a: &a [1,1,1,1,1,1,1,1]\n"
            + "\n".join(
                f"{new}: &{new} [{','.join([f'*{old}'] * 8)}]"
                for old, new in zip("abcdefg", "bcdefgh", strict=True)
            ),
            "more than 5,000 values",
        ),
    ],
)
def test_a_header_that_cannot_be_read_is_left_out_with_a_warning(yaml: str, message: str) -> None:
    header, warnings = warned(yaml)
    assert header is None
    [warning] = warnings
    assert message in warning
    assert warning.endswith("; the header is left out")


# --- writing -------------------------------------------------------------------------------------

TEXTS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters=[*map(chr, range(32)), "\x7f"])
    | st.sampled_from(list("#:-\"'[]{},&*!|>%@`\n\t \u2028\u202e\ufeff\u3000\xa00123.e~")),
    max_size=30,
).filter(lambda text: not any(0x7F <= ord(c) < 0xA0 for c in text))
HOSTILE = st.sampled_from(
    [
        *("", "~", "null", "true", "no", "007", "1e5", "1.0", "-0", "0x1f", "'a'", '"a"', "1_0"),
        *("a: b", "a #b", "# ir_metadata.end", "ir_metadata.end", "a\nir_metadata.end\nb"),
        *(
            "a\u3000",
            "\xa0a\xa0",
            "---",
            "...",
            "- a",
            "<<",
            "=",
            "? a",
            "!!int 3",
            "&a",
            "*a",
            "\n",
            " a ",
            "a\\",
            "%A",
        ),
        *("12:30:45", "2026-01-01", ".nan", "1" * 30, "x" * 5_000, "a b " * 500),
    ]
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**17), 10**17)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS
    | HOSTILE,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS | HOSTILE, inner, max_size=4),
    max_leaves=12,
)
KEYS = (TEXTS | HOSTILE).map(lambda key: f"x{key}"[:100])


@given(st.dictionaries(KEYS, VALUES, min_size=1, max_size=4))
def test_reading_the_lines_that_were_written_gives_the_same_header(header: Any) -> None:
    header = short_keys(header)
    lines = header_lines(check_header(header))
    assert all(line.startswith("#") and "\n" not in line and len(line) < 30_000 for line in lines)
    facts, warnings = header_facts("a.run", list(enumerate(lines, 1)))
    assert facts["header"] == header
    assert repr(facts["header"]) == repr(header)  # 1, 1.0 and True are three values
    assert all("schema" in warning for warning in warnings)


def short_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {key[:100]: short_keys(inner) for key, inner in value.items()}
    return [short_keys(inner) for inner in value] if isinstance(value, list) else value


def test_the_published_example_is_written_as_it_was_read() -> None:
    facts, _ = read(HEADER)
    assert "\n".join(header_lines(facts["header"])) == HEADER.rstrip().replace(
        "commit: 9548263", 'commit: "9548263"'
    )


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("inf"),
        object(),
        b"x",
        10**18,
        "\x00",
        "\x1b[31m",
        "x" * (LONGEST + 1),
        {1: 2},
        {"\n\x00": 1},
        {"x" * 300: 1},
        ["x"] * 6_000,
        ["x" * 9_000] * 20,
    ],
)
def test_a_value_that_cannot_be_written_is_refused_in_memory(value: Any) -> None:
    with pytest.raises(DataError):
        check_header({"a": value})


def test_a_value_within_itself_is_refused_in_memory() -> None:
    value: list[Any] = []
    value.append(value)
    with pytest.raises(DataError, match="20 levels"):
        check_header({"a": value})
