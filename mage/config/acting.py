"""[agent] and [prompt]: how agents write, and the words put before them beyond the game's own.

Left out: what the names stand for (`mage.decisions`, `mage.replies`, `mage.renderers`, `mage.turn_style`).
"""

from typing import Literal

from pydantic import Field, model_validator

from mage.config.declared import Table


class Agent(Table):
    """[agent]: how agents come to a move, and what they write besides."""

    move: Literal["constrained", "free", "think-then-choose"] = Field(
        default="constrained",
        description="moves are chosen among the legal ones, written freely and read, or chosen after free thinking",
    )
    thinking_tokens: int = Field(
        default=0, ge=0, description="tokens of thinking before a move, at most; 0: none, and none when constrained"
    )
    thinking_cost: float = Field(
        default=0.0, ge=0, description="game units that a token of thinking costs when agents are trained"
    )
    reply_tokens: int = Field(default=16, ge=1, description="tokens of a freely written move, at most")
    reply_format: Literal["bare", "line", "tag"] = Field(
        default="bare", description="how agents are told to write a free move; docs/replies.md says what is read"
    )
    retries: int = Field(default=0, ge=0, description="further tries after a free reply that is no legal move")
    on_illegal: Literal["forfeit", "random"] = Field(
        default="forfeit", description="when no try was legal: the episode is forfeited, or a legal move drawn"
    )
    reflection_tokens: int = Field(
        default=48, ge=1, description='tokens of a reflection, at most; for memory "reflection" and "both"'
    )

    @model_validator(mode="after")
    def _thinking_fits(self) -> "Agent":
        if self.move == "constrained" and self.thinking_tokens:
            raise ValueError(
                f'got thinking_tokens = {self.thinking_tokens} and move = "constrained", expected '
                '"think-then-choose" or "free" to think'
            )
        if self.move == "think-then-choose" and not self.thinking_tokens:
            raise ValueError('got move = "think-then-choose" without thinking_tokens, expected some')
        return self


class Prompt(Table):
    """[prompt]: what is put before agents; docs/prompting.md shows each."""

    template: Literal["auto", "chat", "plain"] = Field(
        default="auto", description='plain text, or turns as in the chat template; "auto": chat where there is one'
    )
    system: Literal["none", "player"] = Field(default="none", description="what opens every context")
    rules: Literal["game", "none"] = Field(default="game", description="the rules of the game")
    memory: Literal["lines", "plain"] = Field(default="lines", description="how earlier reflections are shown")
    observation: Literal["game", "marked"] = Field(default="game", description="how news of the game are shown")
    legal_moves: Literal["none", "list", "question"] = Field(
        default="none", description="what an agent is asked when it is to move"
    )
    reflection: Literal["compact", "full"] = Field(
        default="compact", description="what an agent is asked after an episode"
    )
