"""What measures speed: this project against what a person would otherwise do, and against the machine's bound.

`python -m benchmarks` prints one table of ratios and writes JSON; `python -m benchmarks.scaling` measures how cost
grows. docs/benchmarks.md says how to read both. Left out: quality of play.
"""
