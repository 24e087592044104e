"""Where published results were published, and what of it was seen."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """A publication.

    Attributes:
        short: author and year, as a table names it.
        full: authors, title, year and where.
        seen: what the figures were taken from, where that was not the whole publication; or what else there is to say.
    """

    short: str
    full: str
    seen: str = ""


KNUTH = Source(
    "Knuth 1976", "D. E. Knuth, *The computer as master mind*, Journal of Recreational Mathematics 9 (1976), 1-6"
)
KOYAMA_LAI = Source(
    "Koyama and Lai 1993",
    "K. Koyama and T. W. Lai, *An optimal Mastermind strategy*, Journal of Recreational Mathematics 25 (1993), 251-256",
)
WIENER = Source(
    "Wiener 1995",
    "M. Wiener, 1995: a program that ran for months",
    "known from later accounts: the codemaker chooses evenly among the 1,290 codes that are not of one colour",
)
TANAKA = Source(
    "Tanaka 1996",
    "K. Tanaka, *The minimum strategy and the strongest strategy of the number guessing game MOO*, third Game "
    "Programming Workshop, Hakone, 1996",
    "from the author's page on it",
)
CHEN_LIN_MASTERMIND = Source(
    "Chen and Lin 2004a",
    "S.-T. Chen and S.-S. Lin, *Optimal algorithms for 2 x n Mastermind games: a graph-partition approach*, The "
    "Computer Journal 47 (2004), 602-611",
    "formulas from the abstract; M. Peczarski closed a gap in their proof (*Algorithm to prove formulas for the "
    "expected number of questions in Mastermind games*, arXiv:1808.03849, 2018)",
)
CHEN_LIN_AB = Source(
    "Chen and Lin 2004b",
    "S.-T. Chen and S.-S. Lin, *Optimal algorithms for 2 x n AB games: a graph-partition approach*, Journal of "
    "Information Science and Engineering 20 (2004), 105-126",
    "formulas from the abstract; the AB game is Bulls and Cows",
)
JAEGER_PECZARSKI = Source(
    "Jäger and Peczarski 2009",
    "G. Jäger and M. Peczarski, *The number of pessimistic guesses in Generalized Mastermind*, Information Processing "
    "Letters 109 (2009)",
    "the theorem for three pegs, as others quote it",
)
WIDMAN = Source(
    "mastermind-strategy 2010",
    "the program mastermind-strategy (github.com/widmaN/mastermind-strategy), its file Results.txt, 2010",
)
FOKKINK_STASSEN = Source(
    "OEIS A286676",
    "R. Fokkink and M. Stassen, *An asymptotic solution of Dresher's guessing game*, Decision and Game Theory for "
    "Security (GameSec), 2011, 104-116; the values are in the On-Line Encyclopedia of Integer Sequences, A286676 over "
    "A286677",
    "the fractions up to n = 21 and the numerators up to 28, from the entry A286676",
)
VILLE = Source(
    "Ville 2013",
    "G. Ville, *An optimal Mastermind (4,7) strategy and more results in the expected case*, arXiv:1305.1010, 2013",
    "the value 4.676 from the abstract; its table for other sizes was not at hand",
)
BONNET_VIENNOT = Source(
    "Bonnet and Viennot 2016",
    "F. Bonnet and S. Viennot, *Nash equilibrium in Mastermind*, Computers and Games (CG 2016), LNCS 10068, Springer",
    "the closest earlier work: equilibria of all sizes up to 4x6. Its table was not at hand, but for the hider of 2x3",
)
SLOVESNOV = Source(
    "Optimal algorithms",
    "*Optimal algorithms for Mastermind and Bulls-Cows games*, an article on the web",
    "from its abstract: six guesses do not always suffice, seven do",
)
NORVIG = Source(
    "Norvig 2020",
    "P. Norvig, *Jotto and Wordle: word guessing games*, notebook jotto.ipynb in github.com/norvig/pytudes, 2020",
    "from the table at its end",
)
ARFST = Source(
    "arfst23/Mastermind",
    "the program github.com/arfst23/Mastermind, its README",
    "it gives 4.99780 guesses, so 20,471 in all",
)
SELBY = Source(
    "Selby 2022",
    "A. Selby, *The best strategies for Wordle*, sonorouschocolate.com, 2022, and github.com/alex1770/wordle",
    "from the files normal.top105.proven and hard.top101.proven",
)

SOURCES = (
    BONNET_VIENNOT, KNUTH, KOYAMA_LAI, WIENER, TANAKA, CHEN_LIN_MASTERMIND, CHEN_LIN_AB, JAEGER_PECZARSKI, WIDMAN,
    FOKKINK_STASSEN, VILLE, SLOVESNOV, NORVIG, ARFST, SELBY,
)  # fmt: skip
