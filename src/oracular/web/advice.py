"""What the library knows, as replies: advice, sheets, reviews, and what is known of a solved game.

Advice is computed on worker threads, once for each game, hider and state, and cached.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from fastapi.concurrency import run_in_threadpool

from oracular.errors import FinishedGameError, HistoryError, InconsistentHistoryError
from oracular.games.game import Game, History
from oracular.games.offensive import inoffensive, is_offensive
from oracular.objectives import objective
from oracular.play.advice import NOT_TO_BE_FIRST, WORDS_SHOWN, advise
from oracular.play.aims import check_aim
from oracular.play.deductions import corrections, sheet, symbols_of, unlisted_words
from oracular.play.duel_review import duel_review_of, winning_chance
from oracular.play.match import Match
from oracular.play.opponent import Opponent
from oracular.play.review import review
from oracular.runs.table import leaderboard
from oracular.strategies.hider import Hider, hider_uniform
from oracular.strategies.race import has_race, load_race
from oracular.strategies.shipped import Shipped, has_shipped, load
from oracular.web.guard import RequestError, Visitor, WorkerPool
from oracular.web.matches import game_card, listed_matchup
from oracular.web.schemas import (
    HIDDEN_SHOWN,
    MAX_TURNS,
    AdviceView,
    BoundsView,
    ChanceView,
    HiddenWord,
    LeaderboardView,
    RaceView,
    ReviewView,
    SheetView,
    SolvedView,
    SuggestRequest,
)

SUGGESTIONS = 10


async def hint(workers: WorkerPool, match: Match, visitor: Visitor) -> AdviceView:
    """Return advice on a match in progress; it follows from the answers alone, whatever the secret is."""
    if match.mode == "hide":
        raise RequestError(409, "you hide in this match and the computer guesses: there is nothing to advise")
    if match.result is not None:
        raise RequestError(409, "the game is over: look at its review")
    opponent, turns = match.main_half
    view = await _advice(workers, opponent, opponent.game.parse_history(turns), _hiding(match), visitor)
    return view.model_copy(update={"note": f"{view.note} {NOT_TO_BE_FIRST}"}) if match.mode == "duel" else view


async def chance(workers: WorkerPool, match: Match, visitor: Visitor) -> ChanceView:
    """Return how likely the person is to win a duel in progress; it follows from what the person may know."""
    if match.mode != "duel":
        raise RequestError(409, "only a duel is won or lost: there is no chance to tell of")
    if match.result is not None:
        raise RequestError(409, "the game is over: look at its review")
    key = ("chance", match.matchup.game.name, match.own, match.starter, match.yours, match.computers)
    return await workers.advise(key, lambda: ChanceView.model_validate(winning_chance(match).to_record()), visitor)


async def suggest(workers: WorkerPool, request: SuggestRequest, visitor: Visitor) -> AdviceView:
    """Return advice on a game that is played elsewhere; raise an error where its answers contradict each other."""
    opponent, turns, finished = await run_in_threadpool(_parse, request)
    game = opponent.game
    if finished:
        word, note = game.guesses[turns[-1][0]], "The game is over: the secret was found."
        return AdviceView(finished=True, left=1, words=[word], objective=request.objective, suggestions=[], note=note)
    check_aim(objective(request.objective, game), len(turns))
    return await _advice(workers, opponent, turns, request.hider, visitor, request.objective)


def prepare(workers: WorkerPool, name: str) -> None:
    """Work out the opening advice of a game, for all who will ask for it."""
    workers.remember((name, "shipped", ()), _compute(listed_matchup(name).hiding, (), "shipped"))


async def _advice(
    workers: WorkerPool, opponent: Opponent, turns: History, hider: str, visitor: Visitor, aim: str = "mean"
) -> AdviceView:
    key: tuple[object, ...] = (opponent.game.name, hider, tuple(sorted(set(turns))))  # their order does not matter
    if aim != "mean":
        key = (*key, aim, len(turns))
    return await workers.advise(key, partial(_compute, opponent, turns, hider, aim), visitor)


def _hiding(match: Match) -> str:
    """Return how the computer hides in a match, as a part of the key of advice."""
    return f"duel that {match.starter} began" if match.mode == "duel" else "shipped"


def _parse(request: SuggestRequest) -> tuple[Opponent, History, bool]:
    """Return the opponent and the history of a request for advice, and whether the game is over.

    If they make no sense, an error is raised.
    """
    opponent = listed_matchup(request.game).hiding
    game, given = opponent.game, request.history
    try:
        turns = game.parse_history(given if isinstance(given, str) else [(turn.guess, turn.answer) for turn in given])
    except HistoryError as error:
        raise RequestError(422, str(error)) from None
    if len(turns) > MAX_TURNS:
        raise RequestError(422, f"history: there are more than {MAX_TURNS} turns: give fewer")
    try:
        game.possible_after(_as_text(game, turns))
    except FinishedGameError:
        return opponent, turns, True
    except InconsistentHistoryError as error:
        if unlisted_words(game, _as_text(game, turns)):
            return opponent, turns, turns[-1][1] == game.found
        wrong = [vars(correction) for correction in corrections(game, _as_text(game, turns))]
        raise RequestError(422, str(error), corrections=wrong) from None
    return opponent, turns, False


def _as_text(game: Game, turns: History) -> list[tuple[str, str]]:
    return [(game.guesses[guess], game.labels[answer]) for guess, answer in turns]


def _compute(opponent: Opponent, turns: History, hider: str, aim: str = "mean") -> AdviceView:
    """Return advice at a state."""
    game = opponent.game
    assumed = hider_uniform(game) if hider == "uniform" else opponent.hider
    advice = advise(game, _as_text(game, turns), assumed, SUGGESTIONS, aim)
    return AdviceView.model_validate(advice.to_record())


def sheet_view(match: Match) -> SheetView:
    """Return what the answers of a match prove of the computer's secret or, where the person hides, of theirs."""
    opponent, turns = match.main_half
    try:
        state = sheet(opponent.game, turns)
    except InconsistentHistoryError:
        return SheetView(left=0, words=[], symbols=dict.fromkeys(symbols_of(opponent.game), "open"))
    return SheetView(left=state.left, words=inoffensive(state.words)[:WORDS_SHOWN], symbols=dict(state.symbols))


def review_view(match: Match) -> ReviewView:
    """Return the review of a finished match: of the person's guesses or, where the person hid, of the computer's."""
    opponent, turns = match.main_half
    result = review(opponent.game, turns, match.secret, opponent.hider, only_allowed=match.mode != "hide")
    duel = duel_review_of(match)
    return ReviewView.model_validate(result.to_record() | {"duel": None if duel is None else duel.to_record()})


def solved_view(name: str) -> SolvedView:
    """Return everything about a game but its leaderboard, which takes long to compute."""
    card = game_card(name)
    if not has_shipped(name):
        return SolvedView(game=card, bounds=None, hider=None, letters=None, history=None, leaderboard=None)
    shipped = load(name)
    weights = shipped.hider.weights[shipped.hider.weights > 0]
    side = "lower" if shipped.made_by.get("solver") == "exact" else "best_response_found"
    history = [{"iteration": int(step), "guarantee": upper, side: hider} for step, upper, hider in shipped.history]
    return SolvedView(
        game=card,
        bounds=_bounds(shipped),
        hider=_likeliest_secrets(shipped.hider),
        equally_likely=len(weights) if (weights == weights[0]).all() else None,
        letters=_letter_probabilities(shipped.hider),
        history=history or None,
        race=_race(name),
        leaderboard=None,
    )


def leaderboard_view(name: str, runs: Path) -> LeaderboardView:
    """Return who beats whom, as floats; a run of the paper's method is included where the folder `runs` has one."""
    table = leaderboard(name, runs, solving=False)
    return LeaderboardView(
        guessers=table.guessers,
        hiders=table.hiders,
        payoffs=[[float(value) for value in row] for row in table.payoffs],
        guarantees=[float(value) for value in table.guarantees],
        guessers_are=[check.words for check in table.uppers],
    )


def _bounds(shipped: Shipped) -> BoundsView:
    """Return the recorded bounds on the value, and how to prove them again."""
    again = f"Recorded with the strategies; 'oracular verify {shipped.game.name}' proves it again."
    if shipped.lower == shipped.recorded_guarantee:
        note = f"The value of the game, in expected guesses: both bounds are equal. {again}"
    else:
        uniform = shipped.best_bound.hider == "uniform"
        whose = f"hides every {shipped.game.noun} with equal chances" if uniform else "plays our strategy"
        note = (
            "Expected guesses: our guesser needs no more than the upper bound whatever is hidden, and no "
            f"guesser needs fewer than the lower bound against a hider who {whose}. {again}"
        )
    return BoundsView(lower=float(shipped.lower), upper=float(shipped.recorded_guarantee), note=note)


def _race(name: str) -> RaceView | None:
    """Return what is recorded of the race of a game; None where no strategies for it come with the package."""
    if not has_race(name):
        return None
    kept = load_race(name).recorded
    return RaceView(
        first_mover_wins=kept.first_mover_wins,
        epsilon_first=kept.epsilon_first,
        epsilon_second=kept.epsilon_second,
        one_sided_epsilon_first=kept.one_sided_epsilon_first,
        one_sided_epsilon_second=kept.one_sided_epsilon_second,
        note="Measured for the blind race, in which neither side watches the other, and no bound: better play may not "
        f"have been found. 'oracular race {name} --show --verify' measures it again.",
    )


def _likeliest_secrets(hider: Hider) -> list[HiddenWord]:
    """Return the likeliest secrets, the likeliest first; those that are never hidden or offend are left out."""
    chances = zip(hider.game.secrets, hider.probabilities.tolist(), strict=True)
    shown = [(word, chance) for word, chance in chances if chance > 0 and not is_offensive(word)]
    ranked = sorted(shown, key=lambda pair: (-pair[1], pair[0]))[:HIDDEN_SHOWN]
    return [HiddenWord(word=word, probability=chance) for word, chance in ranked]


def _letter_probabilities(hider: Hider) -> dict[str, float]:
    """Return how likely each letter is to be in the secret."""
    chances = dict.fromkeys(sorted(set("".join(hider.game.secrets))), 0.0)
    for word, chance in zip(hider.game.secrets, hider.probabilities.tolist(), strict=True):
        for letter in set(word):
            chances[letter] += chance
    return chances
