"""Playing an episode move by move, as most tests of texts do."""

from games.text import Episode


def play(episode: Episode, *moves: str) -> Episode:
    """The episode, after these moves of whoever is to move."""
    for move in moves:
        episode.play(move)
    return episode


def unread(episode: Episode) -> list[str]:
    """What each seat has not read yet, by seat; it is read by this."""
    return [episode.news(seat) for seat in range(len(episode.returns))]


def played(episode: Episode, *moves: str) -> list[str]:
    """What each seat reads after the moves, with what it had not read before them."""
    return unread(play(episode, *moves))
