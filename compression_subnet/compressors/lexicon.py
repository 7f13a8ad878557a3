"""Small word lists of our own for texts in English; other languages fall back on the other signs of importance.

All in small letters. A word in none of the lists counts as content.
"""

from typing import Final

__all__ = ["FILLERS", "FREQUENT", "FUNCTION_WORDS", "LINKS", "NEGATIONS", "NUMBER_WORDS", "UNITS"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FILLERS: Final = _words(
    """
    a an the also very quite rather really just even still simply merely actually basically essentially indeed
    moreover furthermore however therefore thus hence additionally generally usually typically often perhaps
    such so
    """
)
"""Words that can go without changing what a sentence says."""

NEGATIONS: Final = _words(
    """
    not no never neither nor none nobody nothing nowhere without cannot can't couldn't didn't doesn't don't hadn't
    hasn't haven't isn't wasn't weren't won't wouldn't shouldn't mustn't needn't aren't ain't unless except hardly
    barely
    """
)
"""Words that turn a statement round: kept with the words about them."""

LINKS: Final = _words("of 's ’s & de von van der la le du del di da al el bin ibn")
"""Words that hold a name or a phrase together."""

NUMBER_WORDS: Final = _words(
    """
    one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion
    trillion dozen half third quarter first second fourth fifth sixth seventh eighth ninth tenth twice once
    percent hundreds thousands millions
    """
)

UNITS: Final = _words(
    """
    % ‰ percent percentage pc mm cm m km nm µm mi mile miles ft foot feet inch inches yard yards mg g kg lb lbs oz
    gram grams kilogram kilograms tonne tonnes ton tons pound pounds ounce ounces ml l litre litres liter liters
    gallon gallons ha acre acres hectare hectares km2 m2 m3 s sec secs ms second seconds min mins minute minutes h hr
    hrs hour hours day days week weeks month months year years decade decades century centuries am pm a.m. p.m. bc ad
    bce ce hz khz mhz ghz v kv w kw mw gw kwh j kj mj n pa kpa mpa bar k c f °c °f kb gb tb mb bit bits byte bytes
    dollar dollars cent cents euro euros yen crown crowns franc francs usd eur gbp degree degrees metre metres meter
    meters kilometre kilometres kilometer kilometers centimetre centimetres millimetre millimetres mph kph knots
    hundred thousand million billion trillion dozen hundreds thousands millions billions people times
    """
)
"""What a number before them counts or measures: kept or dropped with it. In small letters."""

FUNCTION_WORDS: Final = (
    FILLERS
    | NEGATIONS
    | _words(
        """
    about above across after against all along although am among amongst and another any anything are around as at
    away back be became because become been before behind being below beneath beside besides between beyond both
    but by can could did do does doing done down during each either else ever every everything few for from get
    got had has have having he her here hers herself him himself his how i if in inside into is it its it's itself
    let like many may me might mine more most much must my myself near of off on once only onto or other others
    our ours ourselves out outside over own per same shall she should since some something than that their theirs
    them themselves then there these they this those though through throughout till to together too toward towards
    under until up upon us via was we were what whatever when whenever where whereas wherever whether which
    whichever while who whoever whom whose why will with within would yet you your yours yourself yourselves i'm
    i've he's she's that's they're we're you're they've we've you've i'd he'd i'll it'll
    """
    )
)
"""Words that bind a sentence together and are almost never what is asked for."""

FREQUENT: Final = _words(
    """
    able accept according act actually add age ago allow almost alone already always amount anyone appear approach
    area ask available bad base based bear beautiful become began begin believe best better big bit body book bring
    brought build built called came card care carry case cause certain change child children city claim clear close
    come coming common company complete consider considered contain continue control cost country course create
    created current cut day days deal decide describe described despite develop different difficult doing door early
    easy effect either end enjoy enough entire especially example exist expect explain face fact fall family far feel
    felt field figure final find fine follow following food form former found full further future gave general give
    given giving go goes going gone good great group grow guess half hand happen hard hear heard held help high hold
    home hope hour hours house however idea important include included including increase instead interest issue job
    keep kept kind knew know known large largest last late later lead leave led left less let level life light likely
    line list little live local long look looking lost lot love low made main major make makes making man matter mean
    means meet member members men mind minute moment money month months morning move name named nature need needed
    never new next nice night note number of offer old open order original overall paper part particular parts past
    pay people perfect period person piece place plan play point popular position possible power present pretty price
    probably problem process produce product provide provided public put question quickly quite ran read ready real
    reason received recent recommend refer referred related remain reported require required rest result results
    return right role run said say says second see seem seemed seen sent series serve set several short show shows
    side similar single size small something sometimes soon sort sound special stand start started state states stay
    step stop story strong style sure system take taken takes taking talk tell term terms thing things think thought
    time times today told took top total tried true try trying turn turned type understand unit use used useful uses
    using usually value various version view wait want wanted watch water way ways week weeks well went whole wide
    wish woman women word words work worked working works world worth write written wrong year years yes young
    """
)
"""Common verbs, adjectives and general nouns: content, but seldom the answer."""
