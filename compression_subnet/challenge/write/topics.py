"""What a text can be about: who serves there, what is counted there, what is built and repaired there."""

from dataclasses import dataclass
from typing import Final

from compression_subnet.challenge.write.vocabulary import phrases

__all__ = ["TOPICS", "Topic"]


@dataclass(frozen=True, slots=True)
class Topic:
    """What a text can be about.

    Attributes:
        noun: follows the place's name in the subject's name.
        roles: who serves there; each is held by one person.
        counted: what is counted there, in the plural, two words where one would be common.
        works: what is built, bought or repaired there.
    """

    noun: str
    roles: tuple[str, ...]
    counted: tuple[str, ...]
    works: tuple[str, ...]


def _topic(noun: str, roles: str, counted: str, works: str) -> Topic:
    return Topic(noun, phrases(roles), phrases(counted), phrases(works))


TOPICS: Final = (
    _topic(
        "Tide Mill",
        "miller; sluice keeper; bookkeeper; head carter; millwright; night watchman; grain buyer; warden; "
        "dredging master",
        "grain sacks; sluice boards; cart horses; mill hands; flood marks; oak pegs; flour barrels; eel traps",
        "sluice gate; waterwheel; grain loft; causeway; stone dressing shed; weighbridge; pond wall; drying floor",
    ),
    _topic(
        "Observatory",
        "director; chief observer; instrument maker; librarian; night assistant; calculator; caretaker; "
        "treasurer; photographer",
        "photographic plates; star charts; logbook volumes; spare lenses; clear nights; paying visitors; "
        "brass clocks; posted letters",
        "refractor; dome shutter; library wing; meridian room; plate vault; transit house; heating plant; access road",
    ),
    _topic(
        "Ferry Company",
        "harbour agent; senior pilot; chief mechanic; purser; company secretary; ticket inspector; winter "
        "relief captain; chairman; cook",
        "life jackets; deck chairs; season tickets; winter crossings; mail bags; freight crates; mooring "
        "rings; stranded passengers",
        "landing stage; engine room; waiting hall; signal mast; slipway; car ramp; coal bunker; passenger cabin",
    ),
    _topic(
        "Printing House",
        "master printer; typesetter; proof reader; paper buyer; engraver; apprentice master; binder; sales "
        "traveller; archivist",
        "type cases; printed ballots; paper reams; hymn books; copper plates; unpaid orders; bound ledgers; "
        "school atlases",
        "rotary press; drying loft; ink store; composing room; bindery; paper lift; delivery yard; proofing bench",
    ),
    _topic(
        "Botanic Garden",
        "head gardener; curator; seed collector; glasshouse foreman; herbarium keeper; plant illustrator; bee "
        "keeper; gate porter; surveyor",
        "oak saplings; orchid pots; seed packets; labelled beds; garden benches; fern species; rose cuttings; "
        "school parties",
        "palm house; rock garden; lily pond; potting shed; herbarium; arboretum wall; irrigation tank; visitor gate",
    ),
    _topic(
        "Mountain Hospital",
        "medical director; matron; head surgeon; pharmacist; laundry supervisor; ambulance driver; "
        "radiographer; bursar; chaplain",
        "hospital beds; iron stoves; cotton blankets; ward nurses; plaster casts; medicine crates; winter "
        "patients; donated books",
        "operating theatre; isolation ward; sun terrace; boiler house; cable lift; laundry block; dispensary; "
        "mortuary chapel",
    ),
    _topic(
        "Railway Museum",
        "curator; workshop foreman; boiler inspector; signal historian; volunteer manager; model maker; shop "
        "manager; fund raiser; track engineer",
        "brass whistles; freight wagons; enamel signs; volunteer drivers; signal lamps; ticket punches; track "
        "sleepers; model engines",
        "engine shed; turntable; signal cabin; carriage hall; water tower; museum shop; coal stage; lecture room",
    ),
    _topic(
        "Dairy Cooperative",
        "chairwoman; cheese master; herd inspector; lorry dispatcher; auditor; cooler mechanic; recipe "
        "keeper; union delegate; cellar master",
        "milk churns; member farms; cheese wheels; butter moulds; delivery vans; breeding cows; copper vats; "
        "returned bottles",
        "creamery; maturing cellar; loading dock; cooling tower; whey tank; tasting room; testing laboratory; "
        "staff canteen",
    ),
    _topic(
        "Open-Air Theatre",
        "stage director; costume mistress; set builder; prompter; lighting technician; box office manager; "
        "fight master; composer; patron",
        "folding seats; stage costumes; paper lanterns; rehearsal days; chorus singers; painted flats; rain "
        "cancellations; wooden swords",
        "main stage; orchestra pit; dressing rooms; lighting tower; entrance arch; scenery store; prompt box; "
        "audience terrace",
    ),
    _topic(
        "Rescue Station",
        "coxswain; lookout; boat builder; radio operator; station doctor; equipment officer; training "
        "officer; launch driver; honorary secretary",
        "rescue flares; rubber suits; night launches; trained swimmers; signal rockets; tow ropes; saved "
        "sailors; oil lamps",
        "boathouse; launching rail; lookout tower; radio room; winch house; fuel store; drying room; breakwater",
    ),
    _topic(
        "Weaving Works",
        "pattern designer; loom fixer; dye master; works manager; wool sorter; yarn buyer; safety officer; "
        "union steward; show room manager",
        "power looms; wool bales; dye recipes; pattern cards; finished rugs; weaving apprentices; spindle "
        "boxes; trade samples",
        "dye house; carding hall; pattern room; steam engine; warping floor; wool store; chimney; workers' hall",
    ),
    _topic(
        "Salt Works",
        "salt master; pan foreman; brine engineer; canal agent; customs clerk; pump keeper; company chemist; "
        "barge captain; foundress",
        "evaporating pans; salt barrels; pump strokes; barge loads; clay pipes; company cottages; drying "
        "racks; brine samples",
        "brine shaft; pump house; evaporation hall; canal basin; salt magazine; test boring; cooper's shop; tram line",
    ),
)
