"""What can be set in a config file: one frozen class per table, one described field per key.

Every range and every rule between keys is checked here, when a config is made. Left out on purpose: whether
a game, a family or a base model of that name exists (the tables that own those names refuse them), how
opponents are declared (`declared`), stages (`staging`), and reading files (`loading`).
"""

from typing import Any, Literal

from pydantic import Field, model_validator

from mage.config.acting import Agent, Prompt
from mage.config.declared import Declaration, Opponents, Table
from mage.config.population import League
from mage.config.staging import Stage, completed


class Run(Table):
    """[run]: length, bookkeeping and machine of the run."""

    seed: int = Field(default=1, ge=0, lt=2**31, description="root of all keyed randomness")
    iterations: int = Field(
        default=40, ge=1, description="training updates of every learner; with [[stage]] tables the sum of theirs"
    )
    threads: int = Field(
        default=0, ge=0, description="CPU threads, part of what makes a run repeatable; 0: decided when the run starts"
    )
    checkpoint_every: int = Field(default=5, ge=1, description="iterations between checkpoints")
    validate_every: int = Field(default=0, ge=0, description="iterations between validations; 0 is never")
    log_matches: int = Field(default=4, ge=0, description="matches written in full to the event log, per iteration")
    device: str = Field(default="cpu", min_length=1, description='torch device, such as "cpu" or "cuda"')
    dtype: Literal["auto", "float32", "bfloat16"] = Field(
        default="auto", description='number type of the base model; "auto": decided when the run starts'
    )
    linear: Literal["auto", "torch", "onednn"] = Field(
        default="auto",
        description='what multiplies the base\'s layers on a CPU in float32; "onednn" keeps their weights twice '
        'more, laid out for it; "auto": the faster one, measured when the run starts',
    )


class Game(Table):
    """[game]: what is played."""

    name: str = Field(default="rock_paper_scissors", min_length=1, description="a game, named as docs/games.md says")
    rounds: int | None = Field(
        default=None,
        ge=1,
        description="joint moves per episode of a repeated game (matrix games, public goods), 6 unless given",
    )
    rendering: Literal["compact", "full"] = Field(default="compact", description="how the game is put into words")
    moves: tuple[tuple[str, ...], tuple[str, ...]] | None = Field(
        default=None, description='names of the moves of seat 0 and of seat 1, for name = "matrix" only'
    )
    payoffs: tuple[tuple[tuple[float, ...], ...], tuple[tuple[float, ...], ...]] | None = Field(
        default=None, description='payoffs [seat][move of seat 0][move of seat 1], for name = "matrix" only'
    )

    @model_validator(mode="after")
    def _matrix_is_whole(self) -> "Game":
        if self.name != "matrix":
            if self.moves is not None or self.payoffs is not None:
                raise ValueError(f'got moves or payoffs for name = "{self.name}", expected them for "matrix" only')
            return self
        if self.moves is None or self.payoffs is None:
            raise ValueError('got name = "matrix" without moves and payoffs, expected both')
        rows, columns = (len(moves) for moves in self.moves)
        if any([len(row) for row in matrix] != [columns] * rows for matrix in self.payoffs):
            raise ValueError(f"got payoffs of another shape than 2 x {rows} x {columns}, the numbers of moves")
        return self


class Trial(Table):
    """[trial]: how often an agent meets the same opponent in a row, and what it remembers."""

    episodes: int = Field(default=3, ge=1, description="episodes per trial")
    memory: Literal["transcript", "reflection", "both", "none"] = Field(
        default="transcript",
        description="what carries over episodes: all that was read and written, what was written down for it, or both",
    )
    on_overflow: Literal["error"] = Field(default="error", description="what to do if a context cannot fit")


class Pretrain(Table):
    """[model.pretrain]: how `builtin:tiny` is made on first use."""

    steps: int = Field(default=300, ge=0, description="pretraining updates; 0 leaves the base untrained")
    batch: int = Field(default=64, ge=1, description="transcripts per update")
    learning_rate: float = Field(default=1.5e-3, gt=0, description="peak learning rate")
    seed: int = Field(default=0, ge=0, lt=2**31, description="root of its initial weights and its corpus")
    corpus: tuple[Declaration, ...] = Field(
        default=(), description="opponents whose matches are the corpus; empty means opponents.training"
    )
    reflections: Literal["counts", "replies", "both"] = Field(
        default="counts",
        description="what experts write down after an episode, where agents reflect: in the corpus and in stages",
    )


class Model(Table):
    """[model]: the frozen base that all agents share."""

    name: str = Field(
        default="builtin:tiny",
        min_length=1,
        description='base model: one that `mage models` lists, a Hub id "owner/name", or a folder "./name"',
    )
    offline: bool = Field(default=False, description="never touch the network: a Hub model has to be here already")
    layers: int = Field(default=3, ge=1, description="layers of builtin:tiny")
    width: int = Field(default=128, ge=1, description="hidden size of builtin:tiny, an even multiple of heads")
    heads: int = Field(default=4, ge=1, description="attention heads of builtin:tiny")
    pretrain: Pretrain = Field(default_factory=Pretrain, description="how builtin:tiny is made")

    @model_validator(mode="after")
    def _heads_divide_width(self) -> "Model":
        if self.width % (2 * self.heads):
            raise ValueError(f"got width = {self.width} and heads = {self.heads}, expected width / heads to be even")
        return self


class Lora(Table):
    """[lora]: one adapter shape for the whole population."""

    rank: int = Field(default=8, ge=1, description="rank of every adapter")
    alpha: int = Field(default=16, ge=1, description="scale: the update is multiplied by alpha / rank")
    targets: str | tuple[str, ...] = Field(default="all-linear", description='layers by name, or "all-linear"')


Cell = Literal["learner", "game", "seat", "opponent", "episode", "turn"]


class Learning(Table):
    """[learning]: returns, advantages, loss and optimiser, one optimiser per learner."""

    objective: Literal["sum", "final"] = Field(
        default="sum", description="all episodes count, or (with gamma_traj = 1) the last one only"
    )
    gamma_step: float = Field(default=1.0, ge=0, le=1, description="discount per decision within an episode")
    gamma_traj: float = Field(default=1.0, ge=0, le=1, description="discount per episode within a trial")
    cell: tuple[Cell, ...] = Field(
        default=("learner", "game", "seat", "opponent", "episode", "turn"),
        description="returns are compared with those that agree in these fields",
    )
    scale_rewards: Literal["group", "batch", "none"] = Field(
        default="group", description="advantages are divided by the cell's deviation, the learner's, or nothing"
    )
    loss_type: Literal["grpo", "reinforce"] = Field(default="grpo", description="clipped ratio, or plain")
    loss_agg_mode: Literal["token-mean", "seq-mean-token-mean", "seq-mean-token-sum"] = Field(
        default="token-mean", description="how token losses become one number"
    )
    epsilon: float = Field(default=0.2, gt=0, lt=1, description="clip range of the ratio below 1")
    epsilon_high: float = Field(default=0.2, gt=0, description="clip range of the ratio above 1")
    learning_rate: float = Field(default=2e-3, gt=0, description="learning rate at the first iteration, then linear")
    final_learning_rate: float = Field(default=2e-4, gt=0, description="learning rate at the last iteration")
    warmup_steps: int = Field(
        default=0,
        ge=0,
        description="optimiser steps at the start of a run or stage in which the rate rises to its value",
    )
    minibatches: int = Field(default=2, ge=1, description="optimiser steps per pass over the trials")
    epochs: int = Field(default=1, ge=1, description="passes over the trials of an iteration")
    max_kl: float = Field(
        default=0.05, gt=0, description="KL to the sampling policy, nats a token, that ends an update"
    )
    entropy_bonus: float = Field(default=0.01, ge=0, description="weight of the policy's entropy in the loss")
    max_grad_norm: float = Field(default=1.0, gt=0, description="gradient norm above which a learner is clipped")
    microbatch_tokens: int = Field(
        default=8192, ge=0, description="tokens per forward and backward pass; 0: tried out when the run starts"
    )
    gradient_checkpointing: bool = Field(
        default=False, description="compute each layer twice in an update, to hold the activations of one at a time"
    )
    batch_rows: int = Field(default=512, ge=1, description="contexts per sampling batch")
    merge: bool = Field(
        default=False, description="add the adapter of an agent that samples alone to the base's weights meanwhile"
    )

    @model_validator(mode="after")
    def _cell_names_once(self) -> "Learning":
        if len(set(self.cell)) != len(self.cell) or "learner" not in self.cell:
            raise ValueError(f'got cell = {list(self.cell)}, expected "learner" in it and each field once')
        return self


class Evaluation(Table):
    """[evaluation]: defaults of `mage evaluate`."""

    trials: int = Field(default=100, ge=1, lt=2**20, description="trials per agent and opponent, split over seats")
    seed: int = Field(default=1000, ge=0, lt=2**31, description="root of the evaluation's randomness")


class Config(Table):
    """All settings of a run. Every table and key may be left out, but not all opponents."""

    run: Run = Field(default_factory=Run, description="length, bookkeeping and machine")
    game: Game = Field(default_factory=Game, description="what is played")
    trial: Trial = Field(default_factory=Trial, description="episodes and memory")
    agent: Agent = Field(default_factory=Agent, description="how agents come to a move and what they write")
    prompt: Prompt = Field(default_factory=Prompt, description="what is put before them")
    model: Model = Field(default_factory=Model, description="the frozen base")
    lora: Lora = Field(default_factory=Lora, description="the shape of every adapter")
    league: League = Field(default_factory=League, description="population and pairings")
    learning: Learning = Field(default_factory=Learning, description="advantages, loss, optimiser")
    opponents: Opponents = Field(default_factory=Opponents, description="scripted opponents")
    evaluation: Evaluation = Field(default_factory=Evaluation, description="defaults of `mage evaluate`")
    stage: tuple[Stage, ...] = Field(default=(), description="stages, one after the other; none is one of kind rl")

    @model_validator(mode="before")
    @classmethod
    def _stages_are_completed(cls, data: Any) -> Any:
        return completed(data)

    @model_validator(mode="after")
    def _opponents_suffice(self) -> "Config":
        if self.league.matchmaking.scripted > 0 and not self.opponents.training:
            raise ValueError(
                f"got league.matchmaking.scripted = {self.league.matchmaking.scripted} and no "
                "opponents.training, expected opponents to train against, or league.matchmaking.scripted = 0"
            )
        if self.model.name == "builtin:tiny" and not (self.model.pretrain.corpus or self.opponents.training):
            raise ValueError(
                'got model.name = "builtin:tiny" with neither model.pretrain.corpus nor opponents.training, '
                "expected one of them, since this base learns its moves from scripted matches"
            )
        return self
