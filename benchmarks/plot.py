"""The scaling table as a picture: one panel for each axis, seconds on logarithmic scales. Needs the extra `bench`."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from benchmarks.growth import Measured

TITLES = {"episodes": "episodes in a trial", "rows": "rows", "agents": "agents, rows constant"}
STYLES = {"rollout": "o-", "update": "s--"}


def draw(measured: Sequence[Measured], path: Path) -> None:
    """Write the SVG; the same numbers give the same file."""
    figure = Figure(figsize=(11, 3.6), layout="constrained")
    panels = figure.subplots(1, len(TITLES), sharey=True)
    models = list(dict.fromkeys(one.model for one in measured))
    for panel, (axis, title) in zip(panels, TITLES.items(), strict=True):
        for number, model in enumerate(models):
            points = [one for one in measured if (one.model, one.axis) == (model, axis)]
            for what, style in STYLES.items():
                sizes = [getattr(one.point, axis) for one in points]
                seconds = [getattr(one, what) for one in points]
                panel.plot(sizes, seconds, style, color=f"C{number}", label=f"{model}, {what}", markersize=4)
        panel.set_xscale("log", base=2)
        panel.set_yscale("log")
        panel.set_xlabel(title)
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("seconds")
    panels[-1].legend(fontsize="small")
    path.parent.mkdir(parents=True, exist_ok=True)
    FigureCanvasSVG(figure).print_svg(path, metadata={"Date": None})
