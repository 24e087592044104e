"""`oracular games` and `show`, what can be played; `suggest` and `review`, advice on what is played elsewhere."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from oracular.cli.arguments import UNIFORM, HistoryCommand, hider_option, history_argument
from oracular.cli.output import (
    familiar_option,
    game_of_options,
    json_option,
    lists_given,
    lists_options,
    print_json,
    print_next,
    print_result,
    print_text,
    result_console,
)
from oracular.report.tables import print_rows
from oracular.system.files import counted, quoted

if TYPE_CHECKING:
    from oracular.games.game import Game, HistoryLike
    from oracular.play.advice import Advice
    from oracular.play.duel_review import DuelReview
    from oracular.play.match import Side
    from oracular.play.review import Review


RULES_IN_WORDS = {
    "hard": "what was revealed must be used (hard mode)",
    "possible": "only what may still be the secret",
}


@click.command(epilog="Example: oracular show jotto-5")
@click.argument("game_name", metavar="GAME")
@lists_options
@json_option
def show(game_name: str, as_json: bool, **lists: Path | None) -> None:
    """Show a game: words, answers, states, opening.

    The opening is the first guess of the benchmark guesser, which is greedy against a uniform hider. Of strategies that
    come with the package the guarantee is worked out again from the trees; their lower bound is the best that their
    file records, whichever hider it comes from.
    """
    import oracular
    from oracular.games.notation import enumerated
    from oracular.games.offensive import inoffensive
    from oracular.strategies.shipped import has_shipped

    game = oracular.game(game_name, **lists)
    opening = game.guesses[oracular.guesser_gbr_uniform(game).guess(game.all_secrets)]
    shipped = oracular.load(game_name) if has_shipped(game_name) and not any(lists.values()) else None
    exponent = len(game.secrets) * math.log10(2)  # a state is a subset of the secrets
    data: dict[str, Any] = {
        "game": game.name,
        "secrets": len(game.secrets),
        "guesses": len(game.guesses),
        "rule_of_guessing": game.guessing.rule,
        "answers": list(game.labels),
        "words_sha256": game.words_sha256,
        "states_log10": exponent,
        "opening": opening,
        "shipped": None,
    }
    pairs = {
        "game": game.name,
        "secrets": _counted_words(game.secrets),
        "guesses": _counted_words(game.guesses if game.guessing.rule != "possible" else game.secrets),
        **({} if game.guessing.is_any else {"rule of guessing": RULES_IN_WORDS[game.guessing.rule]}),
        "answers": f"{enumerated(game.labels, ' ')}; {game.labels[game.found]} ends the game",
        "states": f"about 10^{exponent:.0f}",
        "opening guess": f"{some_words(inoffensive([opening]), 1)} (greedy against a uniform hider)",
        "own lists": ", ".join(f"{name}: {path}" for name, path in lists.items() if path) or "none",
    }
    if shipped is not None:
        lower, upper, hider = float(shipped.lower), float(shipped.guarantee), shipped.best_bound.hider
        data["shipped"] = {
            "guarantee": upper,
            "lower": lower,
            "guarantee_exact": str(shipped.guarantee),
            "lower_exact": str(shipped.lower),
            "guarantee_is": "proved",
            "lower_is": "recorded",
            "lower_hider": hider,
        }
        pairs["shipped"] = (
            f"{lower:.4f} ≤ value ≤ {upper:.4f} (upper bound proved; lower bound from the {hider} hider, recorded: "
            f"'oracular verify {game.name}' proves it again)"
        )
    print_result(as_json, data, {**pairs, "words sha256": game.words_sha256})
    print_next(as_json, "play", game_name, *lists_given(lists))


def _counted_words(words: Sequence[str]) -> str:
    """Return how many words there are, and the first and the last that may be shown."""
    from oracular.games.offensive import inoffensive

    shown = inoffensive(words)
    return f"{len(words):,}" + (f", from {shown[0]} to {shown[-1]}" if shown else "")


RULES = {
    "jotto-N": "N letters, all different, no anagrams in the list",
    "-repeats": "letters may repeat, and count as often",
    "-anagrams": "anagrams allowed; only the word itself is found",
    "-familiar": "hides words that people know; all may be guessed",
    "wordle": "marks for letters in place, elsewhere, or not there",
    "wordle-twl06": "with words of TWL06, the commonest hidden; so is wordle-N",
    "mastermind-PxC": "P pegs of C colours; black and white pegs",
    "bulls-PxD": "P different digits out of D; bulls and cows",
    "-possible": "behind any name: only what may be the secret is guessed",
    "-hard": "behind wordle: what was revealed must be used (hard mode)",
}
"""What the parts of names mean."""


@click.command(epilog="Example: oracular games")
@json_option
def games(as_json: bool) -> None:
    """List the games that can be played."""
    from oracular.games.names import EVERYDAY, EXAMPLES, game

    listed = [game(name) for name in EXAMPLES]
    if as_json:
        print_json(
            [
                {"game": g.name, "secrets": len(g.secrets), "guesses": len(g.guesses), "answers": len(g.labels)}
                for g in listed
            ]
        )
        return
    cells = [[g.name, f"{len(g.secrets):,}", f"{len(g.guesses):,}", f"{len(g.labels)}"] for g in listed]
    rules = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    rules.add_column(no_wrap=True)
    rules.add_column(style="dim")
    for part, meaning in RULES.items():
        rules.add_row(part, meaning)
    console = result_console()
    print_rows(console, ("game",), ("secrets", "guesses", "answers"), cells)
    console.print()
    console.print(rules)
    console.print(
        "\nJotto has the words of TWL06, Wordle the lists of the original game; --words FILE (Jotto), --secrets FILE "
        "and --guesses FILE (Wordle) play with your own.",
        style="dim",
    )
    console.print(f"\nNew here? The Jotto that people know is {EVERYDAY['jotto']}.")
    print_next(as_json, "play", "jotto")


@click.command(
    cls=HistoryCommand, epilog="Example: oracular review jotto-5 giant:2 pecan:2 doyen:2 vixen:5 --secret vixen"
)
@click.argument("game_name", metavar="GAME")
@history_argument(required=True)
@click.option("--secret", required=True, metavar="WORD", help="The secret that was to be found.")
@click.option("--own", metavar="WORD", help="In a duel: the secret that you hid.")
@click.option("--theirs", metavar="HISTORY", help="In a duel: the other side's guesses and answers, in quotes.")
@click.option(
    "--begins", type=click.Choice(["you", "computer"]), help="In a duel: who began [as the numbers of guesses tell]."
)
@hider_option
@familiar_option
@lists_options
@json_option
def review(
    game_name: str,
    history: str,
    secret: str,
    own: str | None,
    theirs: str | None,
    begins: Side | None,
    hider: str,
    familiar: bool,
    as_json: bool,
    **lists: Path | None,
) -> None:
    """Review a game: what each guess cost, and what was luck.

    HISTORY is the guesses and their answers, like giant:2 pecan:2; the game need not be finished. All figures are
    estimates of the number of guesses to the end. With --own and --theirs it is a duel, and your chance to win is
    estimated before and after each guess.
    """
    from oracular.cli.arguments import COMPUTER, named_hider
    from oracular.errors import SettingsError
    from oracular.games.jotto import widened
    from oracular.play.duel_review import duel_review_of, recorded_duel
    from oracular.play.opponent import matchup
    from oracular.play.review import review as review_game

    if (own is None) != (theirs is None) or (begins and own is None):
        raise SettingsError("a duel has two sides: give --own and --theirs, or leave --own, --theirs and --begins out")
    solved = game_of_options(game_name, familiar, lists)
    game = widened(solved)
    duel, assumed = None, named_hider(solved, hider)
    if own is not None and theirs is not None:
        match = recorded_duel(matchup(solved), history, theirs, secret, own, begins)
        duel = duel_review_of(match)
        assumed = match.main_half[0].hider if hider == COMPUTER else assumed
    result = review_game(game, history, secret, assumed)
    if as_json:
        told = {} if duel is None else {"duel": duel.to_record()}
        print_json({"game": game.name, "history": history} | result.to_record() | told)
        return
    if duel is not None:
        print_duel_review(result_console(), duel)
    print_review(result_console(), result)
    print_next(as_json, "play", game.name, *lists_given(lists))


@click.command(cls=HistoryCommand, epilog="Example: oracular suggest jotto-5 giant:2 pecan:3")
@click.argument("game_name", metavar="GAME")
@history_argument()
@hider_option
@click.option(
    "--objective",
    default="mean",
    metavar="mean|within-K|FILE",
    help="What the guesses are for: few of them on average, to find it within K guesses in all, those of the history "
    "counting, or a table of utilities in a file [mean].",
)
@click.option("--count", type=click.IntRange(min=1), default=10, metavar="N", help="Show at most N guesses [10].")
@familiar_option
@lists_options
@json_option
def suggest(
    game_name: str,
    history: str,
    hider: str,
    objective: str,
    count: int,
    familiar: bool,
    as_json: bool,
    **lists: Path | None,
) -> None:
    """Suggest guesses for a game that is played elsewhere.

    HISTORY is the guesses so far and their answers, like giant:2 pecan:3; leave it out for the opening.
    """
    from oracular.cli.arguments import named_hider
    from oracular.errors import FinishedGameError, InconsistentHistoryError
    from oracular.games.jotto import widened
    from oracular.objectives import objective as objective_of
    from oracular.play.advice import advise

    options = [*lists_given(lists), *(["--hider", hider] if hider != UNIFORM else [])]
    aim = ["--objective", objective] if objective != "mean" else []
    solved = game_of_options(game_name, familiar, lists)
    game = widened(solved)
    try:
        advice = advise(game, history, named_hider(solved, hider), count, objective)
    except InconsistentHistoryError:
        check_consistency(game, history)
        raise
    except FinishedGameError as error:
        if as_json:
            named = objective_of(objective, game).name
            print_json({"game": game.name, "history": history, "finished": True, "objective": named, "suggestions": []})
        else:
            print_text(str(error))
            turns = game.format_history(game.parse_history(history)).split()
            found = turns[-1].partition(":")[0]
            if found in game.secrets:
                print_next(as_json, "review", game.name, *turns, "--secret", found, *options)
        return
    if as_json:
        print_json({"game": game.name, "history": history, "finished": False} | advice.to_record())
        return
    print_advice(result_console(), game, history, advice)
    best = advice.suggestions[0]
    answer = max(best.parts, key=lambda label: best.parts[label])
    turns = [*game.format_history(game.parse_history(history)).split(), f"{best.guess}:{answer}"]
    if advice.left == 1 and not advice.unlisted:
        print_next(as_json, "review", game.name, *turns, "--secret", best.guess, *options)
        return
    print_text("\nNext, add your guess with its answer, for example:")
    print_next(as_json, "suggest", game.name, *turns, *options, *aim)


MAX_PARTS = 7
"""In a game with more answers than this, only the number of parts and the largest are shown."""

WORDS_SHOWN = 24

TABLE_WIDTH = 70
"""On a narrower screen a review is printed as lines of text, and advice has fewer columns."""


NO_SINGLE_ONE = "no single one of them explains it"


def some_words(words: Sequence[str], total: int, most: int = WORDS_SHOWN) -> str:
    """Return the first words in one line, and how many more there are of them in total."""
    shown = words[:most]
    if not shown:
        return "not listed, since it may offend" if total == 1 else "not listed, since they may offend"
    more = f" … and {total - len(shown):,} more" if total > len(shown) else ""
    return " ".join(shown) + more


def advice_table(advice: Advice, answers: int, width: int) -> RenderableType:
    """Return a table of the suggestions, and how many secrets each answer would leave where the screen has room."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("guess")
    aims = advice.objective != "mean"
    if aims:
        within = advice.objective.startswith("within-")
        table.add_column(advice.objective.replace("-", " ") if within else "utility", justify="right")
    table.add_column("expected", justify="right")
    table.add_column("may be it")
    wide = width >= TABLE_WIDTH
    if wide:
        table.add_column("what each answer leaves" if answers <= MAX_PARTS else "what the answers leave")
    for suggestion in advice.suggestions:
        if answers <= MAX_PARTS:
            leaves = "  ".join(f"{label}:{count}" for label, count in suggestion.parts.items())
        else:
            leaves = f"{counted(len(suggestion.parts), 'part')}, the largest of {max(suggestion.parts.values()):,}"
        possible = "yes" if suggestion.possible else "no"
        value = (f"{100 * suggestion.value:.2f}%" if within else f"{suggestion.value:.4f}") if aims else ""
        expected = f"{suggestion.expected:.3f}" + " exact" * (suggestion.exact and not advice.exact)
        columns = [suggestion.guess, *([value] if aims else []), expected, possible]
        table.add_row(*columns, *([leaves] if wide else []))
    return table


def review_lines(review: Review) -> RenderableType:
    """Return a review for a narrow screen: one or two lines for each turn."""
    lines = [
        f"{number} {turn.guess} {turn.answer}: expected {turn.expected:.2f}, cost {turn.cost:.2f}, "
        f"luck {turn.luck:+.2f}; best {turn.best} {turn.best_expected:.2f}"
        for number, turn in enumerate(review.turns, start=1)
    ]
    return Text("\n".join(lines))


def review_table(review: Review) -> RenderableType:
    """Return a review as a table with a row for each turn."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("", "guess", "answer", "left", "expected", "best", "its", "cost", "luck"):
        table.add_column(column, justify="left" if column in ("guess", "answer", "best") else "right")
    for number, turn in enumerate(review.turns, start=1):
        table.add_row(
            str(number),
            turn.guess,
            turn.answer,
            f"{turn.left_before:,}",
            f"{turn.expected:.2f}",
            turn.best,
            f"{turn.best_expected:.2f}",
            f"{turn.cost:.2f}",
            f"{turn.luck:+.2f}",
        )
    return table


def review_total(review: Review) -> str:
    """Return the equation that a review satisfies, in words."""
    made = counted(review.guesses, "guess", "guesses")
    to_come = "" if review.finished else f" + {review.to_come:.2f} to come"
    sign, kind = ("-", "good") if review.luck >= 0 else ("+", "bad")
    return (
        f"{made}{to_come} = {review.start:.2f} expected at the start + {review.cost:.2f} given away "
        f"{sign} {abs(review.luck):.2f} {kind} luck"
    )


def check_consistency(game: Game, history: HistoryLike) -> None:
    """Raise `InconsistentHistoryError` where no secret gives all these answers, and name those that may be wrong."""
    from oracular.errors import InconsistentHistoryError
    from oracular.play.deductions import corrections, is_consistent

    if not is_consistent(game, history):
        mended, turns = corrections(game, history), game.parse_history(history)
        if len(turns) == 1 and mended:
            raise InconsistentHistoryError(
                f"no {game.noun} of the list gives the answer {quoted(game.format_history(turns))}: "
                f"it could be {mended[0].choices}"
            )
        found = "; ".join(map(str, mended))
        remedy = f"one of them, changed, makes them agree ({found})" if found else f"{NO_SINGLE_ONE}, so check all"
        raise InconsistentHistoryError(f"the answers contradict each other: {remedy}")


def print_advice(console: Console, game: Game, history: HistoryLike, advice: Advice) -> None:
    """Print advice at a state."""
    written = game.format_history(game.parse_history(history))
    after = f" after {written}" if written else ""
    if advice.unlisted:
        others = counted(advice.left, f"other {game.noun}")
        console.print(Text(f"{game.name}: no secret of the list fits {written}"))
        console.print(Text(f"{others} that may be guessed {'does' if advice.left == 1 else 'do'}:"))
    else:
        console.print(Text(f"{game.name}: {counted(advice.left, game.noun)} left{after}"))
    console.print(Text(some_words(advice.words, advice.left), style="dim"))
    if advice.unlisted:
        console.print(Text("If it is none of these, one of the answers is wrong."))
    console.print(Text(advice.assumption))
    console.print()
    console.print(advice_table(advice, len(game.labels), console.width))
    console.print(Text(f"\n{advice.note}", style="dim"))


def print_duel_review(console: Console, review: DuelReview) -> None:
    """Print the person's chance to win a duel before and after each guess, and the turning point."""
    from oracular.play.duel_review import chance_figure

    made = {"you": 0, "computer": 0}
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("who", "guess", "answer", "before", "after", ""):
        table.add_column(column, justify="right" if column in ("before", "after") else "left")
    for number, turn in enumerate(review.turns):
        made[turn.side] += 1
        who = f"{'you' if turn.side == 'you' else 'computer'} {made[turn.side]}"
        before, after = chance_figure(turn.before), chance_figure(turn.after)
        mark = "turning point" if number == review.turning_point else ""
        table.add_row(who, turn.guess, turn.answer, before, after, mark)
    console.print(Text("Your chance to win, before and after each guess:"))
    console.print(table)
    console.print(Text(review.turning_sentence))
    console.print(Text(f"{review.note}\n", style="dim"))


def print_review(console: Console, review: Review) -> None:
    """Print a review."""
    console.print(review_table(review) if console.width >= TABLE_WIDTH else review_lines(review))
    console.print(Text(review_total(review)))
    console.print(Text("In the lines + is luck that helped: it saved guesses, so the sum takes it off.", style="dim"))
    console.print(Text(review.assumption))
    console.print(Text(f"\n{review.note}", style="dim"))
