"""The page of config keys says what the schema says."""

from pathlib import Path

from mage import config_docs

PAGE = Path(__file__).resolve().parents[2] / "docs" / "config.md"


def test_the_page_is_as_new_as_the_schema():
    assert PAGE.read_text(encoding="utf-8") == config_docs.page(), config_docs.HEADER


def test_a_key_shows_its_range_its_default_and_its_meaning():
    field = {"type": "integer", "minimum": 0, "exclusiveMaximum": 8, "default": 1, "description": "a seed"}
    assert config_docs.rows({"properties": {"seed": field}}).splitlines()[-1] == (
        "| `seed` | integer >= 0, < 8 | `1` | a seed |"
    )


def test_choices_and_alternatives_are_spelled_as_a_config_file_spells_them():
    assert config_docs.values({"enum": ["sum", "final"]}) == '`"sum"` or `"final"`'
    either = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}, {"type": "null"}]}
    assert config_docs.values(either) == "text or list of text"


def test_a_key_without_a_default_shows_a_dash():
    assert config_docs.default({"type": "string"}) == "–"


def test_inner_tables_follow_their_outer_table():
    text = config_docs.page()
    assert text.index("## [model]") < text.index("## [model.pretrain]") < text.index("## [lora]")
