"""A match of a chat model that thinks, is not legal at first, and notes something down, written by hand."""

from tests.mage.small_log import match, turn

RULES = "rock_paper_scissors seat 0: R P S\n"
ASK = "<|im_end|>\n<|im_start|>assistant\n"
TOLD = "\n<|im_start|>user\n"
OPENED = f"<|im_start|>user\n{RULES}episode 1\n{ASK}"
THOUGHT = (
    f"<think>They like R.</think>\nplay Q<|im_end|>{TOLD}Q is not legal; try again\n{ASK}"
    "<think>P beats R.</think>\nP<|im_end|>"
)
QUESTION = f"{TOLD}R 1\nwhat did they do?\n{ASK}"
NOTED = "R 1<|im_end|>"
AGAIN = f"{TOLD}episode 2\n{ASK}"
DRAWN = "no idea<|im_end|>"


def written(memory="both", **changes):
    """A chat model's trial of two episodes of one round: it wins with its second try, then a move is drawn for it."""
    first = turn(0, 0, "P", f"{RULES}episode 1\n", 1) | {
        "prompt": OPENED, "said": THOUGHT, "thinking": 12, "illegal": ["the reply names no legal move"],
    }  # fmt: skip
    second = turn(0, 0, "S", "episode 2\n", -1) | {
        "prompt": AGAIN, "said": DRAWN, "illegal": ["the reply names no legal move"], "randomised": True,
    }  # fmt: skip
    episodes = [
        {
            "returns": [1, -1], "forfeits": [0, 0], "turns": [first, turn(1, 0, "R", "", -1)],
            "reflections": ["R 1", None], "reflection_prompts": [QUESTION, None], "reflections_said": [NOTED, None],
        },
        {"returns": [-1, 1], "forfeits": [0, 0], "turns": [second, turn(1, 0, "R", "", 1)]},
    ]  # fmt: skip
    return match() | {"memory": memory, "episodes": episodes} | changes
