"""What every one of PettingZoo's poker games must keep as text, and how tests play and deal them.

`check_*` are assertions that the games' tests call, each a promise of `games.text` or of a card table.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import games
from games.aec import AECGame
from games.text import Episode
from tests.games.classics.cards_decoding import Seen, decode

ROOT = Path(__file__).resolve().parents[3]
LIBRARY_SETTINGS = ("PYGAME_HIDE_SUPPORT_PROMPT", "SDL_AUDIODRIVER")  # PettingZoo puts them into our environment
SHY = ("fold", "all in")


def plies(episode: Episode, choose: Callable[[Episode], str]) -> Iterator[list[str]]:
    """Play to the end; yield each seat's transcript, moves included, after the deal and after every move."""
    texts = [episode.news(0), episode.news(1)]
    yield list(texts)
    while (seat := episode.seat_to_move) is not None:
        move = choose(episode)
        texts[seat] += move + "\n"
        episode.play(move)
        texts = [text + episode.news(reader) for reader, text in enumerate(texts)]
        yield list(texts)


def at_random(seed: int) -> Callable[[Episode], str]:
    """Choose uniformly among the legal moves, those of SHY a tenth as often, so that episodes last."""
    stream = random.Random(seed)

    def choose(episode: Episode) -> str:
        legal = episode.legal_moves()
        return stream.choices(legal, [0.1 if move in SHY else 1.0 for move in legal])[0]

    return choose


def line_of(moves: Sequence[str]) -> Callable[[Episode], str]:
    """Play these moves in turn, whoever is to act."""
    rest = iter(moves)
    return lambda episode: next(rest)


def finished(episode: Episode, choose: Callable[[Episode], str]) -> list[str]:
    """Each seat's transcript of the whole episode."""
    return list(plies(episode, choose))[-1]


def rigged(game: AECGame, hands: Sequence[str], board: str, small: int = 0) -> Episode:
    """Start an episode with these hands (by seat, "SK HQ") and public cards, and `small` in the small blind."""
    from rlcard.games.base import Card

    def dealt(text: str) -> list[Any]:
        return [Card(*card) for card in text.split()]

    def make_env() -> Any:
        env = game.make_env()
        shuffled = env.reset

        def reset(seed: int | None = None, options: dict[str, Any] | None = None) -> None:
            shuffled(seed=seed)
            inner = env.env.game
            for player, hand in zip(inner.players, hands, strict=True):
                player.hand = dealt(hand) if isinstance(player.hand, list) else dealt(hand)[0]
            inner.dealer.deck = dealt(board)[::-1]  # rlcard deals from the end

        env.reset = reset
        return env

    table = replace(game, make_env=make_env)
    return next(episode for episode in map(table.start, range(50)) if episode.seat_to_move == small)


def returns(game: AECGame, hands: tuple[str, str], board: str, moves: Sequence[str]) -> list[float]:
    """The returns of these hands (see `rigged`) after this line of play."""
    episode = rigged(game, hands, board)
    finished(episode, line_of(moves))
    return episode.returns


def transcripts(name: str) -> str:
    """Three random episodes of a classic in each rendering, rules included."""
    text = ""
    for rendering in ("compact", "full"):
        game = games.load(name, rendering=rendering)
        for seed in range(3):
            text += game.rules(seed % 2, 3) + "".join(finished(game.start(seed), at_random(seed)))
    return text


def in_new_process(name: str, hash_seed: str) -> tuple[str, str]:
    """What a process of its own with this PYTHONHASHSEED writes to stdout (transcripts) and to stderr."""
    code = f"from tests.games.classics.cards_contract import transcripts; print(transcripts({name!r}), end='')"
    inherited = {key: value for key, value in os.environ.items() if key not in LIBRARY_SETTINGS}
    done = subprocess.run(
        [sys.executable, "-W", "default", "-c", code],
        cwd=ROOT,
        env={**inherited, "PYTHONHASHSEED": hash_seed, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout, done.stderr


def check_processes(name: str) -> None:
    """The hash seed changes nothing, and nothing else is written: no banner, no warning."""
    assert in_new_process(name, "1") == (transcripts(name), "")
    assert in_new_process(name, "2") == (transcripts(name), "")


def check_forfeit(game: AECGame, by: Callable[[Episode], str], worst: float, other: float) -> None:
    """After one move, the seat to move forfeits: it gets `worst`, the other `other`, and one forfeit is counted."""
    episode = game.start(3)
    episode.play(by(episode))
    offender = episode.seat_to_move
    assert offender is not None
    episode.forfeit()
    assert episode.returns[offender] == worst == game.utility_range[0]
    assert episode.returns[1 - offender] == other
    assert episode.forfeits[offender] == 1 and episode.forfeits[1 - offender] == 0
    assert episode.seat_to_move is None


def check_decoding(game: AECGame, seed: int, small_opens: bool, open_moves: Callable[[Seen], tuple[str, ...]]) -> None:
    """At every ply of a random episode both seats' texts give the true state, and the moves that are open."""
    episode = game.start(seed)
    inner = episode._env.env.game
    blinds = [player.in_chips for player in inner.players]
    decisions = [0, 0]
    board: list[str] = []
    for texts in plies(episode, at_random(seed)):
        over = episode.seat_to_move is None
        folded = bool(episode.played) and episode.played[-1][1] == "fold"
        if not folded:  # rlcard deals on after a fold, unseen
            board = indices(inner.public_card if hasattr(inner, "public_card") else inner.public_cards)
        for seat, text in enumerate(texts):
            seen = decode(text, game.rendering, small_opens)
            assert seen.small == (blinds[seat] == 1)
            assert seen.hand == indices(inner.players[seat].hand)
            assert (seen.own, seen.theirs) == (inner.players[seat].in_chips, inner.players[1 - seat].in_chips)
            assert seen.moves == [(mover == seat, move) for mover, move in episode.played]
            assert seen.to_act == (None if over else episode.seat_to_move == seat)
            assert seen.public == board
            assert seen.shown == (indices(inner.players[1 - seat].hand) if over and not folded else [])
            assert seen.payoff == (episode.returns[seat] if over else None)
            if seen.to_act:
                decisions[seat] += 1
                assert episode.legal_moves() == open_moves(seen)
    least, greatest = game.utility_range
    assert sum(episode.returns) == 0 and least <= min(episode.returns) and max(episode.returns) <= greatest
    assert max(decisions) <= game.max_turns


def check_no_leak(game: AECGame, hand: str, others: Sequence[str], board: str, moves: Sequence[str]) -> None:
    """Whichever of two hands seat 1 holds, seat 0 reads the same until the showdown."""
    deals = [plies(rigged(game, (hand, other), board), line_of(moves)) for other in others]
    shown = []
    for first, second in zip(*deals, strict=True):
        cut = first[0].lower().find("they show")
        assert first[0][: cut if cut >= 0 else None] == second[0][: cut if cut >= 0 else None]
        shown.append(cut >= 0)
    assert shown[-1] and not any(shown[:-1])


def indices(held: Any) -> list[str]:
    """Write rlcard's card, cards or None as its own indices, "SK"."""
    return [card.get_index() for card in (held if isinstance(held, list) else [held] if held else [])]
