"""PettingZoo's Hanabi as text: a reader knows just what OpenSpiel says that its seat may observe."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from pettingzoo.test import api_test, seed_test

import games
from games.aec import RENDERINGS, AECGame
from games.classics import hanabi
from games.classics.hanabi_words import read_table
from games.errors import RequestError
from games.text import Episode
from tests.games.classics.cards_contract import at_random, check_forfeit, check_processes, finished, line_of, plies
from tests.games.classics.hanabi_decoding import decode

GAME = games.load("hanabi")


def open_handed(seed: int) -> Callable[[Episode], str]:
    """Cheat: play what fits; else hint or discard, by chance; play at last."""
    stream = random.Random(seed)

    def choose(episode: Episode) -> str:
        table = read_table(episode.state)
        legal = episode.legal_moves()
        seat = episode.seat_to_move
        assert seat is not None
        wanted = {f"{top[0]}{int(top[1]) + 1}" for top in table.fireworks}
        done = {f"{top[0]}{rank}" for top in table.fireworks for rank in range(1, int(top[1]) + 1)}
        hand = list(enumerate(table.hands[seat], 1))
        for move in (
            *(f"play {place}" for place, card in hand if card in wanted),
            *(f"discard {place}" for place, card in hand if card in done),
        ):
            if move in legal:
                return move
        return stream.choice([move for move in legal if not move.startswith("play")] or legal)

    return choose


def longest(episode: Episode) -> str:
    """Hint whenever that is possible, else discard."""
    return max(episode.legal_moves(), key=lambda move: (move.startswith("hint"), move.startswith("discard")))


def test_the_environment_passes_pettingzoo_s_own_tests():
    api_test(GAME.make_env(), num_cycles=20)
    seed_test(GAME.make_env, num_cycles=20)


PLAYS = {"random": at_random, "open-handed": open_handed, "longest": lambda seed: longest}


@pytest.mark.parametrize("rendering", RENDERINGS)
@pytest.mark.parametrize("play", PLAYS)
def test_both_transcripts_tell_openspiel_s_observation_at_every_ply(play: str, rendering: str):
    for seed in range(2):
        episode = games.load("hanabi", rendering=rendering).start(seed)
        for texts in plies(episode, PLAYS[play](seed)):
            for seat, text in enumerate(texts):
                seen = decode(text, rendering, seat == 0)
                truth = episode.state.observation_string(seat).split()
                if episode.seat_to_move is None:
                    assert seen.result == episode.returns[seat] == episode.state.returns()[seat]
                    truth = [word for word in truth if word not in ("Cur", "player")]  # a cut-off episode has one
                assert seen.observation() == truth
                if seen.to_act:
                    assert episode.legal_moves() == seen.open_moves()


def test_moves_are_in_the_order_of_openspiel_s_actions():
    state = GAME.start(1).state
    names = [state.action_to_string(0, action) for action in range(20)]
    marks = {mark: colour for colour, mark in hanabi.COLOURS.items()}
    for name, move in zip(names, hanabi.MOVES, strict=True):
        kind, *_, where = name.strip("()").split()
        place = str(int(where) + 1) if kind in ("Play", "Discard") else marks.get(where, where)
        assert move == f"{kind.lower().replace('reveal', 'hint')} {place}"


def dealt(game: AECGame, hands: str) -> Episode:
    """Start with these ten cards ("R1 .."), seat 0's first; later draws are chance's."""

    def make_env() -> Any:
        env = game.make_env()
        shuffled = env.reset

        def reset(seed: int | None = None, options: dict[str, Any] | None = None) -> None:
            shuffled(seed=seed)
            state = env.hanabi_env._env.new_initial_state()
            for card in hands.split():
                state.apply_action("RYGWB".index(card[0]) * 5 + int(card[1]) - 1)
            env.hanabi_env.game_state = state
            env.hanabi_env._update_action_masks()

        env.reset = reset
        return env

    return replace(game, make_env=make_env).start(1)


THEIRS = "R2 G1 W1 B4 Y5"


def test_a_card_that_fits_is_a_point_and_one_that_does_not_costs_a_life():
    episode = dealt(GAME, f"R1 Y2 Y3 Y4 B5 {THEIRS}")
    texts = so_far(episode, ["play 1", "play 1", "play 1"])
    drawn = read_table(episode.state).hands
    assert episode.returns == [2.0, 2.0]
    assert texts == [
        f"they hold {THEIRS}\nplay 1\nR1 ok, deck 39\nthey play 1: R2 ok, draw {drawn[1][4]}, deck 38\n"
        "play 1\nY2 miss, lives 2, deck 37\n",
        f"they hold R1 Y2 Y3 Y4 B5\nthey play 1: R1 ok, draw {drawn[0][3]}, deck 39\nplay 1\nR2 ok, deck 38\n"
        f"they play 1: Y2 miss, lives 2, draw {drawn[0][4]}, deck 37\n",
    ]


def test_a_hint_points_at_the_receiver_s_cards_and_a_discard_regains_the_token():
    texts = so_far(dealt(games.load("hanabi", rendering="full"), f"R1 Y2 Y3 Y4 B5 {THEIRS}"), ["hint 1", "discard 3"])
    assert texts[0].startswith(
        f"Their hand, oldest card first: {THEIRS}. You hold 5 cards that only they see. You move first.\nhint 1\n"
        "Information tokens: 7.\nThey discard 3: W1. Information tokens: 8. They draw "
    )
    assert "They hint 1: that is your cards 2 and 3 only. Information tokens: 7.\ndiscard 3\n" in texts[1]


def so_far(episode: Episode, moves: Sequence[str]) -> list[str]:
    """Both transcripts after these moves."""
    texts = [episode.news(0), episode.news(1)]
    for move in moves:
        assert episode.seat_to_move is not None
        texts[episode.seat_to_move] += move + "\n"
        episode.play(move)
        texts = [text + episode.news(reader) for reader, text in enumerate(texts)]
    return texts


@pytest.mark.parametrize("rendering", RENDERINGS)
def test_a_seat_never_reads_its_own_cards(rendering: str):
    # The two deals differ in seat 0's hand only, and the one hint that it gets points at card 1 in both.
    game = games.load("hanabi", rendering=rendering)
    moves = ["hint 1", "hint 1", "play 1"]
    texts = [so_far(dealt(game, f"{own} {THEIRS}"), moves) for own in ("R1 Y2 Y3 Y4 B5", "R1 B2 G3 W4 R5")]
    assert texts[0][0] == texts[1][0]
    assert texts[0][1] != texts[1][1]


def test_losing_the_last_life_loses_the_points():
    episode = dealt(GAME, f"R1 Y2 Y3 Y4 B5 {THEIRS}")
    moves = ["play 1", "play 4", "play 1", "play 4"]  # a point, then Y2 and two cards that start no firework
    texts = finished(episode, line_of(moves))
    assert texts[0].endswith("lives 0\nyou get 0\n") and episode.returns == [0.0, 0.0]


def test_complete_fireworks_are_25_points_for_both():
    for seed in range(20):
        episode = GAME.start(seed)
        texts = finished(episode, open_handed(seed))
        if episode.returns[0] == 25:
            break
    assert episode.returns == [25.0, 25.0] and GAME.utility_range == (0.0, 25.0)
    assert all(text.endswith("you get 25\n") for text in texts)


def test_the_longest_episode_is_cut_off_after_75_moves():
    # 33 draws count 66, 41 hints 41: 107. The move after them is the last.
    episode = GAME.start(2)
    texts = finished(episode, longest)
    moves = [move.split()[0] for _, move in episode.played]
    assert (moves[:-1].count("discard"), moves[:-1].count("hint")) == (33, 41)
    assert [seat for seat, _ in episode.played].count(0) == 38 == GAME.max_turns
    assert texts[0].endswith("you get 0\n") and not episode.state.is_terminal()


def test_a_forfeit_costs_the_offender_and_leaves_the_other_its_points():
    check_forfeit(GAME, lambda episode: episode.legal_moves()[-1], 0.0, 0.0)  # after a hint, which is no point
    episode = dealt(GAME, f"R1 Y2 Y3 Y4 B5 {THEIRS}")
    episode.play("play 1")
    episode.forfeit()
    assert episode.returns == [1.0, 0.0] and episode.forfeits == [0, 1]


def test_without_openspiel_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(hanabi, "find_spec", lambda module: None)
    with pytest.raises(RequestError, match="pip install open_spiel"):
        games.load("hanabi")


def test_it_says_the_same_in_every_process_and_nothing_else():
    check_processes("hanabi")
