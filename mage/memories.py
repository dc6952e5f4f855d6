"""What carries over from episode to episode, by name; the fields of contexts and views hang on it.

Left out: how a context is written (`mage.reader`).
"""

MEMORIES = ("transcript", "reflection", "both", "none")
FRESH = ("none", "reflection")  # with which every episode opens a context of its own
REFLECTING = ("reflection", "both")  # with which an agent writes something down after an episode
