"""What a stage has reached, measured on its validation opponents, and whether that passes its gate.

Every draw is keyed by the run's seed and who meets whom, so that measuring changes no training, and the same agents
measured twice give the same figures. Validation in between is here, too. Left out: what follows from a failed gate
(`mage.training`).
"""

from collections.abc import Sequence

from mage import keys
from mage.diagnosis import Attempt, attempt, first_tries
from mage.evaluation import measure, play_trials, report
from mage.evaluation_plan import Arena
from mage.evaluation_pools import OpponentSample, pooled, stratum
from mage.evaluation_samples import Met
from mage.events import Event
from mage.keys import PlayKeys
from mage.session import Session
from mage.stage_records import Figure, Figures, Verdict
from mage.stages import OpenStage
from mage.statistics import RESAMPLES

STREAM = "gate"  # of the draws
TRIALS = 32  # of each learner against each opponent, split over seats, where no gate says how many


def measured(stage: OpenStage, learners: Sequence[str]) -> Figures | None:
    """Return all figures of the learners as they are now, in a stage's settings; None without validation opponents."""
    session = stage.session
    opponents = session.setting.opponents.validation
    if not opponents:
        return None
    trials = stage.plan.gate.trials if stage.plan.gate else TRIALS
    seed = session.config.run.seed
    arena = Arena(session, opponents)
    met = {(learner, one.name): Met(arena, learner, one) for one in opponents for learner in learners}
    attempts: list[Attempt] = []
    for trial in play_trials(arena, learners, trials, session.conditions(PlayKeys(seed, STREAM, 0))):
        met[trial.record.pairing.learner, trial.record.pairing.opponent].add(trial.record)
        attempts.append(attempt(trial.record, None))
    samples = [sample for one in met.values() for sample in one.samples()]
    readable, valid = first_tries(attempts)
    return {**_adaptation(samples, session), "parse_rate": Figure(readable), "valid_move_rate": Figure(valid)}


def judged(stage: OpenStage, figures: Figures | None) -> Verdict | None:
    """Return how a stage's gate comes out; None where it has none. figures: what `measured` returned."""
    gate = stage.plan.gate
    return Verdict(stage.plan.name, gate, figures[gate.metric]) if gate and figures else None


def validation(session: Session, learners: Sequence[str]) -> list[Event]:
    """Return how each learner does against the validation opponents, episode by episode; none without opponents."""
    if not session.setting.opponents.validation:
        return []
    seed = session.config.run.seed
    arena = Arena(session, session.setting.opponents.validation)
    samples = measure(arena, learners, trials=TRIALS, seed=seed, stream="validate")
    agents = report(session, samples, trials=TRIALS, seed=seed)["agents"]
    return [{"type": "validation", "agent": agent["agent"], "episodes": agent["overall"]} for agent in agents]


def _adaptation(samples: Sequence[OpponentSample], session: Session) -> dict[str, Figure]:
    """Return what the returns show; pooled over learners and opponents as an evaluation pools them."""
    span = session.setting.game.utility_range
    rng = keys.generator(session.config.run.seed, "gate-bootstrap")
    pool = pooled([stratum(sample, span, rng, RESAMPLES) for sample in samples])
    last, gain = pool["overall"][-1], pool["gain"]
    return {
        "last_return": Figure(last["mean_return"], last["ci_low"], last["ci_high"]),
        "exploitation": Figure(last["exploitation"], last["exploitation_ci_low"], last["exploitation_ci_high"]),
        "gain": Figure(gain["mean"], gain["ci_low"], gain["ci_high"]),
        "win_rate": Figure(last["win_rate"]),
    }
