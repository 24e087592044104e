"""The bodies of requests and replies, field by field."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from oracular.games.guessing import RuleName
from oracular.games.jotto import JottoRules
from oracular.games.names import LONGEST_NAME
from oracular.play.advice import WORDS_SHOWN, Suggestion
from oracular.play.deductions import Correction, Mark, Told
from oracular.play.duel_review import DuelTurn
from oracular.play.match import Result, Side, Task
from oracular.play.opponent import Mode
from oracular.play.review import ReviewedTurn

LONGEST_WORD = 40
MAX_TURNS = 100
"""How many guesses a match may have, and a history for which advice is wanted."""

HIDDEN_SHOWN = 200
"""How many of the likeliest secrets the page about a solved game lists."""

ShortText = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_WORD)]
Word = Annotated[ShortText, Field(description="A word or code of the game.", examples=["giant"])]
Label = Annotated[ShortText, Field(description="An answer, written as in the game's labels.", examples=["2"])]
Name = Annotated[
    str,
    StringConstraints(min_length=1, max_length=LONGEST_NAME),
    Field(description="The name of a game, as listed at /api/games.", examples=["jotto-5"]),
]


class RequestBody(BaseModel):
    """The body of a request."""

    model_config = ConfigDict(extra="forbid")


class Move(RequestBody):
    """A move; where it has a version, it is made only if the match still has that version."""

    version: int | None = Field(default=None, ge=0, le=2**31, description="The version of the match that was seen.")


class NewMatch(RequestBody):
    """A match to begin: a game and a mode, or the daily game."""

    game: Name | None = None
    mode: Mode | None = Field(default=None, description="Who hides: the computer (guess), you (hide), or both (duel).")
    word: Word | None = Field(default=None, description="Your own secret; in a duel, and only there.")
    begins: Side | None = Field(
        default=None, description="Who has the first turn; in a duel, and only there. Drawn where it is left out."
    )
    daily: bool = Field(default=False, description="The daily game, with neither game nor mode nor word.")

    @model_validator(mode="after")
    def _one_or_the_other(self) -> NewMatch:
        if self.daily and (self.game, self.mode, self.word, self.begins) != (None, None, None, None):
            raise ValueError("the daily game is what it is: give no game, mode, word or beginner with it")
        if not self.daily and (self.game is None or self.mode is None):
            raise ValueError("a match needs a game and a mode: give both, or ask for the daily game")
        if self.begins is not None and self.mode != "duel":
            raise ValueError("only in a duel somebody begins: leave begins out, or play a duel")
        return self


class Guess(Move):
    """A guess at the computer's secret."""

    guess: Word


class Answer(Move):
    """An answer to the computer's guess."""

    answer: Label


class Amendment(Move):
    """Another answer to one of the computer's earlier guesses."""

    turn: int = Field(ge=0, le=10_000, description="Which guess, from 0.")
    answer: Label


class Telling(Move):
    """The word that you had in mind; it need not be in the list."""

    word: Word


class Turn(BaseModel):
    """A guess and its answer."""

    guess: Word
    answer: Label


class SuggestRequest(RequestBody):
    """A game played elsewhere, for which advice is wanted."""

    game: Name
    history: Annotated[str, StringConstraints(max_length=4000)] | Annotated[list[Turn], Field(max_length=MAX_TURNS)] = (
        Field(
            default="",
            description="The guesses so far and their answers, as turns or as text.",
            examples=["giant:2 pecan:3"],
        )
    )
    hider: Literal["shipped", "uniform"] = Field(
        default="uniform", description="The hider that the advice assumes: equal chances, or the shipped strategy."
    )
    objective: Annotated[str, StringConstraints(pattern=r"^(mean|within-[1-9][0-9]?)$")] = Field(
        default="mean",
        description="What the guesses are for: few of them on average, or to find it within so many guesses in all, "
        "those of the history counting.",
        examples=["within-6"],
    )


class GameCard(BaseModel):
    """The description of a game."""

    name: str
    title: str
    family: str = Field(description="jotto, mastermind, bulls or wordle.")
    letters: int = Field(description="How long a word or code is.")
    rows: int | None = Field(description="After how many wrong guesses you have lost, where you guess alone.")
    rules: JottoRules | None = Field(description="Which words may be hidden; in Jotto alone.")
    rule: RuleName = Field(description="Which guesses are allowed: any, those of hard mode, or only possible secrets.")
    free: str = Field(description="The name of the same game in which any guess is allowed.")
    rule_note: str = Field(description="Which guesses are allowed, in a sentence; empty where all are.")
    symbols: list[str]
    labels: list[str] = Field(description="Every answer there can be.")
    found: str = Field(description="The answer that ends the game.")
    secrets: int = Field(description="How many words or codes the computer may hide.")
    guesses: int = Field(description="How many may be guessed.")
    may_hide: int = Field(description="How many you may hide.")
    summary: str = Field(description="What is hidden and what may be guessed, in short.")
    lists: str = Field(description="Which words are in play, in a sentence.")
    reading: str = Field(description="How an answer is read.")
    strategy: dict[Mode, str] = Field(description="What the computer plays in each mode, in sentences.")
    shipped: bool
    familiar: str | None = Field(description="The name of the same game with familiar secrets only.")


class GameList(BaseModel):
    """All games that can be played."""

    games: list[GameCard]


class DailyView(BaseModel):
    """The daily game: the same secret for everybody on one day."""

    date: str = Field(description="The day, in UTC.", examples=["2026-11-16"])
    game: GameCard


class WordView(BaseModel):
    """Whether a word is in the list of a game."""

    word: str
    may_guess: bool
    may_hide: bool
    note: str = Field(description="Why not, and what to do, in a sentence.")


class MatchView(BaseModel):
    """A match as one browser may see it."""

    id: str
    game: str = Field(description="The name of the game; `/api/matches/{match_id}/game` describes it.")
    mode: Mode
    yours: bool = Field(description="Whether this browser may move.")
    to_move: Task | None
    starter: Side | None
    guesses: list[Turn]
    computer: list[Turn]
    pending: str | None = Field(description="The computer's guess that waits for your answer.")
    contradiction: list[Correction]
    unlisted: list[str] = Field(
        description=f"Words that are never hidden but fit all answers, if no secret does; the first {WORDS_SHOWN}."
    )
    result: Result | None
    secret: str | None = Field(description="The computer's secret, once the match is over.")
    own: str | None = Field(
        description="Your secret in a duel, which others see once the match is over, or the word that you told."
    )
    commitment: str | None = Field(
        description="The SHA-256 hash of `opening`, in hexadecimal, from the start on: proof that the computer's "
        "secret does not change. Null if the computer hides nothing, and in matches of earlier versions."
    )
    opening: str | None = Field(
        description="The text that `commitment` is the hash of, once the match is over: a random salt, a space, the "
        "secret."
    )
    told: Told | None = Field(description="Whether the computer could have found the word that was told.")
    daily: str | None = Field(description="The date of the daily game that this is.")
    share: str | None = Field(description="The result as a text to share, once a match in which you guess is over.")
    may_undo: bool = Field(
        description="Whether this browser may take a move back now: not before the first move, not after the end, and "
        "never in the daily game or where rows are limited."
    )
    undone: int
    version: int = Field(description="How many moves were made so far.")


class SheetView(BaseModel):
    """What the answers prove."""

    left: int
    words: list[str] = Field(description=f"The secrets still possible; the first {WORDS_SHOWN}.")
    symbols: dict[str, Mark]


class AdviceView(BaseModel):
    """What to guess next; there are no suggestions where the game is over."""

    finished: bool = Field(default=False, description="Whether the secret has been found.")
    left: int
    words: list[str] = Field(description=f"The secrets still possible; the first {WORDS_SHOWN}.")
    objective: str = Field(default="mean", description="What the guesses are for, as it was asked for.")
    suggestions: list[Suggestion]
    unlisted: bool = Field(
        default=False, description="Whether no secret fits, so that the words left may be guessed but are never hidden."
    )
    assumption: str = Field(default="", description="How the secret is assumed to have been chosen.")
    exact: bool = Field(default=False, description="Whether all values are exact.")
    note: str = Field(description="What the figures mean.")


class ChanceView(BaseModel):
    """How likely you are to win a duel: an estimate, from what you may know alone."""

    chance: float = Field(ge=0, le=1)
    margin: float = Field(ge=0, description="Half a 95% interval of the estimate, which is drawn at random.")
    note: str = Field(description="What the figure means.")


class DuelReviewView(BaseModel):
    """How the chance of the person changed in a duel, guess by guess of both sides."""

    turns: list[DuelTurn]
    turning_point: int | None = Field(
        description="The turn that changed most for the one who won, from 0; null if no single one did."
    )
    turning_sentence: str = Field(description="Which guess that was, in a sentence for the person who played.")
    margin: float = Field(ge=0, description="The largest margin of these chances: half a 95% interval.")
    note: str


class ReviewView(BaseModel):
    """The guesses of a finished match, the computer's where you hid: guesses + to_come = start + cost - luck."""

    turns: list[ReviewedTurn]
    start: float
    cost: float
    luck: float
    guesses: int
    finished: bool = Field(description="Whether the secret was found.")
    to_come: float = Field(description="Guesses that were to come where it was not: an estimate unless few were left.")
    assumption: str = Field(description="How the secret is assumed to have been chosen.")
    note: str
    duel: DuelReviewView | None = Field(default=None, description="The chances in a duel; null in other matches.")


class BoundsView(BaseModel):
    """What is recorded of the value of a game, and how to prove it again."""

    lower: float
    upper: float
    note: str


class HiddenWord(BaseModel):
    """How likely a word is hidden."""

    word: str
    probability: float


class LeaderboardView(BaseModel):
    """Who beats whom, in expected guesses."""

    guessers: list[str]
    hiders: list[str]
    payoffs: list[list[float]] = Field(description="Expected guesses [hiders][guessers].")
    guarantees: list[float] = Field(description="Each guesser's worst case.")
    guessers_are: list[str] = Field(
        description="For each guesser, how far its payoffs and its worst case were computed from its strategy: "
        "`proved` where they are exact but for rounding, otherwise `recorded`, as a file says, and how much of it was "
        "re-checked."
    )


class RaceView(BaseModel):
    """What was measured of the blind race, in which both hide and guess and the first to find wins."""

    first_mover_wins: float = Field(description="How likely whoever begins wins, where both play the race strategies.")
    epsilon_first: float = Field(description="What the best other play found gains whoever begins: no bound.")
    epsilon_second: float = Field(description="The same for the other side.")
    one_sided_epsilon_first: float | None = Field(description="The same where both play the strategies for the mean.")
    one_sided_epsilon_second: float | None
    note: str


class SolvedView(BaseModel):
    """What is known of a solved game; a field is null where the game has nothing of the kind."""

    game: GameCard
    bounds: BoundsView | None
    hider: list[HiddenWord] | None = Field(description=f"The likeliest secrets, at most {HIDDEN_SHOWN}.")
    equally_likely: int | None = Field(
        default=None, description="How many secrets the hider draws from, where all of these are equally likely."
    )
    letters: dict[str, float] | None = Field(description="How likely each letter is in the secret.")
    history: list[dict[str, float]] | None = Field(
        description="How the bounds converged: iteration, best guarantee so far, and the bound of the hider's side."
    )
    race: RaceView | None = None
    leaderboard: LeaderboardView | None
    pending: bool = Field(
        default=False, description="Whether the leaderboard is still being computed: ask again for it."
    )
    trouble: str | None = Field(
        default=None, description="Why there is no leaderboard, where it could not be computed."
    )


class Health(BaseModel):
    """How many matches the server keeps, and whether it has warmed up."""

    matches: int
    most_matches: int
    ready: bool = Field(description="Whether games, compiled code and opening advice are loaded.")


class ErrorView(BaseModel):
    """Why a request was refused, and what to do instead."""

    error: str


class ContradictionView(ErrorView):
    """An error in a history, with the answers that may be the mistake."""

    corrections: list[Correction] = []


ERRORS: dict[int, str] = {
    403: "This browser did not begin the match, or the request comes from another site.",
    404: "There is no such game or match.",
    408: "The body took too long to arrive.",
    409: "This move is not possible now, or another move came first.",
    413: "The body is too long.",
    415: "The body is not marked as JSON.",
    422: "The address or the body is not as described, or a word or an answer does not belong to the game.",
    429: "Too much at once from this browser or address: try again after a while.",
    503: "The server is full or busy, or its database cannot be used: try again after a while.",
}


def error_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the descriptions of these errors for the OpenAPI document of a route."""
    return {status: {"model": ErrorView, "description": ERRORS[status]} for status in statuses}
