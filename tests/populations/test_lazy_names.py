"""The package's names come on first use: all of them can be had, and one brings no more than it needs."""

import subprocess
import sys

import pytest

import populations


def test_every_public_name_can_be_had_and_no_other():
    assert all(hasattr(populations, name) for name in populations.__all__)
    assert sorted(populations.__all__) == sorted(dir(populations))
    with pytest.raises(AttributeError, match="no attribute 'ratingz'"):
        populations.ratingz  # noqa: B018


def test_a_result_is_read_without_the_methods_that_rate_it():
    code = "import sys; from populations import Result; print('populations.davidson' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
