"""Where a training run's time went, as a table; a pure function of the record. Left out: measuring it."""

from __future__ import annotations

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from mage.timings import PARTS, Profile
from mage.views.figures import MISSING


def profile_table(profile: Profile) -> RenderableType:
    """Draw seconds, share and tokens per second of each part, and how much of the bare base's rate that is."""
    if not profile.iterations:
        return Text("Nothing was trained, so there is nothing to profile.")
    title = f"Where the time of {profile.iterations} iterations went"
    table = Table(title=title, title_justify="left", title_style="", box=None, pad_edge=False)
    table.add_column("part")
    for heading in ("seconds", "share", "tokens/s", "bare base", "of it"):
        table.add_column(heading, justify="right")
    whole = sum(profile.spent.seconds.values())
    for part in PARTS:
        seconds = profile.spent.seconds.get(part, 0.0)
        table.add_row(part, f"{seconds:.1f}", _share(seconds, whole), *_rates(profile, part))
    table.add_row("all", f"{whole:.1f}", _share(whole, whole), "", "", "")
    return table


def _rates(profile: Profile, part: str) -> tuple[str, str, str]:
    if part not in profile.spent.tokens:
        return "", "", ""
    rate, bound = profile.spent.rate(part), profile.bounds.get(part)
    if rate is None or not bound:
        return MISSING if rate is None else f"{rate:,.0f}", MISSING, MISSING
    return f"{rate:,.0f}", f"{bound:,.0f}", f"{rate / bound:.2f}"


def _share(part: float, whole: float) -> str:
    return MISSING if whole <= 0 else f"{part / whole:.1%}"
