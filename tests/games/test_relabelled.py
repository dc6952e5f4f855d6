"""Board games whose cells or columns have other names: all words change with them, and nothing else does.

Left out: repeated matrix games (`test_variants`).
"""

import re

import pytest

from games import exact
from games.deterministic import has_chance
from games.errors import RequestError
from games.naming import behaviour, parse
from games.registry import load
from games.variants import variant

CELLS = ("a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3")  # along the rows
CAPITALS = "A/B/C/D/E/F/G/H/I"
LINE = ("b2", "a1", "c1", "b1", "a3")  # X wins along a diagonal
STACK = ("4", "1", "4", "1", "4", "7", "4")  # X wins in the middle column

every_rendering = pytest.mark.parametrize("rendering", ["compact", "full"])


def transcripts(game, *moves):
    """What each seat reads and writes in two episodes of these moves, rules and headers included; and the last one."""
    read = [game.rules(seat, 2) for seat in (0, 1)]
    for number in (1, 2):
        episode = game.start(seed=0)
        read = [text + game.episode_header(number) for text in read]
        for move in moves:
            seat = episode.seat_to_move
            read[seat] += f"{episode.news(seat)}{move}\n"
            episode.play(move)
        read = [text + episode.news(seat) for seat, text in enumerate(read)]
    return read, episode


def renamed(text, names):
    """The text with each word that is a name exchanged, and no part of a word."""
    return re.sub(r"\w+", lambda word: names.get(word[0], word[0]), text)


def drawn_with_names(transcript, labels):
    """A transcript of tic-tac-toe whose boards have no coordinates, but in each empty cell its name."""

    def board(drawing):
        marks = re.findall(r"[.XO]", drawing[0].partition("\n")[2])
        shown = [label if mark == "." else mark for mark, label in zip(marks, labels, strict=True)]
        return "".join(" ".join(shown[row : row + 3]) + "\n" for row in (0, 3, 6))

    return re.sub(r"  a b c\n1 . . .\n2 . . .\n3 . . .\n", board, transcript)


def test_compact_tic_tac_toe_is_the_same_word_for_word_but_for_the_cells():
    plain, changed = load("tictactoe"), variant(load("tictactoe"), "relabelled").game
    names = dict(zip(CELLS, CAPITALS.split("/"), strict=True))
    before, old = transcripts(plain, *LINE)
    after, new = transcripts(changed, *[names[move] for move in LINE])
    assert after == [renamed(text, names) for text in before] != before
    assert after[1].startswith("tictactoe seat 1 O: cells A B C D E F G H I, three in a line win, 2 episodes\n")
    assert new.returns == old.returns == [1.0, -1.0]
    assert str(new.state) == str(old.state) == "oox\n.x.\nx.."


def test_full_tic_tac_toe_says_the_same_with_the_names_in_the_empty_cells():
    plain = load("tictactoe", rendering="full")
    changed = variant(plain, "relabelled").game
    names = dict(zip(CELLS, CAPITALS.split("/"), strict=True))
    how = re.compile(r"A move is written .*\n")
    before = [how.sub("", drawn_with_names(text, CAPITALS.split("/"))) for text in transcripts(plain, *LINE)[0]]
    after, _ = transcripts(changed, *[names[move] for move in LINE])
    assert [how.sub("", text) for text in after] == [renamed(text, names) for text in before]
    assert (
        "a draw 0.\nA move is written as the name of a cell. The empty board, each empty cell its name:\n"
        "A B C\nD E F\nG H I\n" in after[0]
    )
    assert (
        "E\nO plays A.\nO B C\nD X F\nG H I\nC\nO plays B.\nO O X\nD X F\nG H I\nG\nThree in a line: you win"
        in after[0]
    )


@every_rendering
def test_connect_four_is_the_same_word_for_word_but_for_the_columns(rendering):
    """Columns are named in the list of all, after "column", and by lines of one digit; all other numbers stay."""
    plain = load("connect_four", rendering=rendering)
    changed = variant(plain, "relabelled(to=g/f/e/d/c/b/a)").game
    names = dict(zip("1234567", "gfedcba", strict=True))
    written = "{}" if rendering == "compact" else "column {}"
    before, old = transcripts(plain, *[written.format(move) for move in STACK])
    after, new = transcripts(changed, *[written.format(names[move]) for move in STACK])
    named = re.compile(r"1 2 3 4 5 6 7|column \d|^\d$", re.MULTILINE)
    expected = [
        named.sub(lambda found: renamed(found[0], names), text).replace(
            "number, 1 to 7 from the left", "name, from the left g f e d c b a"
        )
        for text in before
    ]
    assert after == expected != before
    assert "6 high" in after[0] or "7 columns and 6 rows" in after[0]
    assert new.returns == old.returns == [1.0, -1.0] and str(new.state) == str(old.state)


@every_rendering
@pytest.mark.parametrize("name", ["tictactoe", "connect_four"])
def test_in_the_same_position_the_same_moves_are_legal_in_the_same_order(name, rendering):
    plain = load(name, rendering=rendering)
    changed = variant(plain, "relabelled").game
    first, second = plain.start(0), changed.start(0)
    while first.seat_to_move is not None:
        legal, renamed_legal = first.legal_moves(), second.legal_moves()
        assert len(legal) == len(renamed_legal) and not set(legal) & set(renamed_legal)
        assert second.state.legal_actions() == first.state.legal_actions()
        first.play(legal[-1])
        second.play(renamed_legal[-1])
        assert str(second.state) == str(first.state)
    assert second.seat_to_move is None and second.returns == first.returns
    assert [second.news(seat)[-5:] for seat in (0, 1)] == [first.news(seat)[-5:] for seat in (0, 1)]


def test_names_of_unlike_length_are_drawn_in_columns():
    board = variant(load("tictactoe", rendering="full"), "relabelled(to=nw/north/ne/w/mid/e/sw/s/se)").game
    assert "\n   nw north    ne\n    w   mid     e\n   sw     s    se\n" in board.rules(0, 1)
    columns = variant(load("connect_four", rendering="full"), "relabelled(to=10/20/30/40/50/60/{})").game
    assert "\n10 20 30 40 50 60 {}\n . " in columns.rules(0, 1)
    assert columns.start(0).legal_moves()[-1] == "column {}"


def test_old_names_can_get_new_meanings():
    """The board is mirrored: what was called c1 is called a1."""
    changed = variant(load("tictactoe"), "relabelled(to=c1/b1/a1/c2/b2/a2/c3/b3/a3)").game
    episode = changed.start(0)
    episode.play("a1")
    assert str(episode.state) == "..x\n...\n..."
    assert episode.legal_moves()[0] == "c1"


@pytest.mark.parametrize("name", ["tictactoe", "connect_four"])
def test_opponents_come_along_and_make_the_same_moves(name):
    """They know cells and columns by number. The middle is the fifth cell, the fourth column."""
    plain = load(name)
    relabelled = variant(plain, "relabelled")
    order = "/".join(str(cell) for cell in reversed(range(len(plain.start(0).legal_moves()))))
    for rival in ("greedy(blunder=0.2)", f"preferred_cells(order={order})", "mcts(simulations=10)", "first_legal"):
        named = parse(plain, rival)
        carried = relabelled.opponent(named)
        assert carried == named and behaviour(relabelled.game, carried) == behaviour(plain, named)
    middle, last = {"tictactoe": ("E", "I"), "connect_four": ("D", "G")}[name]
    start = relabelled.game.start(0)
    assert parse(relabelled.game, "greedy(blunder=0.0)").player(relabelled.game, 0).act(start, 0, 0.5) == middle
    assert (
        parse(relabelled.game, f"preferred_cells(order={order})").player(relabelled.game, 0).act(start, 0, 0.5) == last
    )


def test_exact_values_are_those_of_the_game():
    plain = load("tictactoe")
    changed = variant(plain, "relabelled").game
    assert exact.nash_value(changed) == 0.0
    rival = parse(changed, "first_legal")
    assert exact.best_response_value(changed, rival, 1) == exact.best_response_value(plain, rival, 1) == 1.0


def test_what_is_relabelled_can_be_turned_round():
    turned = variant(variant(load("tictactoe"), "relabelled").game, "misere").game
    read, episode = transcripts(turned, "E", "A", "C", "B", "G")
    assert episode.returns == [-1.0, 1.0] and read[0].endswith("G\nlose -1\n")


@every_rendering
def test_rock_paper_scissors_of_pettingzoo_has_other_words_too(rendering):
    plain = load("rps", rendering=rendering)
    changed = variant(plain, "relabelled").game
    names = {"rock": "A", "paper": "B", "scissors": "C"}
    moves = ("rock", "paper", "scissors", "scissors") * 3
    before, old = transcripts(plain, *moves)
    after, new = transcripts(changed, *[names[move] for move in moves])
    assert after == [renamed(text, names) for text in before] != before
    assert new.history == old.history and new.returns == old.returns == [-3.0, 3.0]
    assert not has_chance(changed)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("tictactoe", "relabelled(to=A/B/C)", "got 3 names in to=A/B/C for the 9 moves of tictactoe"),
        ("tictactoe", "relabelled(to=A/B/C/D/E/F/G/H/A)", "all different"),
        ("tictactoe", f"relabelled(to={'/'.join(CELLS)})", "which changes nothing"),
        ("tictactoe", "relabelled(to=A/B/C/D/E/F/G/H/x)", "got the name 'x' in to=.* none of . X O, which stand"),
        ("connect_four", "relabelled(to=A/B/C/D/E/F/the last)", "expected words without spaces"),
        ("connect_four", "relabelled(to=A/B/C/D/E/F/)", "got the name '' in"),
        ("rps", "relabelled(to=A/B/the C)", r"without spaces or any of \(\),=: write another"),
        ("chess", "relabelled", "the variant relabelled of chess, .* none of tictactoe, connect_four, rps .* game$"),
        ("kuhn_poker", "relabelled", "the variant relabelled of openspiel:kuhn_poker, .* choose one of misere, game"),
    ],
)  # fmt: skip
def test_names_that_can_t_be_read_are_refused_in_one_sentence(name, text, message):
    with pytest.raises(RequestError, match=message) as caught:
        variant(load(name), text)
    assert "\n" not in str(caught.value)
