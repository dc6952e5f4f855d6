"""Sets of scripted opponents: expand declarations, and keep training, validation and held-out ones apart.

Left out: one opponent and its name (`naming`), how opponents play (`families`, `players`).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from games.errors import RequestError, unknown
from games.families import family_of
from games.naming import NamedOpponent, behaviour, inner_opponents, named, opponent_distance, parse, split_names
from games.players import Player
from games.regions import draws, refuse_shared_regions
from games.registry import load

__all__ = [
    "NamedOpponent",
    "Player",
    "Split",
    "expand",
    "opponent",
    "parse",
    "split",
    "split_names",
]

Declaration = str | Mapping[str, Any]

ATTEMPTS = 1000  # draws before giving up, and so many more for each opponent asked for
ATTEMPTS_EACH = 20
DECLARATION_KEYS = ("family", "count", "seed", "parameters", "away_from", "min_distance")


def opponent(game: Any, family: str, **parameters: Any) -> NamedOpponent:
    """The opponent of a family with these parameters, defaults filled in.

    game: a game or its name. Raises RequestError, which lists what is known, for an unknown name, and for a
    value that doesn't fit.
    """
    return named(load(game) if isinstance(game, str) else game, family, parameters)


def expand(
    game: Any,
    declarations: Iterable[Declaration],
    *,
    away_from: Iterable[NamedOpponent] = (),
    min_distance: float = 0.0,
    distinct_from: Iterable[NamedOpponent] = (),
) -> tuple[NamedOpponent, ...]:
    """The opponents that declarations stand for, no two of the same behaviour.

    A declaration is a name, or a mapping: {family, parameters} is one opponent; {family, count, seed,
    parameters, away_from, min_distance} draws `count` of them by `seed` from the ranges in `parameters`, each
    at least `min_distance` from each of the names in `away_from`.

    away_from, min_distance: asked of every declaration, on top of its own. distinct_from: opponents of which
    none may be a copy. A draw that doesn't fit is drawn again; a fixed opponent that doesn't is refused.
    Raises RequestError, also for unknown names and for draws that don't fit after many attempts.
    """
    avoided = [*((other, min_distance) for other in away_from), *((other, 0.0) for other in distinct_from)]
    found: list[NamedOpponent] = []
    known: set[tuple[bytes, ...]] = set()
    for declaration in declarations:
        if not isinstance(declaration, str) and draws(declaration):
            found += _draw(game, declaration, known, avoided)
            continue
        fixed = _fixed(game, declaration)
        if behaviour(game, fixed) in known:
            twin = next(other for other in found if behaviour(game, other) == behaviour(game, fixed))
            raise RequestError(f"got {fixed.name}, which behaves like {twin.name}: leave one of them out")
        fault = _fault(game, fixed, avoided)
        if fault is not None:
            raise RequestError(f"got {fixed.name}, {fault}: choose another opponent or other parameters")
        known.add(behaviour(game, fixed))
        found.append(fixed)
    return tuple(found)


def _fixed(game: Any, declaration: Declaration) -> NamedOpponent:
    """The one opponent of a declaration without `count`."""
    if isinstance(declaration, str):
        return parse(game, declaration)
    for key in declaration:
        if key not in ("family", "parameters"):
            raise unknown("key of an opponent without count", key, ("family", "parameters", "count"))
    return named(game, str(declaration.get("family")), declaration.get("parameters", {}))


def _draw(
    game: Any,
    declaration: Mapping[str, Any],
    known: set[tuple[bytes, ...]],
    avoided: list[tuple[NamedOpponent, float]],
) -> list[NamedOpponent]:
    """Draw the opponents of a declaration with `count`; their behaviours are added to `known`."""
    for key in declaration:
        if key not in DECLARATION_KEYS:
            raise unknown("key of an opponent declaration", key, DECLARATION_KEYS)
    name, count = str(declaration.get("family")), declaration["count"]
    family = family_of(game, name)
    if not isinstance(count, int) or count < 1:
        raise RequestError(f"got count={count!r} of {name}, expected a whole number of at least 1")
    least = float(declaration.get("min_distance", 0.0))
    avoided = [*avoided, *((parse(game, text), least) for text in declaration.get("away_from", ()))]
    rng = np.random.default_rng(int(declaration.get("seed", 0)))
    drawn: list[NamedOpponent] = []
    attempts = ATTEMPTS + ATTEMPTS_EACH * count
    for _ in range(attempts):
        candidate = named(game, name, family.sample(game, rng, declaration.get("parameters", {})))
        if behaviour(game, candidate) in known or _fault(game, candidate, avoided) is not None:
            continue
        known.add(behaviour(game, candidate))
        drawn.append(candidate)
        if len(drawn) == count:
            return drawn
    raise RequestError(
        f"got {len(drawn)} of {count} opponents from {name} after {attempts} draws, expected that many that "
        "differ: ask for fewer, for wider ranges or for a smaller min_distance"
    )


def _fault(game: Any, opponent: NamedOpponent, avoided: Iterable[tuple[NamedOpponent, float]]) -> str | None:
    """Why the opponent is too much like one of `avoided` (with the least distance to each), or None.

    A copy on one seat is a copy: what is learned against it on that seat is learned about the other.
    """
    own = behaviour(game, opponent)
    for other, least in avoided:
        if any(here == there for here, there in zip(own, behaviour(game, other), strict=True)):
            return f"which behaves like {other.name}"
        if least > 0:
            measured = opponent_distance(game, opponent, other)
            if measured < least:
                return f"which is at distance {measured:.3f} from {other.name}, expected at least {least}"
    return None


@dataclass(frozen=True)
class Split:
    """Three sets of opponents without overlap: to train on, to choose checkpoints by, and to evaluate on.

    corpus: whose matches a base is trained on before; kept away from validation and held-out ones as training is.
    """

    training: tuple[NamedOpponent, ...]
    validation: tuple[NamedOpponent, ...]
    held_out: tuple[NamedOpponent, ...]
    corpus: tuple[NamedOpponent, ...] = ()

    def distance(self, opponent: NamedOpponent) -> str:
        """How far an opponent is from training: "training" met there, "near" its rule was, "far" neither."""
        if opponent in self.training:
            return "training"
        return "near" if opponent.rule in {other.rule for other in self.training} else "far"


def split(
    game: Any,
    *,
    training: Iterable[Declaration],
    validation: Iterable[Declaration] = (),
    held_out: Iterable[Declaration] = (),
    corpus: Iterable[Declaration] = (),
    min_distance: float = 0.05,
) -> Split:
    """Expand the sets of a config and keep them apart.

    Every validation and held-out opponent is at least `min_distance` from every opponent of training and of the corpus
    and a copy of none, and no validation opponent is a copy of a held-out one. Draws that break this are drawn again;
    raises RequestError, which names both opponents, for fixed ones, and for one that is made of an opponent that is
    kept from it. It is raised, too, where a set draws from a region that overlaps one of a set that is kept apart from
    it, or that holds an opponent of such a set (`regions.APART`).
    """
    declared = {
        "training": tuple(training),
        "validation": tuple(validation),
        "held_out": tuple(held_out),
        "corpus": tuple(corpus),
    }
    refuse_shared_regions(
        game,
        {
            name: [one if not isinstance(one, str) and draws(one) else _fixed(game, one) for one in declarations]
            for name, declarations in declared.items()
        },
    )
    trained = expand(game, declared["training"])
    validated = expand(game, declared["validation"], away_from=trained, min_distance=min_distance)
    evaluated = expand(
        game, declared["held_out"], away_from=trained, min_distance=min_distance, distinct_from=validated
    )
    seen = expand(game, declared["corpus"], away_from=evaluated + validated, min_distance=min_distance)
    _refuse_taught(game, trained + seen, [(other, min_distance) for other in evaluated + validated])
    _refuse_taught(game, validated, [(other, 0.0) for other in evaluated])
    return Split(trained, validated, evaluated, seen)


def _refuse_taught(game: Any, opponents: Iterable[NamedOpponent], kept: list[tuple[NamedOpponent, float]]) -> None:
    """Refuse opponents that are made of one kept from them, given with the least distance to it, or of a twin of one.

    Its play would be learned through theirs.
    """
    for opponent in opponents:
        for inner in inner_opponents(game, opponent):
            fault = _fault(game, inner, kept)
            if fault is not None:
                raise RequestError(
                    f"got {opponent.name}, made of {inner.name}, {fault}, an opponent of a set that is kept from it: "
                    "choose another inner opponent"
                )
