"""What one seat reads is what it may know: decoders, written against the text alone, rebuild OpenSpiel's account."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from games.openspiel.game import load
from games.openspiel.names import NAMED
from games.text import Episode

Lines = list[str]
RENDERINGS = ("compact", "full")
CARDS = {f"{rank}{suit}": 2 * height + number for height, rank in enumerate("JQK") for number, suit in enumerate("sh")}
CARDS |= {card.replace("s", "♠").replace("h", "♥"): number for card, number in CARDS.items()}
ACTIONS = {"fold": "0", "call": "1", "raise": "2"}


def positions(name: str, rendering: str, seed: int, most: int = 60) -> Iterator[tuple[Episode, list[Lines]]]:
    """A random episode: at each decision what each seat has read, its own moves among it as a transcript has them."""
    episode, draws = load(name, rendering).start(seed), random.Random(seed)
    seats = range(len(episode.returns))
    texts = [episode.news(seat) for seat in seats]
    while episode.seat_to_move is not None and len(episode.played) < most:
        yield episode, [text.splitlines() for text in texts]
        mover, move = episode.seat_to_move, draws.choice(episode.legal_moves())
        texts[mover] += f"{move}\n"
        episode.play(move)
        texts = [text + episode.news(seat) for seat, text in enumerate(texts)]


def moves_of(lines: Lines) -> Lines:
    """The moves of both seats where they alternate: every line that isn't something else."""
    words = [line.removeprefix("seat 0 plays ").removeprefix("seat 1 plays ") for line in lines]
    return [word for word in words if not re.match(r"you|card|dice|public|the |  | *\d+ |\d\w* *[bw.]", word)]


def kuhn(lines: Lines, seat: int) -> str:
    """The information state of Kuhn poker: the card's number and p or b for each move."""
    return str("JQK".index(lines[0][-1])) + "".join(move[0] for move in moves_of(lines))


def leduc(lines: Lines, seat: int) -> tuple[str, ...]:
    """Of Leduc: the private card, the moves of both rounds, the public card."""
    rounds: list[Lines] = [[]]
    public = ""
    for line in lines[1:]:
        if "public" in line:
            public = str(CARDS[line.split()[-1]])
            rounds.append([])
        else:
            rounds[-1].append(ACTIONS[line.split()[-1]])
    second = " ".join(rounds[1]) if len(rounds) > 1 else ""
    return str(CARDS[lines[0].split()[-1]]), " ".join(rounds[0]), second, public


def leduc_truth(state: Any, seat: int) -> tuple[str, ...]:
    text = state.information_state_string(seat)
    found = [re.search(rf"\[{key}: ([^\]]*)\]", text) for key in ("Private", "Round1", "Round2", "Public")]
    return tuple(match.group(1) if match else "" for match in found)


def dice(lines: Lines, seat: int) -> str:
    """The information state of liar's dice: the die, then the bids."""
    return " ".join([lines[0][-1], *moves_of(lines[1:])])


def board_after(moves: Lines, rows: int, columns: int, put: Callable[[list[Lines], str, str], None], marks: str) -> str:
    board = [["."] * columns for _ in range(rows)]
    for number, move in enumerate(moves):
        put(board, move, marks[number % 2])
    return "\n".join("".join(row) for row in board)


def put_cell(board: list[Lines], move: str, mark: str) -> None:
    board[int(move[1:]) - 1]["abc".index(move[0])] = mark


def drop(board: list[Lines], move: str, mark: str) -> None:
    column = int(move) - 1
    lowest = max(number for number, row in enumerate(board) if row[column] == ".")
    board[lowest][column] = mark


def run(board: list[Lines], move: str, mark: str) -> None:
    (start, end) = (("abc".index(cell[0]), 5 - int(cell[1])) for cell in (move[:2], move[2:4]))
    if not any(cell != "." for row in board for cell in row):  # the start, as the rules have it
        board[:] = [list("bbb"), *(list("...") for _ in range(3)), list("www")]
    board[start[1]][start[0]], board[end[1]][end[0]] = ".", mark


def cells(rows: Lines) -> str:
    """A board's cells, without coordinates."""
    boards = [row for row in rows if row.strip() and not re.fullmatch(r"[ a-h]+|[ 1-7]+", row)]
    return "\n".join(re.sub(r"[^.xobw]", "", row) for row in boards)


def drawn(lines: Lines) -> str:
    """The board that was drawn last."""
    last = len(lines) - 1 - lines[::-1].index("you see:")
    return cells(lines[last + 1 :])


def plain(state: Any) -> str:
    """OpenSpiel's board without its marks for stones that touch an edge."""
    return cells(str(state).translate(str.maketrans("yzpq", "xxoo")).splitlines())


BOARDS = {
    "openspiel:tic_tac_toe": (3, 3, put_cell, "xo"),
    "openspiel:connect_four": (6, 7, drop, "xo"),
    NAMED["hex"].game: (3, 3, put_cell, "xo"),
    NAMED["breakthrough"].game: (5, 3, run, "bw"),
}


@pytest.mark.parametrize("rendering", RENDERINGS)
@pytest.mark.parametrize(
    ("name", "decode", "truth"),
    [
        ("openspiel:kuhn_poker", kuhn, lambda state, seat: state.information_state_string(seat)),
        ("openspiel:leduc_poker", leduc, leduc_truth),
        ("openspiel:liars_dice", dice, lambda state, seat: state.information_state_string(seat)),
    ],
)
def test_a_hand_of_cards_or_dice_is_rebuilt_by_each_seat(name, rendering, decode, truth):
    checked = 0
    for seed in range(25):
        for episode, texts in positions(name, rendering, seed):
            for seat in (0, 1):
                assert decode(texts[seat], seat) == truth(episode.state, seat)
                checked += 1
    assert checked > 100


@pytest.mark.parametrize("name", BOARDS)
def test_a_board_is_rebuilt_from_moves_alone(name):
    for seed in range(5):
        for episode, texts in positions(name, "compact", seed):
            for lines in texts:
                if lines:
                    assert board_after(lines, *BOARDS[name]) == plain(episode.state)


@pytest.mark.parametrize("name", BOARDS)
def test_the_board_that_is_drawn_is_the_board(name):
    for seed in range(5):
        for episode, texts in positions(name, "full", seed):
            assert drawn(texts[episode.seat_to_move]) == plain(episode.state)


@pytest.mark.parametrize("rendering", RENDERINGS)
def test_goofspiel_with_hidden_bids_is_rebuilt_by_each_seat(rendering):
    name = "openspiel:goofspiel(imp_info=True,num_cards=4)"
    results = {"won": 1, "lost": -1, "tie": 0, "you win the prize": 1, "seat 0 wins the prize": -1}
    results |= {"seat 1 wins the prize": -1, "the highest bids are equal: nobody wins the prize": 0}
    for seed in range(20):
        for episode, texts in positions(name, rendering, seed):
            for seat in (0, 1):
                prizes = [line.split()[-1] for line in texts[seat] if re.search(r"prize (is )?\d", line)]
                winners = [{1: seat, -1: 1 - seat, 0: -3}[results[line]] for line in texts[seat] if line in results]
                bids = [str(int(line) - 1) for line in texts[seat] if line.isdigit()]
                if len(bids) > len(winners):  # one's own bid of this round, which the state doesn't have yet
                    bids.pop()
                known = episode.state.information_state_string(seat)
                assert f"Point card sequence: {' '.join(prizes)} \n" in known
                assert f"P{seat} action sequence: {''.join(bid + ' ' for bid in bids)}\n" in known
                assert f"Win sequence: {''.join(f'{winner} ' for winner in winners)}\n" in known


def view(lines: Lines) -> Lines:
    """The numbered lines that a seat saw last, from what it saw first and every change since."""
    seen: Lines = []
    for line in lines:
        new, further, end = (re.match(form, line) for form in (r"(\d+):(?: (.*))?$", r"(\d+)\+(.*)$", r"(\d+) lines$"))
        if new or further:
            number, text = int((new or further)[1]), (new or further)[2] or ""
            seen += [""] * (number - len(seen))
            seen[number - 1] = text if new else seen[number - 1] + text
        elif end:
            del seen[int(end[1]) :]
    return seen


@pytest.mark.parametrize("name", ["dark_hex", "hearts", "crazy_eights", "pig", "coop_box_pushing", "battleship"])
def test_any_game_s_view_is_rebuilt_from_its_changes(name):
    """For games without words of their own. The opening is numbered first, as a change from nothing."""
    opening: list[Lines] = []
    for episode, texts in positions(f"openspiel:{name}", "compact", seed=4, most=40):
        opening = opening or texts
        for seat, lines in enumerate(texts):
            numbered = [f"{number}: {line}" for number, line in enumerate(opening[seat], 1)]
            rebuilt = "\n".join(view(numbered + lines[len(opening[seat]) :]))
            game_type = episode.state.get_game().get_type()
            if game_type.provides_observation_string:
                assert stripped(episode.state.observation_string(seat)) in rebuilt
            else:
                assert stripped(episode.state.information_state_string(seat)) == rebuilt


def stripped(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines()).rstrip("\n")


@pytest.mark.parametrize("rendering", RENDERINGS)
@pytest.mark.parametrize("name", ["leduc_poker", "dark_hex", "phantom_ttt", "liars_dice_ir", "first_sealed_auction"])
def test_equal_texts_mean_equal_information_states(name, rendering):
    known: dict[tuple[int, str], str] = {}
    for seed in range(40):
        for episode, texts in positions(f"openspiel:{name}", rendering, seed):
            for seat, lines in enumerate(texts):
                state = episode.state.information_state_string(seat)
                assert known.setdefault((seat, "\n".join(lines)), state) == state


def test_before_the_end_a_text_doesn_t_depend_on_the_other_s_card():
    """Kuhn: a seat's text follows from its information state, which doesn't have the other's card."""
    texts_of: dict[tuple[int, str], set[str]] = {}
    for seed in range(60):
        for episode, texts in positions("openspiel:kuhn_poker", "compact", seed):
            for seat in (0, 1):
                key = seat, episode.state.information_state_string(seat)
                texts_of.setdefault(key, set()).add("\n".join(texts[seat]))
    assert len(texts_of) == 24  # 2 seats, 3 cards, at the start, after pass, after bet, after pass and bet
    assert all(len(texts) == 1 for texts in texts_of.values())
