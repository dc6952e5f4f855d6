"""A file is looked for on the indexes that pip is configured with, in pip's own notation."""

import pytest

from games.errors import RequestError
from mage.package_index import find, pip_settings
from tests.mage.small_index import FILE

pytest_plugins = ["tests.mage.small_index"]


def test_an_extra_index_is_asked_where_the_first_lacks_the_file(index):
    settings = {"index-url": f"{index.url}/nothing", "extra-index-url": f"file:///nowhere {index.url}"}
    assert find("small-model", FILE, settings) == f"http://127.0.0.1:{index.port}/files/{FILE}"


def test_a_password_in_the_address_is_not_shown(index):
    with pytest.raises(RequestError) as told:
        find("no-model", FILE, {"index-url": f"http://me:secret@127.0.0.1:{index.port}/simple"})
    assert "secret" not in str(told.value) and "127.0.0.1" in str(told.value)


def test_pip_is_asked_for_its_index(index):
    assert pip_settings()["index-url"] == index.url


def test_an_index_to_a_line_in_pips_config_file_is_several_indexes(index, monkeypatch, tmp_path):
    nothing = f"{index.url}/it's/nothing"
    config = f"[global]\nindex-url = {nothing}\nextra-index-url =\n    {nothing}\n    {index.url}\n"
    (tmp_path / "pip.conf").write_text(config)
    monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf"))
    monkeypatch.delenv("PIP_INDEX_URL")
    monkeypatch.delenv("PIP_EXTRA_INDEX_URL")
    settings = pip_settings()
    assert (settings["index-url"], settings["extra-index-url"].split()) == (nothing, [nothing, index.url])
    assert find("small-model", FILE, settings) == f"http://127.0.0.1:{index.port}/files/{FILE}"
