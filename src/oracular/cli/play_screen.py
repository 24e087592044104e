"""What a match looks like in a terminal: prompts, the sheet, the words left and the result, as lines of text."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, TypeAlias

from rich.text import Text

from oracular.cli.games import NO_SINGLE_ONE, some_words
from oracular.system.files import counted

if TYPE_CHECKING:
    from rich.console import Console

    from oracular.games.game import Game, HistoryLike
    from oracular.play.duel_review import Chance
    from oracular.play.match import Match
    from oracular.play.opponent import Matchup
    from oracular.play.wording import WordCheck


Lines: TypeAlias = "list[str | Text]"

COMMANDS = {
    "hint": "the best guesses here, and how many each should take to the end",
    "sheet": "the guesses so far, and what is certain of each {symbol}",
    "words": "what is still possible",
    "chance": "show or hide your chance to win, after each turn",
    "undo": "take the last move back",
    "change": "change N ANSWER: another answer to the computer's guess N",
    "check": "check {NOUN}: whether a {noun} is in the computer's list",
    "tell": "tell {NOUN}: my {noun} is not in your list; this ends the game",
    "give up": "end the game",
    "help": "this list (or ?)",
    "quit": "leave",
}

HIDING = ("change", "check", "tell")
"""The commands of a person who hides; `hint` is for one who guesses."""

MARK_STYLES = {"in": "green", "out": "dim", "open": ""}
MAX_WORDS = 80
BAR = 10
"""How long the bar of a chance is."""


def commands_of(match: Match) -> list[str]:
    """Return the commands of a way to play; where each guess counts none is taken back."""
    left_out = {"hint"} if match.mode == "hide" else {*HIDING, *(["undo"] if match.guesses_count else [])}
    left_out |= set() if match.mode == "duel" else {"chance"}
    return [name for name in COMMANDS if name not in left_out]


def size_of(game: Game) -> str:
    """Return how long a guess is, in a few words: `5 letters`."""
    size, family = len(game.guesses[0]), game.family
    symbols = sorted({symbol for guess in (game.guesses[0], game.guesses[-1]) for symbol in guess})
    if family == "mastermind":
        return f"{size} colours, {symbols[0]} to {symbols[-1]}"
    if family == "bulls":
        return f"{size} different digits"
    return f"{size} letters"


def answer_example(game: Game) -> str:
    """Return which answers there are, as short as a prompt wants it."""
    from oracular.games.game import WrittenRules

    if isinstance(game.rules, WrittenRules):
        return f"like {game.rules.example}"
    size = len(game.guesses[0])
    return f"0-{size}, or found" if "found" in game.labels else f"0-{size}"


def prompt_of(match: Match) -> str:
    """Return what the person is asked for."""
    if match.to_move == "amend":
        return f"number and answer (like {change_example(match)}), undo, or tell: "
    if match.to_move == "answer":
        return f"your answer to {(match.pending or '').upper()} ({answer_example(match.matchup.guessing.game)}): "
    row = f" {len(match.yours) + 1} of {match.rows}" if match.rows is not None else ""
    return f"your guess{row} ({size_of(match.matchup.game)}): "


def opening_lines(match: Match, again: bool = False) -> Lines:
    """Return which game it is and what the person has to do first; all that is known already is left out."""
    from oracular.play.wording import title_of

    matchup, noun = match.matchup, match.matchup.game.noun
    day = f" of {match.daily}" if match.daily else ""
    lines: Lines = [f"{title_of(matchup.game.name)}{day} ({matchup.game.name})"]
    hidden = f"Hold one of {len(matchup.guessing.game.secrets):,} {noun}s in mind, and answer each guess."
    rows = f" You have {match.rows} guesses." if match.rows is not None else ""
    keeps = " The computer keeps to the rule of guessing." if matchup.rule else ""
    lines.append(f"{hidden}{keeps}" if match.mode == "hide" else f"{matchup.summary}{rows}")
    if match.mode == "duel":
        first = "You begin" if match.starter == "you" else "The computer began"
        lines.append(f"{first}. Whoever finds the other's {noun} first wins at once.")
        lines.append(f"Of your {noun} the computer sees the answers and nothing else.")
    if again:
        return ["", *lines, ""]
    return [*lines, matchup.description(match.mode), *answer_lines(matchup.game), "Type ? for help.", ""]


def answer_lines(game: Game) -> Lines:
    """Return how answers are to be read, with an example."""
    from oracular.play.wording import explained_answer

    example = explained_answer(game)
    return [f"Answers: {game.reading}.", *([example] if example else [])]


def chance_line(chance: Chance, console: Console) -> str:
    """Return the person's chance to win a duel as a line with a bar."""
    from oracular.play.duel_review import chance_figure

    figure, bar = chance_figure(chance.chance), chance_bar(chance.chance, console)
    about = "about " if figure[0].isdigit() else ""
    return f"your chance to win: {about}{figure} {bar}"


def chance_bar(chance: float, console: Console) -> str:
    """Return a chance as a bar, in signs that the terminal can show."""
    filled = round(BAR * chance)
    full, empty = ("#", "-") if console.options.ascii_only else ("█", "░")
    return full * filled + empty * (BAR - filled)


def sheet_lines(match: Match, console: Console) -> Lines:
    """Return the sheet: guesses with answers, what is certain of each letter, how many words are left."""
    from oracular.play.deductions import sheet

    opponent, turns = match.main_half
    game = opponent.game
    if match.mode == "duel":
        lines: Lines = [*_columns(match)]
    else:
        lines = [turn_text(game, number, *turn, console) for number, turn in enumerate(turns, start=1)]
    if match.to_move == "amend":
        return [*lines, "The answers contradict each other: nothing can be deduced from them."]
    known = sheet(game, turns)
    for mark, style in MARK_STYLES.items():
        symbols = [symbol for symbol in known.symbols if known.symbols[symbol] == mark]
        lines.append(Text(f"{mark:>5}: ").append(" ".join(symbols) or "-", style))
    return [*lines, f"{counted(known.left, game.noun)} left."]


def _columns(match: Match) -> list[str]:
    """Return both sides' guesses of a duel, side by side."""
    game = match.matchup.game
    mine, theirs = (
        [f"{guess}  {answer_words(game, answer)}" for guess, answer in turns]
        for turns in (match.yours, match.computers)
    )
    width = max(map(len, ["you", *mine]))
    lines = [f"     {'you':<{width}}   the computer, for {match.own}"]
    for number, (left, right) in enumerate(zip_longest(mine, theirs, fillvalue=""), start=1):
        lines.append(f"{number:>3}  {left:<{width}}   {right}".rstrip())
    return lines


def words_line(game: Game, history: HistoryLike) -> str:
    """Return the words that are still possible, those that offend left out."""
    from oracular.games.offensive import inoffensive

    words = [game.secrets[index] for index in game.possible_after(history, only_allowed=False)]
    return f"{counted(len(words), game.noun)} left: {some_words(inoffensive(words), len(words), MAX_WORDS)}"


def word_line(matchup: Matchup, check: WordCheck) -> str:
    """Return what is to be said of a word: may it be hidden, and if the rules forbid it, which game takes it."""
    from oracular.games.jotto import jotto_rules, variant_name
    from oracular.games.names import split_rule, with_rule

    free, rule = split_rule(matchup.game.name)
    rules = jotto_rules(free)
    if rules is None or not check.broken:
        return check.note()
    repeats, anagrams = rules.repeats or "repeats" in check.broken, rules.anagrams or "anagrams" in check.broken
    return check.note(f"play {with_rule(variant_name(rules.letters, repeats, anagrams, rules.familiar), rule)}")


def contradiction_lines(match: Match) -> Lines:
    """Return a message that the answers contradict each other, which single one may be wrong, and the ways out."""
    found, noun, others = match.contradiction, match.matchup.guessing.game.noun, match.unlisted
    if found:
        heading = f"Your answers contradict each other: no {noun} gives them all. One of these, changed, will do:"
        lines = [f"{c.turn + 1:>3}  {c.guess}  {c.answer}, which could be {c.choices}" for c in found]
        if len(match.computers) == 1:
            heading = f"No {noun} of the list gives this answer:"
    else:
        heading = f"Your answers contradict each other: no {noun} gives them all, and {NO_SINGLE_ONE}."
        lines = [f"{number:>3}  {guess}  {answer}" for number, (guess, answer) in enumerate(match.computers, start=1)]
    if others:
        fit = "this other word does" if len(others) == 1 else "these other words do"
        listed = some_words([word.upper() for word in others], len(others))
        heading = f"No {noun} that the computer hides fits your answers, but {fit}: {listed}"
        lines = ["If one answer is wrong instead:", *lines] if found else []
    return [
        heading,
        *lines,
        f"Type the number and the right answer, like {change_example(match)}, or undo.",
        f"My {noun} is not in your list? Type tell and the {noun}.",
    ]


def change_example(match: Match) -> str:
    """Return how the answer to an earlier guess is changed, such as `2 1`: by one that would do, where it is known."""
    for correction in match.contradiction if match.to_move == "amend" else ():
        return f"{correction.turn + 1} {correction.choices.partition(' ')[0]}"
    game, last = match.matchup.guessing.game, len(match.computers) or 1
    given = match.computers[-1][1] if match.computers else None
    return f"{last} {next(label for label in game.labels if label != given)}"


def result_lines(match: Match) -> Lines:
    """Return how a match ended."""
    rounds, noun = max(len(match.yours), len(match.computers)), match.matchup.game.noun
    guesses = counted(rounds, "guess", "guesses")
    if match.result == "told":
        assert match.told is not None
        lines: Lines = [match.told.note]
        for mistake in match.told.mistakes if len(match.told.mistakes) > 1 else ():
            lines.append(f"{mistake.turn + 1:>3}  {mistake.guess}  {mistake.given}, which should be {mistake.right}")
    elif match.result == "lost":
        lines = [f"Not found in {guesses}: the game is lost."]
    elif match.result == "given up":
        lines = ["The game is given up."]
    elif match.mode == "guess":
        lines = [f"Found in {guesses}."]
    elif match.mode == "hide":
        lines = [f"The computer found {match.computers[-1][0]} in {guesses}."]
    else:
        won, made = match.result == "you", len(match.yours if match.result == "you" else match.computers)
        winner = f"You win: you found its {noun}" if won else f"The computer wins: it found your {noun}"
        lines = [f"{winner} first, in {counted(made, 'guess', 'guesses')}."]
    if match.secret is not None:
        lines.append(f"The computer's {noun} was {match.secret}.")
    if match.undone:
        lines.append(f"Moves taken back: {match.undone}.")
    return lines


def help_lines(match: Match) -> Lines:
    """Return the commands that can be typed, and the answers of the game."""
    game = match.main_half[0].game
    lines: Lines = ["Type an answer, or:" if match.mode == "hide" else f"Type a guess ({size_of(game)}), or:"]
    if match.to_move == "amend":
        lines = [f"Type the number of a guess and its right answer, like {change_example(match)}, or:"]
    noun, symbol = game.noun, {"mastermind": "colour", "bulls": "digit"}.get(game.family, "letter")
    for name in commands_of(match):
        lines.append(f"  {name:<9} {COMMANDS[name].format(noun=noun, NOUN=noun.upper(), symbol=symbol)}")
    both = [name for name in commands_of(match) if match.mode != "hide" and name in game.guesses]
    if both:
        lines.append(f"To guess the word {' or '.join(both)}, type: guess {both[0]}")
    if match.mode == "duel":
        lines.append(f"Whoever finds the other's {noun} first wins at once. Who begins alternates.")
    lines += [match.matchup.rule] if match.matchup.rule else []
    lines += answer_lines(game)
    return [*lines, f"To answer, give {game.ways_to_answer}."] if match.mode == "hide" else lines


TILES = {"g": "bold black on green", "y": "bold black on yellow", "-": "bold white on bright_black"}
PEGS = ("white on red", "black on green", "black on yellow", "white on blue", "white on magenta", "black on cyan")
"""The styles of Mastermind's first colours; further ones are plain."""


def has_colours(console: Console) -> bool:
    """Tell whether a console shows colours."""
    return console.is_terminal and console.color_system is not None and not console.no_color


def answer_words(game: Game, label: str) -> str:
    """Return an answer as people say it: `1 black, 2 white` for `1.2`, other labels as they are."""
    from oracular.games.codes import BlackAndWhite

    if not isinstance(game.rules, BlackAndWhite):
        return label
    counts = [int(count) for count in label.split(".")]
    plural = game.family == "bulls"
    return ", ".join(f"{n} {name}{'s' * (plural and n != 1)}" for n, name in zip(counts, game.rules.names, strict=True))


def turn_text(game: Game, number: int, guess: str, answer: str, console: Console, who: str = "") -> Text:
    """Return one guess and its answer as a line, in colour where the console shows colours."""
    line = Text(f"{number:>3}  ")
    line.append_text(_guess_text(game, guess, answer, has_colours(console)))
    line.append("  ")
    line.append_text(_answer_text(game, answer, console))
    return line.append(f"  ({who})" if who else "")


def _guess_text(game: Game, guess: str, answer: str, colours: bool) -> Text:
    """Return a guess as tiles or pegs; as plain text where there are no colours or the game has none."""
    family, text = game.family, Text()
    if not colours or family not in ("wordle", "mastermind"):
        return Text(guess)
    for place, symbol in enumerate(guess):
        if family == "wordle":
            text.append(f" {symbol.upper()} ", TILES[answer[place]])
        else:
            index = "123456".find(symbol)
            text.append(f" {symbol} ", PEGS[index] if index >= 0 else "")
    return text


def _answer_text(game: Game, answer: str, console: Console) -> Text:
    """Return an answer in words, after Mastermind's black and white pegs where the console can show them."""
    words = Text(answer_words(game, answer))
    if game.family != "mastermind" or not has_colours(console) or console.options.ascii_only:
        return words
    black, white = (int(count) for count in answer.split("."))
    pegs = Text("●" * black + "○" * white + " " * (len(game.secrets[0]) - black - white), "bold")
    return pegs.append("  ").append_text(words)
