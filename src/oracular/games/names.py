"""The games that can be played, by name: each family's rules in a file of its own.

A name is read as people write it: capitals, spaces and missing hyphens are forgiven where only one game can be meant
(`JOTTO-3`, `jotto5`, `Mastermind 4 x 6`). A family's name alone is the game of it that most people know. A slip of the
pen is not forgiven (`wordl`): the error then says which game may have been meant. Behind any name a rule of guessing
may stand (`jotto-5-possible`, `wordle-hard`; see `guessing.py`).
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import product
from pathlib import Path
from types import MappingProxyType

from oracular.errors import OracularError, UnknownGameError, WordListError, WordListWarning
from oracular.games.codes import bulls_and_cows, mastermind
from oracular.games.game import Game, Words
from oracular.games.guessing import ONLY_POSSIBLE, RULES, RuleName
from oracular.games.jotto import CommonLetters, jotto, jotto_rules, variant_name
from oracular.games.offensive import inoffensive
from oracular.games.wordle import DEFAULT_LETTERS, Colours, hard_mode, wordle
from oracular.games.words import LONGEST_EXAMPLE, WordList, examples_of, read_word_list, word_list_of
from oracular.system.checking import checked
from oracular.system.files import counted, cut, quoted

OTHER_LENGTH, REPEATED, ANAGRAM = "of another length", "with a repeated letter", "with an anagram in it"


def made_of_lists(
    name: str, make: Callable[[str, Mapping[str, Words]], Game], variant: str, lists: Mapping[str, WordList]
) -> Game:
    """Return the game of a name with word lists of one's own; warn of what was left out of them."""
    written = re.match(r"\d+", variant)
    letters = int(written[0]) if written is not None else DEFAULT_LETTERS
    fitting = {key: tuple(word for word in read.words if len(word) == letters) for key, read in lists.items()}
    for key, read in lists.items():
        if not fitting[key]:
            raise WordListError(_no_word_of_length(read, letters))
    try:
        game = make(variant, fitting)
    except WordListError as error:
        raise WordListError(f"{' and '.join(read.source for read in lists.values())}: {error}") from None
    for read in lists.values():
        note = read.note
        if read.is_file and (left_out := _left_out(game, read.words, letters)):
            note = f"{note or f'{read.source}:'}{';' * bool(note)} for {name} left out {left_out}"
        if note:
            warnings.warn(note, WordListWarning, stacklevel=3)
    return game


def _no_word_of_length(read: WordList, letters: int) -> str:
    """Return the sentence for a list that has no word of a game's length."""
    lengths = sorted({len(word) for word in read.words})
    have = f"{lengths[0]} to {lengths[-1]} letters" if len(lengths) > 1 else counted(lengths[0], "letter")
    theirs = f"its {len(read.words):,} words have" if len(read.words) > 1 else "its only word has"
    return (
        f"{read.source} has no word of {counted(letters, 'letter')}: {theirs} {have}, so choose another length or list"
    )


def _left_out(game: Game, words: Words, letters: int) -> str:
    """Return how many words of a sorted list are of no use in a game and why, with examples; empty where all are."""
    kinds: dict[str, list[str]] = {OTHER_LENGTH: [], REPEATED: [], ANAGRAM: []}
    taken = set(game.guesses)
    for word in words:
        if word in taken:
            continue
        if len(word) != letters:
            kinds[OTHER_LENGTH].append(cut(word, LONGEST_EXAMPLE))
        else:
            repeats = isinstance(game.rules, CommonLetters) and not game.rules.repeats and len(set(word)) < letters
            kinds[REPEATED if repeats else ANAGRAM].append(word)
    return ", ".join(
        f"{len(found):,} {kind} ({examples_of(inoffensive(found), len(found))})"
        for kind, found in kinds.items()
        if found
    )


WordSource = str | Path | Iterable[str] | WordList
"""A word file's path, or the words themselves."""

FAMILIES: dict[str, Callable[[str, Mapping[str, Words]], Game]] = {
    "jotto": jotto,
    "mastermind": mastermind,
    "bulls": bulls_and_cows,
    "wordle": wordle,
}
LISTS = {"jotto": {"words"}, "mastermind": set(), "bulls": set(), "wordle": {"secrets", "guesses"}}
"""Which word lists of one's own each family takes."""

EXAMPLES = (
    "jotto-5-repeats-anagrams-familiar",
    "jotto-2",
    "jotto-3",
    "jotto-4",
    "jotto-5",
    "jotto-5-familiar",
    "jotto-5-repeats",
    "jotto-5-anagrams",
    "jotto-5-repeats-anagrams",
    "wordle",
    "wordle-hard",
    "wordle-twl06",
    "mastermind-4x6",
    "bulls-4x10",
)

EVERYDAY = {
    "jotto": "jotto-5-repeats-anagrams-familiar",
    "wordle": "wordle",
    "mastermind": "mastermind-4x6",
    "bulls": "bulls-4x10",
}
"""The game of each family that most people know; the first is what a newcomer should play."""

FAMILIAR = "-familiar"
"""What stands in the name of a game in which only words that people know are hidden."""

FREQUENT = "-frequent"
"""What stands there instead if the words are those of the familiar games of earlier versions."""

FORMER_NAMES = {
    ("wordle", "6ffb7ddb8cec4924e69127935a6cb0aa2a60b6e905365492e9a5e40079a87391"): "wordle-twl06",
}
"""What games of another name and the hash of their words are called today: runs on disk keep the name of their time."""

LONGEST_NAME = 60
"""A longer text is not looked at as a name."""

_WORDS = ("repeats", "anagrams", "familiar", "frequent")
_BEHIND = (*_WORDS, "possible", "hard", "mode", "twl06")
"""Every word that may stand behind a family's name."""

_GAP = r"[\s_\-\u2010-\u2014]+"
_JOTTO = re.compile(rf"jotto(\d{{1,2}})((?:{'|'.join(_WORDS)})*)", flags=re.ASCII)
_CODES = re.compile(r"(mastermind|bulls|bullsandcows)(\d{1,2})[x ](\d{1,2})", flags=re.ASCII)
_WORDLE = re.compile(r"(wordle)(twl06|\d?)", flags=re.ASCII)
_RULE = re.compile(r"(.*\w)(possible|hard)(?:mode)?", flags=re.ASCII)


def known_names() -> list[str]:
    """Return the games that have names of their own: every Jotto of two to five letters, and those of `EXAMPLES`.

    After those come the same games with only possible guesses.
    """
    variants = list(product((False, True), repeat=3))
    jottos = [variant_name(letters, *variant) for letters in range(2, 6) for variant in variants]
    names = list(dict.fromkeys([*jottos, *EXAMPLES]))
    return [*names, *(f"{name}-possible" for name in names if split_rule(name)[1] == "any")]


def is_familiar_name(name: str) -> bool:
    """Tell whether only words that people know are hidden in the game of a name."""
    return split_rule(name)[0].endswith((FAMILIAR, FREQUENT))


def frequent_name(name: str) -> str:
    """Return what the familiar game of earlier versions is called today: `jotto-5-frequent` was `jotto-5-familiar`."""
    free, rule = split_rule(name)
    return with_rule(f"{free.removesuffix(FAMILIAR)}{FREQUENT}", rule)


def present_name(name: str, words_sha256: str, lists: Mapping[str, Words] = MappingProxyType({})) -> str:
    """Return what a game that was saved under a name with these words is called today."""
    free = split_rule(name)[0]
    if free.endswith(FAMILIAR) and jotto_rules(free) is not None:  # its words were others in earlier versions
        for known in (name, frequent_name(name)):
            with suppress(OracularError):
                if game(known, **lists).words_sha256 == words_sha256:
                    return known
    return FORMER_NAMES.get((name, words_sha256), name)


def familiar_name(name: str) -> str:
    """Return the name of the same game in which only words that people know are hidden."""
    free, rule = split_rule(canonical_name(name))
    if not free.startswith("jotto-"):
        raise UnknownGameError(
            f"{with_rule(free, rule)} has no variant with familiar words, only Jotto has: leave --familiar out"
        )
    return name if is_familiar_name(free) else with_rule(f"{free}{FAMILIAR}", rule)


def full_name(name: str) -> str:
    """Return the name of the same game in which rare words are hidden too."""
    free, rule = split_rule(name)
    return with_rule(free.removesuffix(FAMILIAR).removesuffix(FREQUENT), rule)


@checked
def game(
    name: str,
    words: WordSource | None = None,
    *,
    secrets: WordSource | None = None,
    guesses: WordSource | None = None,
) -> Game:
    """Return the game of that name, such as `jotto-5`.

    Args:
        name: a family and its variant; `oracular games` lists them. Capitals and missing hyphens are forgiven.
        words: a word file's path, or a list of words, to play Jotto with instead of TWL06.
        secrets: the same for what may be hidden in Wordle.
        guesses: the same for what may be guessed in Wordle besides the secrets, which always may.
    """
    name = canonical_name(name)
    free, rule = split_rule(name)
    family, _, variant = free.partition("-")
    given = {"words": words, "secrets": secrets, "guesses": guesses}
    sources = {key: source for key, source in given.items() if source is not None}
    for key in sorted(sources.keys() - LISTS[family]):  # before any file is read
        takes = sorted(LISTS[family], reverse=True)
        options = f"it takes {' and '.join(takes)} ({', '.join(f'--{other} FILE' for other in takes)})"
        remedy = options if takes else "its codes follow from its name, so leave the list out"
        raise WordListError(f"{name} takes no list of {key}: {remedy}")
    if not sources:
        return ruled(FAMILIES[family](variant, {}), rule)
    read = {key: _read_list(source) for key, source in sources.items()}
    return ruled(made_of_lists(name, FAMILIES[family], variant, read), rule)


def split_rule(name: str) -> tuple[str, RuleName]:
    """Return a game's name without its rule of guessing, and the rule: `wordle-hard` is `wordle` and `hard`."""
    free, _, last = name.rpartition("-")
    for rule in RULES[1:]:
        if free and last == rule:
            return free, rule
    return name, "any"


def with_rule(free: str, rule: RuleName) -> str:
    """Return the name of a game with a rule of guessing: the opposite of `split_rule`."""
    return free if rule == "any" else f"{free}-{rule}"


def ruled(game: Game, rule: RuleName) -> Game:
    """Return a game in which only some guesses are allowed, named so: `wordle-hard`, `jotto-5-possible`."""
    if rule == "any":
        return game
    if rule == "hard" and game.family != "wordle":
        raise UnknownGameError(
            f"{quoted(f'{game.name}-hard')} is not a game: only Wordle has a hard mode, others have "
            f"{quoted(f'{game.name}-possible')}"
        )
    guessing = hard_mode(game) if rule == "hard" else ONLY_POSSIBLE
    rules = game.rules
    if rule == "possible" and isinstance(rules, Colours):
        rules = replace(rules, only_secrets=True)
    return replace(game, name=with_rule(game.name, rule), guessing=guessing, rules=rules)


def canonical_name(name: str) -> str:
    """Return a game's name as games write it, or raise `UnknownGameError` with the game that may have been meant.

    A name that is well formed may still be of a game that cannot be, such as `mastermind-4x0`.
    """
    if (read := _read(name)) is not None:
        return read
    family, variant, meant = _nearest(name)
    if meant is not None:
        raise UnknownGameError(f"{quoted(name)} is not a game: did you mean {quoted(meant)}?", meant)
    if family is not None and (both := _two_rules(name)) is not None:
        either = " or ".join(quoted(one) for one in both)
        raise UnknownGameError(f"{quoted(name)} is not a game: a game has one rule of guessing, so write {either}")
    if family is not None:
        FAMILIES[family](variant, {})  # says how the variants of this family are written
    likes = ", ".join(["jotto-5", *list(EVERYDAY.values())[1:]])
    raise UnknownGameError(f"{quoted(name)} is not a game: choose one like {likes} ('oracular games' lists more)")


def _read(name: str) -> str | None:
    """Return the name that a text stands for, however it is written, or None where it stands for none."""
    if len(name) > LONGEST_NAME or not name.strip()[-1:].isalnum():
        return None
    words = name.strip().lower().replace("×", "x")
    text = re.sub(rf"(?<=[0-9]){_GAP}(?=[0-9])", " ", words)
    text = re.sub(rf"(?<![0-9]){_GAP}|{_GAP}(?![0-9])", "", text)
    if (ruled := _RULE.fullmatch(text)) is not None:
        free = _read(ruled[1])
        return None if free is None or split_rule(free)[1] != "any" else f"{free}-{ruled[2]}"
    if (family := "bulls" if text == "bullsandcows" else text) in EVERYDAY:
        return EVERYDAY[family]
    if (found := _JOTTO.fullmatch(text)) is not None:
        given = re.findall("|".join(_WORDS), found[2])
        if len(set(given)) == len(given) and not found[1].startswith("0") and not {"familiar", "frequent"} <= {*given}:
            return "-".join([f"jotto-{found[1]}", *sorted(given, key=_WORDS.index)])
    if (found := _CODES.fullmatch(text)) is not None:
        return f"{found[1].removesuffix('andcows')}-{int(found[2])}x{int(found[3])}"
    if (found := _WORDLE.fullmatch(text)) is not None:
        return "-".join(part for part in found.groups() if part not in ("", "5"))
    return None


def _nearest(name: str) -> tuple[str | None, str, str | None]:
    """Return the family that a mistyped name belongs to, what follows there, and the game that may be meant.

    The family is None where none is near. The game is None where the family is right and only its variant is not such
    that a few letters would mend it.
    """
    from difflib import get_close_matches

    text = re.sub(rf"^{_GAP}|{_GAP}$", "", name.lower()) if len(name) <= LONGEST_NAME else ""
    text = re.sub(r"^bulls\W*(and|n)?\W*cows?\b", "bulls", text)
    word = re.match(r"[^\W\d_]*", text)
    start = word[0] if word is not None else ""
    near = get_close_matches(start, FAMILIES, n=1, cutoff=0.7)
    if not near:
        return None, "", None
    family = near[0]
    following = re.sub(f"^{_GAP}", "", text[len(start) :])
    if not following:
        return family, "", EVERYDAY[family]
    words = re.split(_GAP, following)
    mended = [
        part for word in words for part in ([word] if word[:1].isdigit() else get_close_matches(word, _BEHIND, n=1))
    ]
    meant = _read("-".join([family, *mended])) if len(mended) == len(words) else None
    return family, following, meant


def _two_rules(name: str) -> list[str] | None:
    """Return the games that a name with two rules of guessing may mean, one of either; None for any other name."""
    match = re.fullmatch(rf"(.*?\w){_GAP}(hard|possible){_GAP}(hard|possible)", name.strip().lower(), flags=re.ASCII)
    free = None if match is None else _read(match[1])
    if match is None or free is None:
        return None
    hard = free.startswith("wordle")  # no other game has a hard mode
    return list(dict.fromkeys(f"{free}-{rule}" for rule in match.groups()[1:] if hard or rule == "possible"))


def _read_list(source: WordSource) -> WordList:
    """Return the words of a file or a list, and what was left out of it."""
    if isinstance(source, WordList):  # it was read before
        return source
    return read_word_list(Path(source)) if isinstance(source, str | Path) else word_list_of(source)
