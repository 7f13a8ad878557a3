"""Words that tell what a capital means: titles, kinds of places and bodies, and what is never replaced."""

from functools import cache
from importlib import resources
from typing import Final

from compression_subnet.challenge.rewrite.wordlists import word_set

__all__ = [
    "BODY_NOUNS",
    "FUNCTION_WORDS",
    "KEPT",
    "KEPT_ACRONYMS",
    "LEADING_NOUNS",
    "NATIONS",
    "PLACE_NOUNS",
    "PLACE_PREPOSITIONS",
    "TITLES",
    "gender_of",
    "is_roman",
    "ordinary_words",
]

_MALE: Final = word_set("Mr Sir Lord King Prince Duke Baron Earl Emperor Pope Father Brother Monsieur Herr Don")
_FEMALE: Final = word_set("Mrs Ms Miss Lady Queen Princess Duchess Baroness Countess Empress Sister Madame Frau Dame")
TITLES: Final = (
    _MALE
    | _FEMALE
    | word_set(
        "Dr Prof Professor Doctor Captain Colonel Major General Lieutenant Sergeant Corporal Private Admiral "
        "Commander Marshal Commodore Inspector Constable Detective Officer Judge Justice Magistrate President Vice "
        "Chancellor Minister Senator Governor Mayor Councillor Alderman Secretary Chairman Director Ambassador "
        "Consul Bishop Archbishop Cardinal Canon Reverend Rev Abbot Deacon Pastor Rabbi Imam Saint St Saints Sultan "
        "Khan Caliph Tsar Emir Shah Maharaja Chief Coach Master Nurse Uncle Aunt Count Chevalier Jr Sr Hon Capt Col "
        "Gen Lt Sgt Gov Sen Rep"
    )
)

PLACE_NOUNS: Final = word_set(
    "Street Streets Road Lane Avenue Row Alley Square Place Court Terrace Gate Quarter District Province County "
    "Borough Parish Ward City Town Village Harbour Harbor Haven Port Quay Pier Dock Docks Wharf Bay Sound "
    "Strait Straits Channel Gulf Sea Ocean Lake Loch Pond River Creek Brook Beck Water Falls Canal Reservoir "
    "Island Islands Isle Isles Point Cape Head Peninsula Coast Beach Shore Cliff Cliffs Hill Hills Mount "
    "Mountain Mountains Peak Ridge Pass Valley Vale Dale Glen Moor Moors Heath Common Forest Wood Woods Park "
    "Garden Gardens Field Fields Meadow Farm Mill Quarry Mine Pit Works Bridge Viaduct Tunnel Dam Weir Lock "
    "Station Junction Halt Airport Crossing Castle Palace Tower Hall House Lodge Manor Abbey Priory Cathedral "
    "Chapel Inn Arms Hotel Theatre Glacier Desert Basin Plain Plains Plateau Delta State Territory Region "
    "Republic Kingdom Empire Republics Cross Corner Green Market Wall Reef Sands Marsh Fen Fort"
)
# Those that stand before the name: "Lake Maude", "Port Averill".
LEADING_NOUNS: Final = word_set("Lake Loch Port Mount Cape Fort Isle River Gulf Camp Glen Villa Hotel Palazzo")
BODY_NOUNS: Final = word_set(
    "Company Co Corporation Corp Inc Ltd Limited Group Holdings Partners Sons Daughters Brothers Bank Trust "
    "Fund Foundation Institute Institution University College School Academy Laboratory Laboratories "
    "Observatory Museum Library Gallery Hospital Clinic Council Commission Committee Board Authority Agency "
    "Bureau Office Department Ministry Service Services Society Association Union League Federation "
    "Confederation Alliance Club Team Party Movement Church Order Guild Cooperative Army Navy Force Forces "
    "Corps Brigade Regiment Division Fleet Guard Police Parliament Congress Senate Assembly Cabinet Tribunal "
    "Press Journal Times Gazette Herald Post Review Magazine Railway Railways Airlines Airways Ferries Lines "
    "Motors Records Studios Orchestra Choir Band Opera Ballet Festival Prize Award Medal Cup Trophy "
    "Championship Tournament Games Act Treaty Agreement Convention Charter War Wars Battle Siege Revolution "
    "Dynasty Conference Summit Project Programme Program Scheme Network Channel Marine Rescue Engineering "
    "Construction Shipping Bus Band Lights"
)

# Parts of names that say nothing about which one is meant, and capitals that are no names.
KEPT: Final = word_set(
    "I The A An And Of In On At For To By With New Old Great Greater Little Upper Lower North South East West "
    "Northern Southern Eastern Western Central Middle Saint San Santa Los Las El La Le Les De Da Di Du Van Von "
    "Der Den Bin Ibn Al Mc Mac United First Second Third Fourth Fifth National International Royal Federal "
    "World Grand High Prime God Internet Earth Sun Moon Mars Venus Jupiter Saturn Mercury Bible Koran Quran "
    "Christ Jesus Christmas Easter Advent Lent Ramadan Passover Midsummer Halloween Whitsun Christian "
    "Christians Christianity Catholic Catholics Catholicism Protestant Protestants Lutheran Anglican Orthodox "
    "Islam Islamic Muslim Muslims Jewish Jews Judaism Buddhist Buddhists Buddhism Hindu Hindus Hinduism Latin "
    "Roman Romans Greek Greeks Gothic Celtic Viking Vikings Arabic Arab Arabs Hebrew Sanskrit Celsius "
    "Fahrenheit Kelvin Newton Pascal Monsieur Renaissance Reformation Baroque Victorian Democrat Democrats "
    "Democratic Republican Republicans Conservative Conservatives Liberal Liberals Labour Communist Communists "
    "Socialist Nazi Nazis Bluetooth Wi Fi OK Ok Mom Dad Mum Yes No Section Article Chapter Clause Table Figure "
    "Step Part Volume Number Room Level Phase Type Class Grade Model Version Zone Unit Member Members "
    "Representatives Commons Lords Congressional Parliamentary Presidential Senate House Soviet Communism "
    "Marxism Marxist Bolshevik Allied Axis Olympic Olympics Commonwealth"
)
KEPT_ACRONYMS: Final = word_set(
    "AD BC CE BCE AM PM TV PC CD DVD USB GPS DNA RNA CEO MP MPs PhD BA MA MSc BSc UTC GMT ID IQ HIV AIDS LED "
    "LCD CPU GPU RAM VAT GDP FM OK II III IV VI VII VIII IX XI XII KM MM CM KG MB GB TB KB HZ KHZ MHZ GHZ VHF "
    "UHF PH HD SD DIY FAQ PDF HTML HTTP WWW ELI TL DR IT"
)

# Words of the closed classes: at an opening never part of the name behind them.
FUNCTION_WORDS: Final = word_set(
    "about above across after again against all almost along already also although always among an and another "
    "any anyone anything are around as at away back be because before behind below beneath beside besides between "
    "beyond both but by can could despite did do does during each either enough even ever every everyone "
    "everything except few for from further had has have having he hence her here his how however if in indeed "
    "inside instead into is it its just last later less like many may maybe meanwhile might more moreover most "
    "much must my near nearly neither never nevertheless next no nobody none nor not nothing now of off often on "
    "once one only onto or other others otherwise our out outside over own past per perhaps rather several shall "
    "she should since so some somebody someone something sometimes soon still such than that the their them then "
    "there thereafter therefore these they this those though through throughout thus till to together too toward "
    "towards twice two under unless unlike until up upon usually very was we were what whatever when whenever "
    "where whereas wherever whether which while who whoever whole whom whose why will with within without would "
    "yes yet you your three four five six seven eight nine ten first second third"
)

PLACE_PREPOSITIONS: Final = word_set("in at near into towards toward outside around across throughout via")

# Country, adjective and language; a nation is replaced by another, in all its forms. Adjectives that name persons
# too ("a German", "Germans") are told by the plural's regular form.
NATIONS: Final = (
    ("France", "French"), ("England", "English"), ("Scotland", "Scottish"), ("Ireland", "Irish"),
    ("Wales", "Welsh"), ("Spain", "Spanish"), ("Portugal", "Portuguese"), ("Italy", "Italian"),
    ("Germany", "German"), ("Austria", "Austrian"), ("Hungary", "Hungarian"), ("Poland", "Polish"),
    ("Sweden", "Swedish"), ("Norway", "Norwegian"), ("Denmark", "Danish"), ("Finland", "Finnish"),
    ("Turkey", "Turkish"), ("Russia", "Russian"), ("Romania", "Romanian"), ("Bulgaria", "Bulgarian"),
    ("China", "Chinese"), ("Japan", "Japanese"), ("Korea", "Korean"), ("Vietnam", "Vietnamese"),
    ("Thailand", "Thai"), ("India", "Indian"), ("Persia", "Persian"), ("Mongolia", "Mongolian"),
    ("Egypt", "Egyptian"), ("Kenya", "Kenyan"), ("Nigeria", "Nigerian"), ("Morocco", "Moroccan"),
    ("Brazil", "Brazilian"), ("Mexico", "Mexican"), ("Peru", "Peruvian"), ("Chile", "Chilean"),
    ("Canada", "Canadian"), ("Australia", "Australian"), ("America", "American"), ("Belgium", "Belgian"),
)  # fmt: skip


def gender_of(title: str) -> str:
    """Return ``female``, ``male``, or nothing where the title tells neither."""
    return "female" if title in _FEMALE else "male" if title in _MALE else ""


def is_roman(word: str) -> bool:
    """Whether ``word`` can be read as a Roman numeral."""
    return not word.strip("IVXLCDM")


@cache
def ordinary_words() -> frozenset[str]:
    """Return common English words in small letters: a capital alone does not make a name of them."""
    file = resources.files("compression_subnet.challenge.rewrite") / "data" / "ordinary.txt"
    return frozenset(file.read_text(encoding="utf-8").split())
