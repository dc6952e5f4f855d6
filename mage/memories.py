"""What carries over from episode to episode, by name; the fields of contexts and views hang on it.

Left out: how a context is written (`mage.reader`).
"""

NO_MEMORY = "none"
MEMORIES = ("transcript", "reflection", "both", NO_MEMORY)
FRESH = (NO_MEMORY, "reflection")  # with which every episode opens a context of its own
REFLECTING = ("reflection", "both")  # with which an agent writes something down after an episode
