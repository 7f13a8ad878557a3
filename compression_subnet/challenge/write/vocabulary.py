"""Our own lists, of which briefs are made: names of nobody, places that are nowhere, kinds and matters of texts.

Everything is invented or common; no list of a third party was used.
"""

from typing import Final

__all__ = [
    "ADJECTIVES", "CAUSES", "CURRENCIES", "FAMILY_ENDINGS", "FAMILY_STEMS", "GENRES", "GIVEN", "INTERVAL_WORDS",
    "MANNERS", "MATERIALS", "MONTHS", "PLACE_ENDINGS", "PLACE_STEMS", "SETTINGS", "TRADES", "phrases",
]  # fmt: skip


def _words(lines: str) -> tuple[str, ...]:
    return tuple(lines.split())


def phrases(lines: str) -> tuple[str, ...]:
    """Return the phrases between semicolons, white space within them brought to single spaces."""
    return tuple(phrase for part in lines.split(";") if (phrase := " ".join(part.split())))


GIVEN: Final = _words("""
Ada Agna Aldis Alma Anneke Anselm Arvid Astrid Aurel Bela Benno Berta Birgit Borja Brita Carsten Celia Clemens Corin
Dagny Dario Davina Detlef Dora Edda Eivind Elin Elmar Emeric Enid Erland Estrid Fabian Felka Fenna Fritha Gerda Gideon
Greta Gustav Halvard Hanno Hedda Helmi Idris Ilse Imre Inga Isak Jannik Jelka Jonas Judit Kaia Karsten Katrin Kolja
Lasse Leni Lennart Linnea Lothar Ludo Magda Malin Marek Mattis Milena Mirjam Nele Nils Odile Olaf Oriel Otto Pauline
Perrin Petra Quentin Ragna Reinhild Rolf Rosalind Runa Sanne Selma Sigrid Silas Solvei Stefan Svea Tamsin Thea Tilde
Tobias Ulla Ulrik Valeska Verena Viggo Vilma Wanda Wendel Wilmar Ylva Zelda
""")
FAMILY_STEMS: Final = _words("""
Ald Ames Bald Barr Bex Brack Brann Cald Carr Cors Crad Dav Dell Dorr Dray Ebb Elm Ever Fal Farr Fen Finch Gale Garr
Gild Hald Harg Hask Hend Holl Ill Ing Jarr Kell Kest Lamb Lang Lorr Mald Marr Mell Nar Nell Orm Osk Pell Penn Quill
Rad Rath Renn Rook Sall Selk Stam Tarr Tell Thack Trev Ull Var Vell Wald Warr Wex Wren Yarr Yel
""")
FAMILY_ENDINGS: Final = _words("""
acre aby bourne brand croft dane den don er ett fax gard gill grave hart hurst ick ing is kin lake leigh ley lin lock
man mond nock on or ow rick ridge rose row sen shaw ston strom ter thorn ton wain wall ward wick win worth
""")
PLACE_STEMS: Final = _words("""
Aller Ander Asker Barrow Bracken Brin Carden Coll Cress Dagg Dunner Eller Esk Fallow Farn Gannet Glass Grim Hawk
Heather Hollen Iver Kettle Kirn Larch Lind Lorn Mallow Marl Mossen Nether Oster Otter Pender Pike Quarn Raven Rusk
Saller Scarn Skel Sorrel Stor Tansy Thrum Ulver Vane Whin Wither Yarrow
""")
PLACE_ENDINGS: Final = _words("""
beck bridge by cliffe combe cross dale eau fell ferry firth fleet ford garth gate haven holm holt hope marsh mere
minster moor mouth ness pool quay reach sands side stead strand tarn thwaite wold
""")
MONTHS: Final = _words("January February March April May June July August September October November December")
INTERVAL_WORDS: Final = _words(
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen"
)
ADJECTIVES: Final = _words(
    "upper lower northern southern eastern western inner outer first second older smaller larger spare covered central"
)
CURRENCIES: Final = _words("crowns florins guilders marks thalers ducats rials dinars")
GENRES: Final = phrases("""
annual report; history for a local journal; magazine feature; newspaper report; memoir of an employee; minutes of a
committee; case study for students; obituary of an institution; guide for visitors; report of an inspector; speech at
an anniversary; letter to a successor; chapter of a regional history; radio essay; catalogue of an exhibition
""")
MANNERS: Final = phrases("""
dry and exact; warm and anecdotal; sceptical; admiring but fair; brisk, in short sentences; unhurried, in long
sentences; ironic; formal; plain, for readers new to the matter; reflective; practical; mournful
""")
SETTINGS: Final = phrases("""
a windy coast with one road; a valley that floods every spring; a mining district in decline; an island reached by
ferry; a market town among orchards; a river port below a weir; a plateau with long winters; a border region with two
languages; a suburb built on drained marsh; a pass between two ranges; a lake shore popular with walkers; a garrison
town after the garrison left; a railway junction in the plain; a fishing harbour that silts up; a spa town out of
season; a forest district with sawmills; a delta of canals and dykes; a cathedral town with a small university; a dry
hill country of sheep farms; a new town around a dam; an archipelago of small farms; an old quarter due for clearance
""")
MATERIALS: Final = phrases("""
oak planks; larch shingles; red sandstone; grey slate; poured concrete; glazed brick; cast iron; galvanised steel;
hammered copper; rolled zinc; blue limestone; white marble; pressed clay; woven willow; tarred canvas; waxed linen;
boiled leather; spun glass; black granite; riveted aluminium; laminated pine; beech veneer; cork panels; lead sheet;
rammed earth; chestnut beams; ribbed plastic; polished basalt; knotted hemp; stained cedar; frosted glass; green tiles
""")
CAUSES: Final = phrases("""
a cracked bearing; a late frost; a strike at the quarry; a dispute over the boundary; a shortage of coal; a burst water
main; an error in the drawings; a swarm of wasps; the death of the contractor; a lost consignment of bolts; a flooded
cellar; a quarrel between neighbours; an outbreak of measles; the bankruptcy of the carrier; a landslip on the road;
a fire in the joinery; a forged signature; the theft of the keys; a colony of bats; a mislaid permit; rotten
foundations; a blocked culvert; an unpaid invoice; a broken crane; a plague of voles; the collapse of a scaffold; a
change in the law; a court order; heavy snow in May; a rise in the price of timber; an unexploded shell; rust in the
boiler; the discovery of a grave; a vote of the parish; a leaking roof; dry rot in the floor; a misread telegram; the
illness of the foreman; a dispute over wages; a jammed sluice; bad glue; a customs inspection; a lightning strike; a
herd of stray cattle; faulty wiring; a colony of nesting swans; a sunken barge; the loss of a wager
""")
TRADES: Final = phrases("""
and Sons; and Daughters; Foundry; Engineering; Brothers; Timber Works; Instruments; Stoneworks; Glass Company;
Ironworks; Carriage Works; Cabinet Makers; Electrical; Surveyors; Shipwrights; Rope Works; Printing Company
""")
