"""The page docs/published.md, from the figures: no number of ours in its tables is typed by hand."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from oracular.errors import SettingsError
from oracular.report.published.comparing import Finding, Verdict, verdict
from oracular.report.published.figures import Findings, command, merged, read_figures, written_figures
from oracular.report.published.rows import ROWS, SECTIONS, Row, two_pegs_total
from oracular.report.published.sources import SOURCES
from oracular.report.tables import duration
from oracular.system.files import quoted, write_whole

INTRODUCTION = """\
# Published results, and ours

Whoever looks at a solver wants to know whether it gives what is known. This page has published results about guessing
games, with ours beside them. It is written by `oracular published --write`, from figures that the same command works
out ([published.json](published.json)); do not edit it. Of each published figure it says one of three things:

- **agrees**: our figure is proved, and it is the same.
- **within our bounds**: our search did not end in the time it was given. It has proved that the truth lies between two
  bounds, and the published figure does, too.
- **disagrees**: our figure or our bounds exclude it. The command then ends with exit code 1.

Where a publication has the figure but we have not seen it, ours stands alone and is called so.

```sh
oracular published --list                        # the rows, with their sources
oracular published number-3 mastermind-2x3       # some rows: by their names, or those of games
oracular published                               # all that are quick: a minute or two
oracular published bulls-4x10 --time 60          # a long one, for a minute: what is proved by then
```

`oracular published --time 3600` gives every long row an hour, and with `--write docs/published.md` the page takes what
was found; a row that was searched further before keeps its figure. Each row also has the command that works it out by
itself, with the time that it took where the search did not end. All figures of ours are exact fractions, no float is
compared.
"""

EARLIER_WORK = """\
## The closest earlier work

François Bonnet and Simon Viennot computed equilibria of Mastermind for all sizes up to 4x6 (*Nash equilibrium in
Mastermind*, 2016): games between two minds, as here, and not against a uniform secret. The exact solver here does the
same for any guessing game that is small enough ([how](design.md#how-an-equilibrium-is-proved)), and each of its results
has a [certificate](verify.md) that can be checked by itself.
"""

NOTES = {
    "Mastermind: expected guesses": """\
The formulas of Chen and Lin for two pegs give (8n³ + 51n² − 74n + 48) / 24 guesses in all for an even number n of
colours, and (8n³ + 51n² − 80n + 69) / 24 for an odd one. Their abstract speaks of n ≥ 2; at n = 2 the formula gives
{two} guesses in all for the 4 codes, for which a guess would have to tell all four apart, and none does. So the rows
begin at 3. Of Ville's table we have seen 4x7 alone; ours of the other sizes are there to be compared with it.
""",
    "Mastermind: worst case": """\
For two pegs and n colours ⌊n/2⌋ + 2 guesses are needed and suffice (Chen and Lin), for three pegs and n ≥ 5 colours
⌊(n − 1)/3⌋ + 4 (Jäger and Peczarski).
""",
    "Mastermind: equilibria": """\
The codemaker chooses the code as she likes, and the codebreaker knows how: the value of the game is how many guesses
are needed, on average, if both play perfectly. In a note on 2x3, Bonnet and Viennot give each code of one colour the
probability 1/6 and each other code 1/12; a row says that nobody beats the value against that. The value of 4x6 is the
optimum against a codemaker who never uses a single colour.
""",
    "Bulls and Cows": """\
The formulas of Chen and Lin for two places give (4n³ + 21n² − 76n + 72) / 12 guesses in all for an even number n of
digits, (4n³ + 21n² − 82n + 105) / 12 for an odd one, and a worst case of ⌈n/2⌉ + 1. Symmetries take every secret to
every other, so the optimum against a uniform secret is the value of the game between two minds, too.
""",
    "Guess a number": """\
Somebody hides a number from 1 to n, and says of each guess whether hers is higher or lower: Dresher's guessing game. In
Python it is a few lines ([a game of your own](games.md#any-game-in-which-one-side-guesses)). Of the terms beyond 21 we
have seen the numerators alone.
""",
    "Wordle": """\
The original lists: 2,315 secrets and 12,972 guesses. In hard mode what was revealed must be used. An opening's row is
about the trees that begin with it, the others about all trees. Selby's program looks for trees of at most six guesses.
That changes nothing without hard mode. In hard mode it does: without the limit fewer guesses do on average, and some
secrets then need seven. Both figures are here; that without the limit we have seen nowhere else. With these openings no
fewer than six guesses always suffice, so the figure with the limit is the mean that `--objective worst` gives.
""",
    "Jotto": """\
Not compared, since the words are not the same. {differs}
The figures of the paper that this package began with are in [Results](results.md#the-papers-table-1-and-ours).
""",
}

HEAD = "| game | published | source | ours | proved | verdict | time | command |\n" + "| --- " * 8 + "|\n"


def page(findings: Findings) -> str:
    """Return the text of the page."""
    parts = [INTRODUCTION, _summary(findings), EARLIER_WORK]
    for section in SECTIONS:
        rows = [row for row in ROWS if row.section == section]
        differs = next((row.differs for row in rows if row.differs), "")
        note = NOTES[section].format(two=two_pegs_total(2), differs=differs)
        table = HEAD + "".join(_line(row, findings.get(row.name)) for row in rows)
        parts.append(f"## {section}\n\n{note}\n{table}")
    entries = [f"- **{source.short}**: {source.full}.{_seen(source.seen)}" for source in SOURCES]
    parts.append("## Sources\n\n" + "\n".join(entries) + "\n")
    return "\n".join(parts)


def _seen(text: str) -> str:
    """Return what was seen of a source as a sentence of its own."""
    return f" {text[0].upper()}{text[1:]}." if text else ""


def _summary(findings: Findings) -> str:
    """Return how many rows there are of each verdict, and on what machine."""
    verdicts = [verdict(row, findings[row.name]) for row in ROWS if row.name in findings]
    missing = len(ROWS) - len(verdicts)
    without = f", not run yet {missing}" if missing else ""
    cores = sorted({found.cores for found in findings.values()})
    machine = f" Times are wall-clock times on {' or '.join(map(str, cores))} cores." if cores else ""
    return f"There are {len(ROWS)} rows: {tally(verdicts)}{without}.{machine}\n"


def tally(verdicts: Sequence[Verdict]) -> str:
    """Return how often each verdict was given, in words."""
    return ", ".join(f"{kind.value} {verdicts.count(kind)}" for kind in Verdict if kind in verdicts) or "none run"


def _line(row: Row, found: Finding | None) -> str:
    """Return a row of the page's table."""
    name = f"{row.game}{f', first guess *{row.opening}*' if row.opening else ''}"
    if row.game == "wordle-hard":
        name += f", at most {row.most_guesses} guesses" if row.most_guesses else ", no limit of guesses"
    if row.quantity.name in ("MEAN_OF_WORST", "HIDER", "GREEDY") and not row.most_guesses:
        name += f": {row.quantity.value}"
    elif row.section in ("Bulls and Cows",) and row.quantity.name == "WORST":
        name += ": worst case"
    cells = [name, row.printed, row.source.short]
    if found is None:
        cells += ["", "", "not run yet", ""]
    else:
        said = verdict(row, found).value
        proved = "yes" if found.proved else "no"
        cells += [shown(row, found), proved, f"**{said}**" if said == "disagrees" else said, duration(found.seconds)]
    return f"| {' | '.join([*cells, f'`{command(row, found)}`'])} |\n"


def shown(row: Row, found: Finding) -> str:
    """Return our figure for people: a fraction, with decimals where the published one has some, or the bounds."""
    if found.proved:
        decimals = f"{float(found.lower):.3f} = " if "." in row.printed else ""
        return f"{decimals}{fraction(found.lower, row.out_of)}"
    low, high = (fraction(bound, row.out_of) for bound in (found.lower, found.upper))
    return f"{low} to {high} ({float(found.lower):.4f} to {float(found.upper):.4f})"


def fraction(value: Fraction, out_of: int) -> str:
    """Return a fraction as text, over another denominator than its own if that is given and fits."""
    if out_of and (value * out_of).denominator == 1:
        return f"{value * out_of}/{out_of}"
    return str(value)


def check_place(path: Path) -> None:
    """Raise an error unless the page can be written there, and the figures beside it are some or missing."""
    if path.suffix != ".md" or not path.parent.is_dir() or path.is_dir():
        raise SettingsError(f"{quoted(path)} is no place for the page: give a file .md in a folder that exists")
    read_figures(path.with_suffix(".json"))


def write_page(path: Path, now: Findings) -> dict[str, Finding]:
    """Write the page and the figures beside it, those of before with those of now, and return them."""
    check_place(path)
    beside = path.with_suffix(".json")
    together = merged(read_figures(beside), now)
    write_whole(beside, written_figures(together))
    write_whole(path, page(together).encode())
    return together
