"""Names that nobody bears: given names from a list, family and place names joined from parts."""

import random
from collections.abc import Callable, Collection, Sequence
from typing import Final

from compression_subnet.challenge.rewrite.wordlists import word_list

__all__ = ["gender_of_name", "invent", "invent_acronym", "invent_code", "is_given_name"]

_FEMALE: Final = word_list(
    "Adela Agatha Alina Amara Annika Astra Avis Beata Bettina Bianca Brenna Brigit Carina Celia Clarice Clara "
    "Cora Corinna Dagmar Delia Diana Edith Elena Elisa Elvira Emilia Enid Erika Estella Eva Fiona Flora Freda "
    "Gemma Gerda Greta Gwenda Hanna Harriet Hedda Helga Hilda Ida Imogen Irene Iris Isabel Ivana Jana Janet "
    "Joanna Julia Karla Katrin Kirsten Lara Laura Lena Leonora Lidia Linda Lisa Lorna Lucinda Luisa Lydia Mabel "
    "Magda Marina Martha Matilda Melissa Mina Mira Monica Muriel Nadia Nancy Nina Nora Olga Olivia Paula Petra "
    "Phoebe Rachel Regina Renata Rita Roberta Rosa Sabina Sandra Selma Serena Sonia Stella Susanna Sylvia "
    "Tamara Tessa Thea Thelma Ursula Valerie Vera Verena Viola Vivian Wanda Wilma Winona Xenia Yolanda Yvette "
    "Zara Zelda"
)
_MALE: Final = word_list(
    "Adam Adrian Alan Albert Alvin Andrew Anton Arthur Basil Benedict Bernard Bruno Caleb Carl Casper Cedric "
    "Clement Clifford Colin Conrad Damian Daniel Darius Dennis Dominic Duncan Edgar Edmund Egon Elias Elmer "
    "Emil Eric Ernest Eugene Felix Ferdinand Fergus Frederick Gareth Gaston Gerald Gilbert Gregor Gustav Harold "
    "Harvey Henrik Herman Horace Hubert Hugo Humphrey Igor Isaac Ivan Jasper Jerome Joel Julian Karl Kenneth "
    "Kurt Lambert Laurence Leon Leonard Leopold Lionel Louis Lucas Magnus Malcolm Marcus Martin Maurice Maxim "
    "Milo Morris Nathan Neil Nicholas Nigel Norbert Norman Oliver Orlando Oscar Oswald Otto Patrick Percy "
    "Philip Quentin Ralph Raymond Reginald Roland Roman Rupert Samuel Sebastian Silas Simon Stefan Sven Theodor "
    "Thomas Timothy Ulrich Valentin Victor Vincent Walter Warren Wendel Werner Wilfrid Xavier Yannick Zachary"
)
_FAMILY_HEADS: Final = word_list(
    "Ald Ash Bar Bell Birk Brad Bran Cald Carl Cor Dal Den Dun El Fair Far Gar Glen Hal Hart Hol Kel Kirk Lang "
    "Lin Mar Mel Nor Oak Pem Pres Rad Ran Red Ros Sel Shel Stan Stir Thorn Tor Wal War Wes Whit Win Wood Tal "
    "Ver Pel Har Hem Lor Mor Bor Tren Cal Fen Gil Hav Kes Lath Mil Nes Rav Sand Tam Vin Wil Yar Bex Cros Dray "
    "Ed Fos Grim Hux Quen Jes Ib Ust"
)
_FAMILY_TAILS: Final = word_list(
    "ley ton ford well by wick worth man land son more den field croft stead mark bury gate er ing low ridge "
    "cott lin ell ett shaw"
)
_PLACE_HEADS: Final = word_list(
    "Alder Bel Birk Brack Bran Cald Cor Dal Dun El Fal Fen Gar Glen Har Hel Hol Il Kar Kel Lan Lor Mar Mel Mor "
    "Nor Or Os Pel Quen Ran Ros Sal Sel Stan Tal Tar Thor Tor Ul Var Ver Wal Wen Win Yar Brin Cres Dren Fur Gul "
    "Hav Jor Kers Lun Mis Nes Pol Rav Sker Trev Vel Wex Im Zel"
)
_PLACE_TAILS: Final = word_list(
    "ham holm mouth stow minster combe dale thorpe wold mere beck fell sund vik borg burg burn wick stead ness "
    "ville bridge ton by den ster eth anna ova ora ina"
)
_CONSONANTS: Final = "BCDFGKLMNPRSTVWZ"
# Plain ones of a single token, for names so well known that the tokenizer has them whole.
_SHORT_FAMILIES: Final = word_list(
    "Ashley Ashton Barton Bradford Bradley Calder Caldwell Carlson Carlton Crosby Dalton Elton Garland Harley "
    "Holden Marley Morton Norman Prescott Preston Shelby Shelton Stanley Stanton Thornton Walton Wesley Weston "
    "Wilson Forrest Gibbs Keller Nolan Osborne Palmer Sawyer Weaver Zimmerman Baxter Briggs Chandler Emerson "
    "Finch Gardner Kemp Lambert Nash Pratt Ross Sloan Tanner Walsh Wyatt Abbott Becker Conrad Drake Elliott "
    "Foster Holt Joyce Knox Lowe Noble Reed Tate Webb Porter Potter Hale Horton Hughes Jensen Klein Larsen "
    "Meyer Mueller Olsen Petersen Quinn Reyes Schmidt Schultz Weber Ramsey Tyler Nelson Mercer Webster Sherman "
    "Spencer Lawson Logan"
)
_SHORT_PLACES: Final = word_list(
    "Clifton Kirby Bolton Burton Carlisle Dover Durham Exeter Fulton Halifax Hampton Hilton Hudson Irving "
    "Kingston Lancaster Lexington Monroe Newport Richmond Salem Sheldon Somerset Stafford Stratford Sutton "
    "Vernon Windsor Arden Avalon Belmont Camden Conway Dayton Eden Essex Hayden Jordan Lowell Madison Norfolk "
    "Quincy Raleigh Trent Verona Aurora Bristol Bergen Leiden Lund Parma Pisa Siena Turin Utrecht Delft Nantes "
    "Dijon Toledo Braga Leeds Derby Cork Perth Ayr Devon Surrey Suffolk Dorset Delphi Sparta Corinth Alba Avon "
    "Bremen Cologne Dresden Essen Mainz Trier Graz Basel Bern Zug Baden Milford Glendale Norton Fairfield "
    "Hartford Milton Stanford Warwick"
)
# So many draws, of which the one closest in length to the original is taken: texts keep their length.
_DRAWS: Final = 4
_TRIES: Final = 400


def gender_of_name(name: str) -> str:
    """Return ``female`` or ``male`` where a given name shows it, else ``given``."""
    if name in _FEMALE or name.endswith(("a", "ette", "elle", "ine", "ys", "beth", "wen", "gard", "ild", "nie")):
        return "female"
    if name in _MALE or name.endswith(
        ("o", "us", "ert", "ard", "old", "ias", "mund", "win", "er", "or", "ck", "rik", "drew", "elm", "wan", "vin")
    ):
        return "male"
    return "given"


def is_given_name(name: str) -> bool:
    """Whether ``name`` is one of the given names known here."""
    return name in _FEMALE or name in _MALE


def invent(
    kind: str, like: str, taken: Collection[str], count: Callable[[str], int], rng: random.Random, initial: str = ""
) -> str:
    """Return an invented name of about as many tokens and characters as ``like``.

    Args:
        kind: ``female``, ``male``, ``given``, ``family`` or ``place``.
        like: the name that it replaces.
        taken: names and words that it must not be, in small letters.
        count: counts tokens.
        rng: source of the choice.
        initial: the letter it should begin with, if any such is free.
    """
    tokens = count(f" {like}")
    draw = _drawer(kind, initial, short=tokens == 1)
    found: list[str] = []
    for _ in range(_TRIES):
        name = draw(rng)
        if name.lower() not in taken:
            found.append(name)
            if len(found) == _DRAWS:
                break
    # A text with more names than the lists have: longer ones are always free.
    while not found:
        name = draw(rng) + rng.choice(_FAMILY_TAILS)
        found = [name] if name.lower() not in taken else []
    return min(found, key=lambda name: (abs(count(f" {name}") - tokens), abs(len(name) - len(like))))


def invent_acronym(like: str, taken: Collection[str], count: Callable[[str], int], rng: random.Random) -> str:
    """Return capitals, as many as ``like`` has, that are not taken (as long as there are any)."""
    drawn = ["".join(rng.choice(_CONSONANTS) for _ in like) for _ in range(_TRIES // 20)]
    free = [acronym for acronym in drawn if acronym.lower() not in taken] or drawn
    return min(free, key=lambda acronym: count(f" {acronym}"))


def invent_code(like: str, taken: Collection[str], rng: random.Random) -> str:
    """Return an identifier of the same shape: a letter for each letter, a digit for each digit."""
    for _ in range(_TRIES):
        code = "".join(
            rng.choice("BCDFGHKLMNPRSTVWXZ")
            if c.isupper()
            else rng.choice("bcdfghkmnprstvwxz")
            if c.islower()
            else rng.choice("123456789")
            if c.isdigit()
            else c
            for c in like
        )
        if code.lower() not in taken:
            break
    return code


def _drawer(kind: str, initial: str, *, short: bool) -> Callable[[random.Random], str]:
    if kind in ("family", "place") and not short:
        heads, tails = (_FAMILY_HEADS, _FAMILY_TAILS) if kind == "family" else (_PLACE_HEADS, _PLACE_TAILS)
        if initial:
            heads = tuple(head for head in heads if head[0] == initial) or heads
        return lambda rng: _join(heads, tails, rng)
    lists = {"female": _FEMALE, "male": _MALE, "family": _SHORT_FAMILIES, "place": _SHORT_PLACES}
    names = lists.get(kind, _FEMALE + _MALE)
    if initial:
        names = tuple(name for name in names if name[0] == initial) or names
    return lambda rng: rng.choice(names)


def _join(heads: Sequence[str], tails: Sequence[str], rng: random.Random) -> str:
    head, tail = rng.choice(heads), rng.choice(tails)
    # "Belley" and "Harring" are fine, "Dalland" and "Fellell" are not.
    while tail[0] == head[-1]:
        tail = rng.choice(tails)
    return head + tail
