"""Files that survive a power cut: written aside, handed to the disk, renamed into place."""

import os
from pathlib import Path


def sync(path: Path) -> None:
    """Hand one file or folder to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_tree(folder: Path) -> None:
    """Hand everything under a folder, and the folder, to the disk."""
    for path in sorted(folder.rglob("*")):
        sync(path)
    sync(folder)


def write_durably(path: Path, text: str) -> None:
    """Replace a text file in one step: a reader sees the old text or the new, never a part."""
    aside = path.with_name(f".{path.name}.new")
    aside.write_text(text, encoding="utf-8")
    sync(aside)
    os.replace(aside, path)
    sync(path.parent)
