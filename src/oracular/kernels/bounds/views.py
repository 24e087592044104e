"""Views of states: masks of secrets by guess and answer, made from the table of answers or from a larger view.

Of guesses that may not be the secret, those that answer every secret of a state alike are left out of its view, and so
are those that answer all of them as another one does, with a lower number: neither changes any bound.

However a state's view was made, its guesses are tried in the same order: that of their numbers in the game.
"""

from __future__ import annotations

import numpy as np

from oracular.kernels.bounds.tables import LANES, MULTIPLIER, NOTHING
from oracular.kernels.compiling import inner


@inner
def view_of_secrets(board, views, frames, secrets):
    """Make level 0 show a state, given as its secrets in rising order."""
    guesses = board.answers.shape[1]
    size = len(secrets)
    words = (size + 63) >> 6
    _clear(views.raw, (board.count - 1) * words * guesses)
    for place in range(size):
        row = board.answers[secrets[place]]
        bit = np.uint64(1) << np.uint64(place & 63)
        for answer in range(1, board.count):
            begin = ((answer - 1) * words + (place >> 6)) * guesses
            masks = views.raw[begin : begin + guesses]
            for guess in range(guesses):
                masks[guess] |= bit if row[guess] == answer else np.uint64(0)
        views.secrets[0, place] = secrets[place]
        frames.members[place] = board.finder[secrets[place]]
    frames.size[0] = size
    for guess in range(guesses):
        views.rising[0, guess] = guess
    _fill_view(board, views, frames, 0, guesses, views.rising[0], guesses)


@inner
def view_within(board, views, frames, level):
    """Make a level have a view of its own, which shows its state alone and not all of a larger one."""
    above = frames.in_view[level]
    guesses = views.shape[above, 2]
    above_words = views.shape[above, 1]
    size = frames.size[level]
    words = (size + 63) >> 6
    _clear(views.raw, (board.count - 1) * words * guesses)
    place = 0
    for old in range(views.shape[above, 0]):
        from_bit = np.uint64(old & 63)
        if (frames.state[level, old >> 6] >> from_bit) & np.uint64(1) == 0:
            continue
        to_bit = np.uint64(place & 63)
        for answer in range(1, board.count):
            begin = ((answer - 1) * above_words + (old >> 6)) * guesses
            source = views.masks[above, begin : begin + guesses]
            begin = ((answer - 1) * words + (place >> 6)) * guesses
            masks = views.raw[begin : begin + guesses]
            for guess in range(guesses):
                masks[guess] |= ((source[guess] >> from_bit) & np.uint64(1)) << to_bit
        views.secrets[level, place] = views.secrets[above, old]
        frames.members[place] = old
        place += 1
    _fill_view(board, views, frames, level, guesses, views.rising[above], views.shape[above, 3])


@inner
def _clear(raw, count):
    """Set the first so many words to nothing."""
    for place in range(count):
        raw[place] = 0


@inner
def _fill_view(board, views, frames, level, guesses, rising, count):
    """Fill the view of a level from the raw masks of so many guesses; `frames.members` find its secrets.

    The first `count` of `rising` are the guesses in the order of their numbers; the rest fills up.
    """
    size = frames.size[level]
    words = (size + 63) >> 6
    masks_each = (board.count - 1) * words
    for word in range(words):
        left = size - 64 * word
        frames.state[level, word] = ~np.uint64(0) if left >= 64 else (np.uint64(1) << np.uint64(left)) - np.uint64(1)
    _sign_guesses(views, masks_each, guesses)
    for place in range(size):
        views.picked[place] = frames.members[place]
        views.signs[frames.members[place]] = 0
    picked = _pick_others(views, frames.state[level], words, board.count, guesses, size, rising, count)
    padded = (picked + LANES - 1) // LANES * LANES
    masks = views.masks[level]
    for row in range(masks_each):
        begin = row * padded
        for place in range(picked):
            masks[begin + place] = views.raw[row * guesses + views.picked[place]]
        for place in range(picked, padded):
            masks[begin + place] = 0
    views.shape[level, 0] = size
    views.shape[level, 1] = words
    views.shape[level, 2] = padded
    views.shape[level, 3] = picked
    _put_in_order(views, level, picked, guesses, rising, count)
    frames.in_view[level] = level


@inner
def _put_in_order(views, level, picked, guesses, rising, count):
    """List the guesses that were picked for the view of a level in the order of their numbers."""
    places = views.places
    for guess in range(guesses):
        places[guess] = NOTHING
    for place in range(picked):
        places[views.picked[place]] = place
    listed = 0
    for number in range(count):
        place = places[rising[number]]
        if place != NOTHING:
            views.rising[level, listed] = place
            listed += 1


@inner
def _sign_guesses(views, masks_each, guesses):
    """Fill in a hash of every guess's raw masks, never 0."""
    signs = views.signs
    for guess in range(guesses):
        signs[guess] = 0
    for row in range(masks_each):
        masks = views.raw[row * guesses : (row + 1) * guesses]
        for guess in range(guesses):
            sign = (signs[guess] ^ masks[guess]) * MULTIPLIER
            signs[guess] = sign ^ (sign >> np.uint64(32))
    for guess in range(guesses):
        signs[guess] |= np.uint64(1)


@inner
def _pick_others(views, whole, words, answers, guesses, picked, rising, count):
    """Pick guesses worth trying, of those not yet taken (with sign 0), and return how many are picked in all."""
    slots = views.slots
    last = 1
    while last < 2 * guesses:
        last *= 2
    for slot in range(last):
        slots[slot] = -1
    last -= 1
    for number in range(count):
        guess = rising[number]
        sign = views.signs[guess]
        if sign == 0 or not _splits(views.raw, whole, words, answers, guesses, guess):
            continue
        slot = (sign >> np.uint64(20)) & np.uint64(last)
        while slots[slot] >= 0 and not _same(views, (answers - 1) * words, guesses, guess, slots[slot]):
            slot = (slot + np.uint64(1)) & np.uint64(last)
        if slots[slot] < 0:
            slots[slot] = guess
            views.picked[picked] = guess
            picked += 1
    return picked


@inner
def _splits(raw, whole, words, answers, guesses, guess):
    """Tell whether a guess has different answers to the secrets of the whole state."""
    kinds = 0
    for answer in range(1, answers):
        for word in range(words):
            if raw[((answer - 1) * words + word) * guesses + guess] != 0:
                kinds += 1
                break
    if kinds != 1:
        return kinds > 1
    for word in range(words):  # one answer besides the first: is there any secret that gets the first?
        mask = np.uint64(0)
        for answer in range(1, answers):
            mask |= raw[((answer - 1) * words + word) * guesses + guess]
        if mask != whole[word]:
            return True
    return False


@inner
def _same(views, masks_each, guesses, guess, other):
    """Tell whether two guesses have the same raw masks."""
    if views.signs[guess] != views.signs[other]:
        return False
    row = 0
    while row < masks_each and views.raw[row * guesses + guess] == views.raw[row * guesses + other]:
        row += 1
    return row == masks_each
