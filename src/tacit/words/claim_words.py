"""The words that decide between a lesson and its opposite: synonyms, opposites, scopes, denials, units.

`claims` reads texts by them. They are kept to what developers write, English first; what can be told by the structure of two
texts has no place here.
"""

from __future__ import annotations

from functools import lru_cache

from tacit.words.opposites import OPPOSITES
from tacit.words.tokens import edits, english_stem


def same_word(term: str) -> str:
    """One term for words that mean the same in a lesson: dir and folder, delete and remove."""
    return _synonyms().get(term, term)


@lru_cache(maxsize=1)
def _synonyms() -> dict[str, str]:
    table: dict[str, str] = {}
    for line in _SYNONYMS.strip().split("\n"):
        first, *others = (english_stem(word) for word in line.split())
        table.update(dict.fromkeys(others, first))
    table.update((english_stem(word), number) for word, number in NUMBER_WORDS.items() if number != "1")
    return table


@lru_cache(maxsize=1)
def _near() -> dict[str, frozenset[int]]:
    """Stem → the groups of near meaning it belongs to."""
    found: dict[str, set[int]] = {}
    for number, line in enumerate(_NEAR.strip().split("\n")):
        for word in line.split():
            found.setdefault(same_word(english_stem(word)), set()).add(number)
    return {stem: frozenset(numbers) for stem, numbers in found.items()}


# One may stand for the other in a sentence that is otherwise the same, without making it another lesson.
_NEAR = """
use prefer choose pick employ adopt
want prefer wish like
give pass supply provide hand
name state mention say tell
need require
allow accept permit let
check verify validate inspect
crash die abort
show display print
create make generate build produce
get fetch retrieve obtain
send post emit submit
change modify edit alter update
fix repair mend correct resolve solve
happen occur arise
call invoke
hold contain have include
write type enter input
open launch start
issue problem bug defect trouble
cause trigger lead
break crash fail
show reveal
avoid prevent
handle treat process
slow lag
drop fall decline sink
ensure guarantee
test testcase
picture image
"""
# Kept to what is interchangeable in a lesson; near-synonyms (run, start; check, validate) are not.
_SYNONYMS = """
remove delete erase drop
directory folder dir dirs
configuration config cfg conf configure
repository repo
documentation docs doc
database db
authentication auth authenticate
authorization authz authorize
environment env
temporary temp tmp
parameter param
argument arg
variable var
function func fn
application app
administrator admin
package pkg
dependency dep
raise throw
run execute exec
fail break
ensure sure
missing lack absent
null none nil
error err
initialise init initialize
information info
specification spec
maximum max
minimum min
message msg
request req
response resp
production prod
development dev
kubernetes k8s
postgresql postgres
image img
password passwd
identifier id
number num
average avg
synchronous sync
asynchronous async
utility util
reference ref
command cmd
attribute attr
library lib
source src
string str
integer int
boolean bool
address addr
backwards backward
optimise optimize
normalise normalize
serialise serialize
behaviour behavior
colour color
"""
FILE = (
    r"\w*\.(?:pyi?|[cm]?[jt]sx?|rs|go|java|kts?|cc?|cpp|hh?|hpp|rb|php|cs|swift|sh|jsonl?|ya?ml|toml|txt|mdx?|rst|log|lock|html?|s?css|sql|"
    r"cfg|ini|env|xml|csv|tsv|proto|tf|vue|svelte|ipynb|db|gradle|properties|conf|example|local|exe|dll|so|jar|zip|gz|tar|whl|png|svg|pdf)"
)
METHODS = frozenset(("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"))
_NEGATORS = (
    "not no never without cannot lacks lacked lacking nor neither none nobody nothing nowhere avoid avoids avoiding avoided refrain refrains "
    "except unless forbidden prohibited hardly rarely seldom dont doesnt didnt isnt arent wasnt cant couldnt shouldnt wont wouldnt mustnt "
    "nicht kein keine keinen keinem keiner keines nie niemals ohne weder ausser vermeide vermeiden nichts niemand "
    "nunca jamas sin ningun ninguna ninguno evitar evite evita evitad excepto salvo nadie tampoco "
    "ne pas jamais sans aucun aucune eviter evitez sauf rien "
    "nao niet geen nooit zonder senza inte aldrig utan не нет без никогда нельзя ни"
)
FRENCH_SECOND = frozenset(("pas", "jamais", "aucun", "aucune", "rien", "plus"))
# Words that may be a negation: "fails to start", "the index is missing"; so may those that refuse ("is forbidden").
_DOUBTFUL = (
    "fail missing lack unable absent broken impossible mistake fehlt falta manque pointless useless needless unnecessary wrong harmful "
    "unsupported innocent blameless"
)
# Of these, words that condemn what the rest of the sentence says.
JUDGING = frozenset(
    map(english_stem, "mistake pointless useless needless unnecessary wrong harmful innocent blameless".split())
)
# Verbs that take something away: a sentence with one of them more is not the sentence without it.
_TAKING_AWAY = "remove drop disable skip ignore omit lose forget discard refuse reject stop quit abandon retire deprecate suppress reverse inverse"
# "Use a instead of b": what follows is denied, in a clause of its own. "over" and "to" only after a verb of preference.
CONTRASTS = frozenset(
    ("instead", "rather", "over", "to", "statt", "anstatt", "anstelle", "lieu", "lugar", "vez", "plutot", "opposed")
)
ALONE = frozenset(("statt", "anstatt"))
PREFERRING = frozenset(
    ("prefer prefers preferred favor favour choose bevorzuge bevorzugen prefiere preferir preferer preferez").split()
)
KEEPING = frozenset("keep keeps kept leave leaves left stay stays take takes taken".split())
ALL_BUT = frozenset(
    "anywhere everywhere everyone everybody everything anyone anybody anything all nobody nothing none".split()
)
PRONOUNS = frozenset("it them they he she one ones".split())
OF_CODE = frozenset("a an the this broad bare blanket try".split())  # "a bare except"
THEN = frozenset(
    "then afterwards afterward finally subsequently next dann danach anschliessend luego entonces despues puis ensuite".split()
)
BREAKS = frozenset(
    (
        "but because since although though however so otherwise aber weil sondern pero porque sino mais car whereas "
        "while"
    ).split()
)
# A clause that begins so explains what was said, and adds nothing to it.
GROUNDS = frozenset(
    "because since so otherwise else or as which this it they that weil sonst da porque sino car sinon".split()
)
JOINING = frozenset(("and", "or", "und", "oder", "y", "o", "e", "et", "ou", "&", "nor"))
# what is exchanged behind one of these is done the other way round
AIMING = frozenset(("to", "from", "into", "by", "of"))
# with "to", "not"
FAILING = frozenset("fail fails failed failing refuse refuses refused decline declines declined".split())
ARTICLES = frozenset(
    (
        "a an the this that these those der die das den dem des ein eine einen el la los las un una unos le les une des"
    ).split()
)
UNIVERSAL = frozenset(
    ("all every each any everything alle jede jeder jedes todos todas tous toutes chaque cada").split()
)
PARTICLES = frozenset(("on", "off", "in", "out", "up", "down"))
EARLIER = frozenset(("before", "prior", "beforehand", "vor", "bevor", "avant", "antes", "until", "ahead"))
LATER = frozenset(("after", "once", "following", "nach", "nachdem", "apres", "tras", "despues"))
PLACE_WORDS = frozenset(("line", "lines", "column", "col", "zeile", "linea", "ligne"))
RECORDS = frozenset(("issue", "bug", "ticket", "pr"))
# Words that may come and go without changing a lesson.
FILLERS = frozenset(
    english_stem(word)
    for word in (
        "always really properly correctly currently simply usually generally again ensure please also actually cause "
        "issue occur happen result time"
    ).split()
)
# Words that say little where they are added: "avoid print", "do not use print".
BLAND = frozenset(
    english_stem(word) for word in "use require add inside within first text do make silently explicitly".split()
)
# Where a lesson holds anyway.
HERE = frozenset(
    english_stem(word) for word in "repository project machine code codebase system team module utility helper".split()
)
RUN_NEGATIONS = "不要|不能|不得|不可|不需要|不应|不会|不是|没有|禁止|避免|切勿|[不没未勿别無]|しない|ない|ません|なく|ず(?=に)|않|못|금지|없"
BEFORE_VERB = frozenset("不要 不能 不得 不可 不需要 不应 不会 不是 没有 禁止 避免 切勿 不 没 未 勿 别".split())
NUMBER_WORDS = {
    word: str(number)
    for number, line in (
        (0, "zero cero"), (1, "one eins uno"), (2, "two twice zwei deux zweimal"), (3, "three thrice drei tres trois dreimal"),
        (4, "four vier cuatro quatre"), (5, "five funf cinco cinq"), (6, "six sechs seis"), (7, "seven sieben siete"),
        (8, "eight acht ocho huit"), (9, "nine neun nueve neuf"), (10, "ten zehn diez dix"), (11, "eleven onze"),
        (12, "zwolf"), (15, "fifteen"), (20, "twenty zwanzig veinte vingt"), (30, "thirty dreissig treinta trente"),
        (40, "forty vierzig"), (50, "fifty funfzig"), (60, "sixty"), (80, "eighty"), (90, "ninety"), (100, "hundred hundert cien"),
        (1000, "thousand tausend"), (13, "thirteen"), (14, "fourteen"), (16, "sixteen"), (17, "seventeen"), (18, "eighteen"),
        (19, "nineteen"), (70, "seventy"), (12, "twelve dozen"), (1000000, "million"), (1000000000, "billion"),
    )
    for word in line.split(" ")
}  # fmt: skip
UNITS = {
    word: line.split(" ")[0]
    for line in (
        "ms millisecond milliseconds millisekunden", "s sec secs second seconds sekunde sekunden segundo segundos seconde secondes",
        "min mins minute minutes minuten minuto minutos", "h hr hrs hour hours stunde stunden hora horas heure heures",
        "d day days tag tage tagen dia dias jour jours", "week weeks woche wochen semana semanas semaine semaines",
        "month months monat monate mes meses mois", "year years jahr jahre ano anos annee annees",
        "b byte bytes", "kb kib kilobyte kilobytes", "mb mib megabyte megabytes", "gb gib gigabyte gigabytes", "tb tib terabyte",
        "% percent prozent", "px pixel pixels",
    )
    for word in line.split(" ")
}  # fmt: skip
RATES = {
    "hourly": "h",
    "daily": "d",
    "nightly": "d",
    "weekly": "week",
    "monthly": "month",
    "yearly": "year",
    "annually": "year",
}


@lru_cache(maxsize=1)
def negators() -> frozenset[str]:
    return frozenset(_NEGATORS.split())


@lru_cache(maxsize=1)
def doubtful() -> frozenset[str]:
    allowing = next(line for line in OPPOSITES["en"].split("\n") if line.startswith("allow "))
    refusing = allowing.partition("/")[2].split()
    return frozenset(same_word(english_stem(word)) for word in (*_DOUBTFUL.split(), *refusing))


@lru_cache(maxsize=1)
def taking_away() -> frozenset[str]:
    return frozenset(same_word(english_stem(word)) for word in _TAKING_AWAY.split())


@lru_cache(maxsize=1)
def other_side() -> dict[str, dict[str, str]]:
    """Group → each of its two sides → the other."""
    lines = [line for table in OPPOSITES.values() for line in table.strip().split("\n")]
    sides = [[side.split()[0] for side in line.split("/")] for line in lines]
    return {"~" + one + other: {one: other, other: one} for one, other in sides}


@lru_cache(maxsize=4096)
def related(one: str, other: str) -> bool:
    """Two forms of one word (a typo, an abbreviation, an inflection our stemmer does not know), or two words of near meaning."""
    if not _near().get(one, frozenset()).isdisjoint(_near().get(other, frozenset())):
        return True
    short, long = sorted((one, other), key=len)
    if long == f"ge{short}":  # a German participle
        return True
    if len(short) >= 4 and long.startswith(short) and (len(short) >= 6 or len(long) - len(short) <= 3):
        return True  # not key and keyword, user and username
    if len(short) < 4 or short[:3] != long[:3]:
        return False
    return edits(one, other) <= max(1, len(long) // 4)


def same_place(one: str, other: str) -> bool:
    """Two names of one thing: `src/app.py` and `app.py`, `os.path.join` and `join`, one file below two home folders."""
    short, long = sorted((one, other), key=len)
    if one == other or long.endswith(("/" + short, "." + short, ":" + short)) or f"/{short}/" in long:
        return True
    ends = one.split("/")[-3:], other.split("/")[-3:]
    return ends[0] == ends[1] or (one[0] in "/~" and other[0] in "/~" and ends[0][-2:] == ends[1][-2:])
