"""What the tests of configs share: a file that says as little as it may, and the sentence that refuses a setting.

A plugin (`pytest_plugins`). PYTEST_DONT_REWRITE: tests import it before it is registered, and pytest would warn.
"""

import pytest

from games.errors import RequestError
from mage.config import load

MINIMAL = '[opponents]\ntraining = ["tit_for_tat"]\n'


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "run.toml"
    path.write_text(MINIMAL)
    return path


def complaint(file, key, value):
    with pytest.raises(RequestError) as caught:
        load(file, {key: value})
    message = str(caught.value)
    assert "\n" not in message
    return message.removeprefix(f"{file}: ")
