"""The words of the demo, by their Czech lemma; English synonyms are parted by a slash."""

from .czech import Adjective, Noun, Verb, noun


def _nouns(*nouns: Noun) -> dict[str, Noun]:
    return {entry.lemma: entry for entry in nouns}


def _adjectives(*specs: str) -> dict[str, Adjective]:
    """From "lemma [animate plural]: english"."""
    entries = {}
    for spec in specs:
        czech, english = spec.split(": ")
        lemma, *plural = czech.split()
        animate = plural[0] if plural else lemma[:-1] + "í"
        entries[lemma] = Adjective(lemma, animate, tuple(english.split("/")))
    return entries


PEOPLE = _nouns(
    noun("muž muž", "man/guy"),
    noun("žena žena", "woman/lady"),
    noun("chlapec muž stem=chlapc", "boy/lad"),
    noun("dívka žena dat=dívce loc=dívce plgen=dívek", "girl"),
    noun("dítě dítě stem=dít plnom=děti plgen=dětí", "child/kid"),
    noun("student pán", "student"),
    noun("turista turista", "tourist"),
    noun("dělník pán plnom=dělníci", "worker"),
    noun("lékař muž", "doctor/physician"),
    noun("zpěvačka žena dat=zpěvačce loc=zpěvačce plgen=zpěvaček", "singer"),
    noun("tanečnice ulice", "dancer"),
    noun("fotograf pán plnom=fotografové", "photographer"),
)

ANIMALS = _nouns(
    noun("pes pán stem=ps", "dog"),
    noun("kočka žena dat=kočce loc=kočce plgen=koček", "cat"),
    noun("pták pán plnom=ptáci", "bird"),
    noun("králík pán plnom=králíci", "rabbit/bunny"),
)

FAMILY = _nouns(
    noun("babička žena dat=babičce loc=babičce plgen=babiček", "grandma/my grandmother"),
    noun("dědeček pán stem=dědečk plnom=dědečkové", "grandpa/my grandfather"),
    noun("matka žena dat=matce loc=matce plgen=matek", "my mother/mum"),
    noun("otec muž stem=otc plnom=otcové", "my father/dad"),
    noun("sestra žena dat=sestře loc=sestře plgen=sester", "my sister"),
    noun("bratr pán loc=bratrovi plnom=bratři", "my brother"),
    noun("teta žena dat=tetě loc=tetě", "my aunt"),
    noun("strýc muž", "my uncle"),
    noun("soused pán plnom=sousedé", "the neighbour/our neighbour"),
    noun("sousedka žena dat=sousedce loc=sousedce plgen=sousedek", "the lady next door"),
    noun("kuchař muž", "the cook/the chef"),
    noun("číšník pán plnom=číšníci", "the waiter"),
)

THINGS = _nouns(
    noun("kolo město loc=kole", "bike/bicycle"),
    noun("auto město plgen=aut", "car"),
    noun("plot hrad", "fence"),
    noun("lavička žena dat=lavičce loc=lavičce plgen=laviček", "bench"),
    noun("kniha žena dat=knize loc=knize", "book"),
    noun("dopis hrad", "letter"),
    noun("mapa žena", "map"),
    noun("deštník hrad", "umbrella"),
    noun("míč stroj", "ball"),
    noun("kytara žena dat=kytaře loc=kytaře", "guitar"),
    noun("trubka žena dat=trubce loc=trubce plgen=trubek", "trumpet"),
    noun("klavír hrad", "piano"),
    noun("košík hrad", "basket"),
    noun("kufr hrad", "suitcase"),
    noun("krabice ulice", "box"),
    noun("batoh hrad", "backpack/rucksack"),
    noun("obraz hrad", "painting/picture"),
    noun("dům hrad stem=dom", "house"),
    noun("loď píseň stem=lod gen=lodi dat=lodi acc=loď loc=lodi ins=lodí plnom=lodě plgen=lodí", "boat"),
    noun("letadlo město plgen=letadel", "plane/airplane"),
    noun("klobouk hrad", "hat"),
    noun("květina žena", "flower"),
    noun("most hrad", "bridge"),
    noun("kostel hrad gen=kostela", "church"),
    noun("okno město plgen=oken", "window"),
    noun("klíč stroj", "key"),
)

CLOTHES = _nouns(
    noun("bunda žena", "jacket"),
    noun("košile růže plgen=košil", "shirt"),
    noun("kabát hrad", "coat/overcoat"),
    noun("klobouk hrad", "hat"),
    noun("tričko město loc=tričku plgen=triček", "T-shirt"),
    noun("čepice ulice", "cap"),
)

FOOD = _nouns(
    noun("koláč stroj", "pie"),
    noun("dort hrad", "cake"),
    noun("chléb hrad stem=chleb gen=chleba", "bread", mass=True),
    noun("ryba žena", "fish"),
    noun("polévka žena dat=polévce loc=polévce plgen=polévek", "soup", mass=True),
    noun("rýže růže", "rice", mass=True),
    noun("omáčka žena dat=omáčce loc=omáčce plgen=omáček", "sauce", mass=True),
    noun("salát hrad", "salad"),
    noun("sýr hrad gen=sýra", "cheese", mass=True),
    noun("cibule růže plgen=cibulí", "onion"),
    noun("jablko město loc=jablku plgen=jablek", "apple"),
    noun("mléko město loc=mléku", "milk", mass=True),
    noun("čaj stroj", "tea", mass=True),
    noun("káva žena", "coffee", mass=True),
    noun("víno město", "wine", mass=True),
    noun("máslo město loc=másle plgen=másel", "butter", mass=True),
    noun("cukr hrad", "sugar", mass=True),
    noun("maso město loc=mase", "meat", mass=True),
)

TOWN = _nouns(
    noun("lékárna žena plgen=lékáren", "pharmacy/drugstore"),
    noun("nemocnice ulice", "hospital"),
    noun("banka žena dat=bance loc=bance plgen=bank", "bank"),
    noun("restaurace ulice plgen=restaurací", "restaurant"),
    noun("hotel hrad", "hotel"),
    noun("nádraží stavení", "train station/railway station"),
    noun("pošta žena", "post office"),
    noun("obchod hrad", "shop/store"),
    noun("divadlo město plgen=divadel", "theatre"),
    noun("kavárna žena plgen=kaváren", "café/coffee shop"),
    noun("muzeum město stem=muze gen=muzea acc=muzeum loc=muzeu plgen=muzeí", "museum"),
    noun("kostel hrad gen=kostela", "church"),
)

ADJECTIVES = _adjectives(
    "mladý: young",
    "starý staří: old",
    "vysoký vysocí: tall",
    "veselý: cheerful/happy",
    "unavený: tired",
    "malý: small/little",
    "velký velcí: big/large",
    "nový: new",
    "dřevěný: wooden",
    "krásný: beautiful/lovely",
    "červený: red",
    "modrý modří: blue",
    "zelený: green",
    "žlutý žlutí: yellow",
    "černý: black",
    "bílý: white",
    "hnědý: brown",
    "čerstvý: fresh",
    "teplý: warm",
    "studený: cold",
    "výborný: delicious/excellent",
    "levný: cheap/inexpensive",
    "dobrý dobří: good",
    "klidný: quiet/calm",
    "nejbližší: nearest/closest",
    "nejlevnější: cheapest",
    "nejlepší: best",
)

# What one does anywhere.
STANDING = {
    verb.lemma: verb
    for verb in (
        Verb("stát", "stojí", "stojí", "stál", ("stand stood",)),
        Verb("sedět", "sedí", "sedí", "seděl", ("sit sat",)),
        Verb("běžet", "běží", "běží", "běžel", ("run ran run",)),
        Verb("spát", "spí", "spí", "spal", ("sleep slept",)),
        Verb("tančit", "tančí", "tančí", "tančil", ("dance",)),
        Verb("čekat", "čeká", "čekají", "čekal", ("wait",)),
        Verb("skákat", "skáče", "skáčou", "skákal", ("jump", "leap")),
        Verb("zpívat", "zpívá", "zpívají", "zpíval", ("sing sang sung",)),
        Verb("odpočívat", "odpočívá", "odpočívají", "odpočíval", ("rest", "relax")),
        Verb("hrát", "hraje", "hrají", "hrál", ("play",), clitic="si"),
        Verb("procházet", "prochází", "procházejí", "procházel", ("walk", "stroll"), clitic="se"),
    )
}

# What one does to a thing.
HANDLING = {
    verb.lemma: verb
    for verb in (
        Verb("opravovat", "opravuje", "opravují", "opravoval", ("repair", "fix", "mend")),
        Verb("číst", "čte", "čtou", "četl", ("read read",)),
        Verb("držet", "drží", "drží", "držel", ("hold held",)),
        Verb("nést", "nese", "nesou", "nesl", ("carry",)),
        Verb("malovat", "maluje", "malují", "maloval", ("paint",)),
        Verb("kupovat", "kupuje", "kupují", "kupoval", ("buy bought",)),
        Verb("fotit", "fotí", "fotí", "fotil", ("photograph",)),
        Verb("mýt", "myje", "myjí", "myl", ("wash", "clean")),
        Verb("hledat", "hledá", "hledají", "hledal", ("look +for", "search +for")),
        Verb("pozorovat", "pozoruje", "pozorují", "pozoroval", ("watch", "observe")),
        Verb("hrát", "hraje", "hrají", "hrál", ("play",), preposition="na"),
    )
}
