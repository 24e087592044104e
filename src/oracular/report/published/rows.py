"""The rows: what was published about which game, where, and how ours is worked out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import get_close_matches
from enum import Enum
from fractions import Fraction

from oracular.errors import SettingsError
from oracular.report.published import sources
from oracular.report.published.sources import Source
from oracular.system.files import quoted


class Quantity(Enum):
    """What a row is about; its value is what people read."""

    MEAN = "least expected guesses, uniform secret"
    WORST = "guesses that always suffice"
    MEAN_OF_WORST = "least expected guesses among trees with the best worst case"
    VALUE = "value of the game, expected guesses"
    HIDER = "what the published hider guarantees"
    GREEDY = "expected guesses of the greedy tree, uniform secret"


@dataclass(frozen=True)
class Row:
    """One published result.

    Attributes:
        name: what picks the row; it begins with the game's name.
        game: the game's name.
        section: the heading of the page that it belongs below.
        quantity: what the figure is.
        published: the figure as a fraction, or None where it was not at hand.
        printed: the figure as it is shown.
        source: where it was published.
        opening: the first guess that the figure is for, if it is for one.
        most_guesses: the limit of guesses that the figure is for, if there is one that the best tree would break.
        out_of: what our fraction is shown over, where that is not its lowest denominator.
        numerator: where only the numerator of the figure is published.
        hider: for `HIDER`, weights by the number of different symbols in a secret.
        is_long: whether it takes minutes or more.
        by_openings: whether all openings are searched at a time, and not all trees by one search.
        differs: what is not the same there and here; such a row is shown, and not compared.
    """

    name: str
    game: str
    section: str
    quantity: Quantity
    published: Fraction | None
    printed: str
    source: Source
    opening: str = ""
    most_guesses: int = 0
    out_of: int = 0
    numerator: int = 0
    hider: tuple[int, ...] = ()
    is_long: bool = False
    by_openings: bool = False
    differs: str = ""

    @property
    def command(self) -> str:
        """The command that works out our figure alone, however long that takes."""
        if self.game.startswith("number-"):
            return f"oracular published {self.game}"
        if self.quantity is Quantity.HIDER or (self.most_guesses and self.by_openings):
            return f"oracular published {self.name}"
        if self.quantity is Quantity.VALUE:
            return f"oracular solve {self.game} --solver exact"
        worst = self.quantity in (Quantity.WORST, Quantity.MEAN_OF_WORST)
        options = [
            *(["--opening", self.opening] if self.opening else []),
            *(["--objective", "worst"] if worst else []),
            *(["--greedy"] if self.quantity is Quantity.GREEDY else []),
            *(["--out", f"runs/{self.game}"] if self.by_openings else []),
        ]
        return " ".join(["oracular respond", self.game, *options])


EXPECTED, WORST, EQUILIBRIA = "Mastermind: expected guesses", "Mastermind: worst case", "Mastermind: equilibria"
BULLS, NUMBER, WORDLE, JOTTO = "Bulls and Cows", "Guess a number", "Wordle", "Jotto"
SECTIONS = (EXPECTED, WORST, EQUILIBRIA, BULLS, NUMBER, WORDLE, JOTTO)


def _mean(game: str, section: str, total: int, out_of: int, source: Source, is_long: bool = False) -> Row:
    """Return the row of an optimum against a uniform secret: so many guesses in all."""
    value, printed = Fraction(total, out_of), f"{total}/{out_of}"
    return Row(f"{game}-mean", game, section, Quantity.MEAN, value, printed, source, out_of=out_of, is_long=is_long)


def _worst(game: str, section: str, guesses: int, source: Source, is_long: bool = False) -> Row:
    """Return the row of a number of guesses that always suffices."""
    return Row(f"{game}-worst", game, section, Quantity.WORST, Fraction(guesses), str(guesses), source, is_long=is_long)


def _value(game: str, section: str, published: Fraction | None, printed: str, source: Source, out_of: int = 0) -> Row:
    """Return the row of an equilibrium."""
    return Row(f"{game}-equilibrium", game, section, Quantity.VALUE, published, printed, source, out_of=out_of)


def two_pegs_total(n: int) -> Fraction:
    """Return the least guesses in all of Mastermind with two pegs and n colours, by the formula of Chen and Lin."""
    return Fraction(8 * n**3 + 51 * n**2 + (-74 * n + 48 if n % 2 == 0 else -80 * n + 69), 24)


def two_places_total(n: int) -> Fraction:
    """Return the least guesses in all of Bulls and Cows with two places and n digits, by their formula."""
    return Fraction(4 * n**3 + 21 * n**2 + (-76 * n + 72 if n % 2 == 0 else -82 * n + 105), 12)


def _mastermind() -> list[Row]:
    """Return the rows of Mastermind."""
    two, koyama = sources.CHEN_LIN_MASTERMIND, sources.KOYAMA_LAI
    rows = [_mean(f"mastermind-2x{n}", EXPECTED, int(two_pegs_total(n)), n * n, two) for n in range(3, 11)]
    rows.append(_mean("mastermind-4x6", EXPECTED, 5625, 1296, koyama))
    limited = "mastermind-4x6-mean-of-worst"
    rows.append(
        Row(
            limited,
            "mastermind-4x6",
            EXPECTED,
            Quantity.MEAN_OF_WORST,
            Fraction(5626, 1296),
            "5626/1296",
            koyama,
            out_of=1296,
        )
    )
    rows.append(
        Row(
            "mastermind-4x7-mean",
            "mastermind-4x7",
            EXPECTED,
            Quantity.MEAN,
            Fraction(11228, 2401),
            "4.676 = 11228/2401",
            sources.VILLE,
            out_of=2401,
            is_long=True,
        )
    )
    rows.append(_mean("mastermind-4x8", EXPECTED, 20471, 4096, sources.ARFST, is_long=True))
    rows += _sizes_of_ville()
    rows += [_worst(f"mastermind-2x{n}", WORST, n // 2 + 2, two) for n in range(2, 11)]
    rows += [_worst(f"mastermind-3x{n}", WORST, (n - 1) // 3 + 4, sources.JAEGER_PECZARSKI) for n in range(5, 8)]
    rows.append(_worst("mastermind-4x6", WORST, 5, sources.KNUTH))
    rows.append(_worst("mastermind-4x7", WORST, 6, sources.ARFST, is_long=True))
    return rows


def _sizes_of_ville() -> list[Row]:
    """Return rows of other sizes of Mastermind; Ville has them, too, but his table was not at hand."""
    rows = []
    for pegs, most in ((3, 8), (4, 5), (5, 4)):
        for colours in range(2, most + 1):
            game = f"mastermind-{pegs}x{colours}"
            name, out_of = f"{game}-mean", colours**pegs
            rows.append(Row(name, game, EXPECTED, Quantity.MEAN, None, "-", sources.VILLE, out_of=out_of))
    return rows


def _equilibria() -> list[Row]:
    """Return the rows of Mastermind between two minds."""
    nash = sources.BONNET_VIENNOT
    sizes = [(2, range(2, 9)), (3, range(2, 7)), (4, range(2, 6))]
    rows = [
        _value(f"mastermind-{pegs}x{colours}", EQUILIBRIA, None, "-", nash) for pegs, some in sizes for colours in some
    ]
    rows.append(_value("mastermind-4x6", EQUILIBRIA, Fraction(5600, 1290), "5600/1290", sources.WIENER, out_of=1290))
    hider = "mastermind-2x3-hider"
    rows.append(Row(hider, "mastermind-2x3", EQUILIBRIA, Quantity.HIDER, None, "the value", nash, hider=(2, 1)))
    return rows


def _bulls() -> list[Row]:
    """Return the rows of Bulls and Cows."""
    two, three = sources.CHEN_LIN_AB, sources.WIDMAN
    rows = [_mean(f"bulls-2x{n}", BULLS, int(two_places_total(n)), n * (n - 1), two) for n in range(2, 11)]
    rows += [_mean("bulls-3x6", BULLS, 436, 120, three), _mean("bulls-3x7", BULLS, 836, 210, three)]
    rows.append(_mean("bulls-4x10", BULLS, 26274, 5040, sources.TANAKA, is_long=True))
    rows += [_worst(f"bulls-2x{n}", BULLS, -(-n // 2) + 1, two) for n in range(2, 11)]
    rows.append(_worst("bulls-4x10", BULLS, 7, sources.SLOVESNOV, is_long=True))
    return rows


HIGH_LOW = (
    "1 3/2 9/5 2 20/9 12/5 23/9 27/10 31/11 35/12 187/62 1461/470 485/152 105/32 64/19 69/20 67/19 18/5 11/3 41/11 "
    "87/23"
).split()
"""A286676 over A286677, from n = 1 on."""
HIGH_LOW_NUMERATORS = (23, 97, 828, 251175, 497650, 1582733, 480083)
"""A286676 from n = 22 on."""


def _numbers() -> list[Row]:
    """Return the rows of the game in which the answer is higher or lower."""
    source = sources.FOKKINK_STASSEN
    rows = [_value(f"number-{n}", NUMBER, Fraction(text), text, source) for n, text in enumerate(HIGH_LOW, 1)]
    for n, numerator in enumerate(HIGH_LOW_NUMERATORS, len(HIGH_LOW) + 1):
        name, printed = f"number-{n}", f"{numerator}/…"
        rows.append(
            Row(f"{name}-equilibrium", name, NUMBER, Quantity.VALUE, None, printed, source, numerator=numerator)
        )
    return rows


def _wordle() -> list[Row]:
    """Return the rows of Wordle: some openings, and the whole game.

    Selby's trees need at most six guesses. Without hard mode that is no restriction: the best trees need no more. In
    hard mode no fewer suffice with these openings: the limit is the best worst case.
    """
    rows = []
    totals = {
        "wordle": {"salet": 7920, "reast": 7923, "crate": 7926, "trace": 7926},
        "wordle-hard": {"salet": 8122, "least": 8127, "reast": 8134},
    }
    for game, openings in totals.items():
        most = 6 if game == "wordle-hard" else 0
        for word, total in openings.items():
            row = _mean(game, WORDLE, total, 2315, sources.SELBY, is_long=True)
            row = replace(row, name=f"{game}-opening-{word}", opening=word)
            if not most:
                rows.append(row)
                continue
            rows.append(replace(row, quantity=Quantity.MEAN_OF_WORST, most_guesses=most))
            rows.append(replace(row, name=f"{row.name}-unlimited", published=None, printed="-"))
        whole = _mean(game, WORDLE, min(openings.values()), 2315, sources.SELBY, is_long=True)
        rows.append(replace(whole, by_openings=True, most_guesses=most))
    return rows


def _jotto() -> list[Row]:
    """Return Norvig's figure for Jotto, which is of another list of words."""
    differs = (
        "Norvig's 2,845 words are from the Stanford GraphBase, one of each set of anagrams; ours are the 2,833 of "
        "TWL06 that have no anagram. The rule is the same, least expected words left, but for ties."
    )
    return [
        Row(
            "jotto-5-greedy",
            "jotto-5",
            JOTTO,
            Quantity.GREEDY,
            Fraction("6.84"),
            "6.84",
            sources.NORVIG,
            out_of=2833,
            differs=differs,
        )
    ]


ROWS = (*_mastermind(), *_equilibria(), *_bulls(), *_numbers(), *_wordle(), *_jotto())
"""All rows, by their sections."""


def listed_openings(row: Row) -> list[str]:
    """Return the openings that have rows of their own, in the same game and with the same limit of guesses."""
    return [
        other.opening
        for other in ROWS
        if other.opening and (other.game, other.most_guesses) == (row.game, row.most_guesses)
    ]


def picked(names: tuple[str, ...], with_long: bool) -> list[Row]:
    """Return the rows that names stand for: a row, a game, or a family of games; without names all, or the quick ones.

    A row that is named is there however long it takes.
    """
    if not names:
        return [row for row in ROWS if with_long or not row.is_long]
    chosen: list[Row] = []
    for name in names:
        text = name.strip().lower()
        found = [row for row in ROWS if row.name == text] or [row for row in ROWS if row.name.startswith(f"{text}-")]
        if not found:
            near = get_close_matches(text, known_names(), n=1)
            remedy = f"did you mean {quoted(near[0])}?" if near else "'oracular published --list' shows them"
            raise SettingsError(f"{quoted(name)} is no row, and no game that has one: {remedy}")
        chosen += [row for row in found if row not in chosen]
    return chosen


def known_names() -> list[str]:
    """Return the names that pick rows: families of games, games, and rows."""
    families = [row.game.split("-")[0] for row in ROWS]
    return list(dict.fromkeys([*families, *(row.game for row in ROWS), *(row.name for row in ROWS)]))
