"""Write `games/familiar.txt`: the words that the computer hides in a `-familiar` game, before TWL06 is looked at.

    apt-get install scowl wordnet-base
    python tools/make_familiar.py

A word is taken if SCOWL, which sorts English by how well words are known, has it at level 35 or below, or if it has it
at level 60 or below and the original Wordle hid it. Of these are left out: words that were counted fewer than 10,000
times in the trillion words behind `wordsegment`; names that SCOWL lists with a capital and knows better so; inflected
forms of a base word, by the rules and exceptions of WordNet's own lemmatizer; and words that may offend. The words of
two to five letters were then read one by one, which gave the two lists below. Longer words were not read.

Nothing of Wordle's list or of the counts is copied: both only choose among SCOWL's words, whose licence is in
`games/familiar.md`.
"""

from __future__ import annotations

import argparse
import importlib.resources
import re
from importlib.resources import files
from pathlib import Path

from oracular.games.offensive import is_offensive
from oracular.games.words import frequencies

LEVELS = (10, 20, 35, 40, 50, 55, 60)
FAMILIAR_LEVEL = 35
FEWEST_COUNTS = 10_000

REMOVED = """
eh em ho mu pa
cox ifs pap qua sac sic sop wot
alga ayes baud bung burr buts calk cums dike eave eked ekes geld gibe hart hick hims hows jell jibe jute lade lath
mace mads mien poky shes slop ting tong wist wive yous zeta
amity assay augur baler basal betel bezel biddy bitty borax cabby cavil chock clime conic corer covey debar dilly
doled domed dregs dross dully eking elide fagot fanny feted ficus filer flack flied flume gazer halon harry humph
hussy infix kappa karat kneed lipid loamy lumen mammy maria matey meted miked milky minim newsy octal outgo ovate
parer pends piney poesy pokey pubic pupal quoth rares satyr scree sooth sorta sower squib swami swash theta thrum
torus trice tubal tulle twixt umbra unset verso vised warty whats whens wight wrack zonal
"""
"""Words that not every educated speaker knows, or that are inflected forms after all."""

ADDED = """
am as is us
aft aha app awl axe bah bed bio bit bro cud duh emu fax fob koi lay mid nah nix oat orb pee pip pug red ref saw sax
soy sty tad tic tux vim yay yep yum yup zap zit
abut achy ahem aloe ammo anti aqua atop bane beau beep best bevy blah bore born cafe camo carb coda cosy crud cusp
data demo dewy diva dive dolt dork dorm dove euro exec faun faux feed fell felt feta fief flab flan flax frat geek
goth grad grey gyro heft hula hype ibex ibis icky iffy jeep jive jowl kale leer left limo lira lout lube lynx maxi
mayo mead mega meld meme mesa mica midi mini mojo mono murk nave nerd noir obit oink onyx oops pass perm peso ping
pita pith posh prep prof quad rent rose rung sans sass scam seed serf shah shed shot slaw spam spat spec stat suet
sumo swag sync tarp teal tech temp tern tiki tofu tram tutu twit tyke typo vale vamp vest vibe vole weed whey wimp
wino yang yeah yogi yore yule zing
abode admin after aloha amigo amino bebop being bound briar cadre campy cleft clove combo cupid cyber decaf divan
doggy donut doyen drunk dryer emote fiver flyby flyer found fryer futon genus getup gizmo glitz goner guest gulag
haiku henna hertz hubby inner inset intro inure julep kaput kazoo kiddo klutz kooky layer liter liver lotto lower
lupus maven media melee might miser mommy mooch mosey nacho nervy offer oldie outer owner padre pinup potty promo
pylon ramen randy rebar remix saute shill softy sonny soupy splay stent strep synth taupe toner trike upper voila
weepy worse worst wound yahoo yucca yucky yummy zilch zippy
"""
"""Words that the signals miss: better known today than in SCOWL, or base words that look like inflected forms."""

_CAPITALIZED = ("proper-names", "upper")
_ENDINGS = {
    "noun": [("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"),
             ("ies", "y")],
    "verb": [("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")],
    "adj": [("er", ""), ("est", ""), ("er", "e"), ("est", "e"), ("ier", "y"), ("iest", "y")],
}  # fmt: skip
"""How WordNet's lemmatizer (morphy) takes endings off."""
_DOUBLED = {"verb": re.compile(r"(.+?([^aeiou]))\2(?:ed|ing)"), "adj": re.compile(r"(.+?([^aeiou]))\2(?:er|est)")}


def levels(scowl: Path, kinds: tuple[str, ...]) -> dict[str, int]:
    """Return the lowest SCOWL level of each word of some kinds, in English and American spelling."""
    found: dict[str, int] = {}
    for level in reversed(LEVELS):
        for file in (scowl / f"{where}-{kind}.{level}" for where in ("english", "american") for kind in kinds):
            if file.is_file():
                found |= dict.fromkeys(file.read_text(encoding="latin-1").split(), level)
    return found


class Lemmatizer:
    """WordNet's morphy: the base words that a word may be an inflected form of."""

    def __init__(self, wordnet: Path, known: set[str]) -> None:
        self.bases: dict[str, set[str]] = {}
        self.exceptions: dict[str, dict[str, list[str]]] = {}
        for part in _ENDINGS:
            lines = (wordnet / f"index.{part}").read_text(encoding="ascii").splitlines()
            self.bases[part] = {line.split()[0] for line in lines if not line.startswith(" ")} & known
            exceptions = (wordnet / f"{part}.exc").read_text(encoding="ascii").splitlines()
            self.exceptions[part] = {line.split()[0]: line.split()[1:] for line in exceptions}

    def is_inflected(self, word: str) -> bool:
        """Return whether a word is a form of another one that SCOWL knows."""
        for part, endings in _ENDINGS.items():
            stems = [word[: -len(old)] + new for old, new in endings if word.endswith(old)]
            if part in _DOUBLED and (doubled := _DOUBLED[part].fullmatch(word)) is not None:
                stems.append(doubled[1])
            if word in self.exceptions[part] or self.bases[part].intersection(stems) - {word}:
                return True
        return False


def familiar(scowl: Path, wordnet: Path) -> list[str]:
    """Return the familiar words in alphabetical order."""
    level, name_level = levels(scowl, ("words",)), levels(scowl, _CAPITALIZED)
    names = {name.lower(): at for name, at in name_level.items()}
    wordle = set(files("oracular.games").joinpath("wordle_secrets.txt").read_text(encoding="utf-8").split())
    lemmatizer, counts = Lemmatizer(wordnet, set(level)), frequencies()
    removed, added = set(REMOVED.split()), set(ADDED.split())
    taken = {
        word
        for word, at in level.items()
        if re.fullmatch("[a-z]{2,}", word)
        and (at <= FAMILIAR_LEVEL or (word in wordle and at < names.get(word, at + 1)))
        and counts.get(word, 0) >= FEWEST_COUNTS
        and not lemmatizer.is_inflected(word)
    }
    if needless := sorted((removed - taken) | (added & taken) | {word for word in added if is_offensive(word)}):
        raise SystemExit(f"without effect in the lists by hand: {' '.join(needless)}")
    return sorted(word for word in (taken - removed) | added if not is_offensive(word))


def main() -> None:
    """Write the list."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scowl", type=Path, default=Path("/usr/share/dict/scowl"))
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"))
    parser.add_argument(
        "--out", type=Path, default=Path(str(importlib.resources.files("oracular.games"))) / "familiar.txt"
    )
    arguments = parser.parse_args()
    words = familiar(arguments.scowl, arguments.wordnet)
    arguments.out.write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
    print(f"{len(words):,} words in {arguments.out}")


if __name__ == "__main__":
    main()
