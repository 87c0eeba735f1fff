"""The words that decide between a lesson and its opposite: synonyms, opposites, scopes, denials, units.

`claims` reads texts by them. They are kept to what developers write, English first; what can be told by the structure of two
texts has no place here.
"""

from __future__ import annotations

from functools import lru_cache

from tacit.words.tokens import STEMMERS, edits, english_stem


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
def near() -> dict[str, frozenset[int]]:
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


@lru_cache(maxsize=4)
def side_table(tongue: str) -> dict[str, tuple[tuple[str, str], ...]]:
    """For a language, word or stem → the groups of opposites it belongs to, with its side in each. English words are
    known in every text: they are half of what developers write.
    """
    found: dict[str, dict[tuple[str, str], None]] = {}
    for mark, table, spoken in (("~", _OPPOSITES["en"], "en"), ("~", _OPPOSITES[tongue], tongue), ("=", _SCOPES, "en")):
        for line in table.strip().split("\n"):
            sides = [side.split() for side in line.split("/")]
            for side in sides:
                for word in side:
                    plain = word.replace("_", " ")
                    for form in {plain, plain if " " in plain else STEMMERS[spoken](plain)}:
                        found.setdefault(form, {})[(mark + sides[0][0] + sides[1][0], side[0])] = None
    return {form: tuple(sides) for form, sides in found.items()}


# Two sides a line. A negation turns one into the other, so "do not enable" and "disable" may be the same lesson. Words are
# folded (no accents) and read by stem; an underscore joins a verb and its particle.
_OPPOSITES = {
    "en": """
enable activate turn_on switch_on / disable deactivate turn_off switch_off
allow permit accept grant approve whitelist allowlist / deny forbid block reject refuse prohibit disallow revoke blacklist denylist ban disapprove decline
before prior ahead beforehand / after afterward afterwards following subsequently
increase raise grow expand extend enlarge widen lengthen scale_up / decrease reduce lower shrink shorten narrow lessen diminish scale_down
more higher greater larger bigger longer above exceed / less fewer smaller shorter below
add insert append attach prepend / remove delete erase drop detach strip omit
include including contain / exclude excluding except
true yes / false
min minimum least lowest / max maximum most highest
left / right
upper uppercase top / lower lowercase bottom
public exposed / private hidden internal
start begin launch boot / stop end terminate halt shutdown finish
open unlock / close shut lock
first initial / last final
succeed success pass work works worked / fail failure break broken crash
show display visible reveal / hide hidden invisible conceal
keep retain preserve save / discard drop delete lose forget purge
push upload send write export publish / pull download receive read import fetch
connect / disconnect
install / uninstall
register subscribe / unregister unsubscribe deregister
encode encrypt compress serialize marshal zip pack / decode decrypt decompress deserialize unmarshal unzip unpack
expand unfold uncollapse / collapse fold
sync synchronous synchronously blocking / async asynchronous asynchronously nonblocking
mutable changeable writable writeable / immutable constant readonly frozen
required mandatory compulsory obligatory necessary / optional unnecessary voluntary elective
ascending asc increasing / descending desc decreasing
horizontal / vertical
static / dynamic
local localhost locally / remote global remotely globally
strict strictly / lenient loose relaxed permissive lax
eager eagerly / lazy lazily
explicit explicitly / implicit implicitly
manual manually hand / automatic automatically automated auto
fast quick faster quicker rapid / slow slower
old older oldest legacy outdated stale / new newer newest latest fresh modern
good better best positive / bad worse worst negative poor
safe secure / unsafe insecure dangerous
simple simpler easy easier / complex complicated hard harder difficult
short brief shorter / long lengthy longer
small smaller tiny little / large larger big bigger huge
full filled / empty vacant
many multiple several plural / one single singular once
all every each everything everybody everyone / none nobody nothing
always often frequently usually / never rarely seldom hardly
always constantly / sometimes occasionally
sometimes occasionally / never
present exist exists available / absent missing unavailable lacking
same equal identical / different distinct unequal
even / odd
deep / shallow
wide broad / narrow
hot warm / cold cool
hit / miss
win / lose
buy / sell
build create construct make / destroy demolish tear_down dismantle
load mount / unload unmount
merge join combine unite / split separate divide
inner inside internal / outer outside external
online / offline
parallel concurrent concurrently / serial sequential sequentially serially
sorted ordered / unsorted unordered random arbitrary shuffled
stable / flaky unstable
encourage recommend / discourage
trust / distrust
remember / forget
agree / disagree
like love / dislike hate
input inputs incoming inbound ingress / output outputs outgoing outbound egress
upstream / downstream
client / server
caller / callee
sender / receiver
producer / consumer
front / back rear
forward forwards / backward backwards reverse
up / down
log_in sign_in login opt_in check_in optin zoom_in / log_out sign_out logout opt_out check_out optout zoom_out
verbose / quiet silent terse
dirty / clean
idle / busy
alive living / dead
known / unknown
fixed / variable
relative / absolute
light / dark
double / single
in-place inplace / copy
pessimistic / optimistic
weak / strong
tight tighten / loose loosen
early earlier / late later
rise / fall
gain / loss
success / error
fill / clear empty
expand / contract
push / pop
enter / leave exit
supported / unsupported deprecated
inherit / override
""",
    "de": """
aktivieren einschalten / deaktivieren abschalten ausschalten
erlauben zulassen / verbieten ablehnen
vor vorher / nach nachher danach
erhohen vergrossern / verringern senken verkleinern
mehr / weniger
hinzufugen / entfernen loschen
einschliessen / ausschliessen
wahr / falsch
links / rechts
starten / stoppen beenden
offnen / schliessen
erste / letzte
gelingen funktionieren / fehlschlagen
anzeigen / verbergen
behalten / verwerfen
schnell / langsam
alt / neu
kurz / lang
klein / gross
voll / leer
immer / nie
fullen / leeren
""",
    "es": """
activar / desactivar
permitir / prohibir
antes / despues tras
aumentar subir / reducir bajar
agregar anadir / eliminar quitar
incluir / excluir
verdadero / falso
izquierda / derecha
iniciar / detener parar
abrir / cerrar
primero / ultimo
mostrar / ocultar
conservar / descartar
obligatorio / opcional
rapido / lento
viejo / nuevo
pequeno / grande
lleno / vacio
siempre / nunca
llenar / vaciar
""",
    "fr": """
activer / desactiver
autoriser permettre / interdire
avant / apres
augmenter / diminuer reduire
plus / moins
ajouter / supprimer
inclure / exclure
vrai / faux
gauche / droite
demarrer lancer / arreter
ouvrir / fermer
premier / dernier
afficher / cacher
garder / jeter
obligatoire / facultatif
rapide / lent
ancien / nouveau
petit / grand
plein / vide
toujours / jamais
remplir / vider
""",
}


# One value out of several: texts about different ones are different lessons.
_SCOPES = """
frontend front-end ui / backend back-end
production prod live produktion produccion / staging stage preproduction / development dev entwicklung / test tests testing testsystem ci / local locally localhost / demo sandbox
linux ubuntu debian fedora alpine / macos mac osx darwin / windows win32 win64 / android / ios iphone ipad / freebsd
client / server
read reader reading / write writer writing
request requests / response responses
unit / integration / e2e endtoend / smoke / regression
source src origin / target destination dest
primary master leader / secondary replica standby follower slave
parent / child
npm / yarn / pnpm / bun
pip / uv / poetry / conda / pipenv
postgres postgresql / mysql mariadb / sqlite / mongodb mongo / oracle / redis / dynamodb
aws / gcp / azure
chrome chromium / firefox / safari / edge
arm64 aarch64 arm / amd64 x86 x64
json / yaml yml / toml / xml / csv / ini
bash / zsh / fish / powershell
http / https
utc gmt / local_time
debug / release
mobile / desktop / web
admin administrator owner / guest anonymous visitor
header / footer
row / column
monday montag lunes lundi / tuesday dienstag martes mardi / wednesday mittwoch miercoles mercredi / thursday donnerstag jueves jeudi / friday freitag viernes vendredi / saturday samstag sabado samedi / sunday sonntag domingo dimanche
weekday weekdays / weekend weekends
january / february / march / april / june / july / august / september / october / november / december
english englisch / german deutsch / french franzosisch / spanish spanisch / chinese / japanese
north / south / east / west
kilobyte kb / megabyte mb / gigabyte gb / terabyte tb
bit kilobit megabit gigabit kbit mbit gbit / byte kilobyte megabyte gigabyte
tab tabs / space spaces
camelcase / snakecase / kebabcase / pascalcase
git / svn / mercurial
github / gitlab / bitbucket
docker / podman
vim / emacs / vscode
webpack / vite / rollup / esbuild
jest / vitest / mocha
unittest / pytest
react / vue / angular / svelte
django / flask / fastapi
python / ruby / rust / java / javascript / typescript / php / kotlin / swift / perl
stdin / stdout / stderr
ipv4 / ipv6
cpu / gpu
usd / eur / gbp
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
JUDGING = frozenset(map(english_stem, "mistake pointless useless needless unnecessary wrong harmful innocent blameless".split()))
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
ALL_BUT = frozenset("anywhere everywhere everyone everybody everything anyone anybody anything all nobody nothing none".split())
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
AIMING = frozenset(("to", "from", "into", "by", "of"))  # what is exchanged behind one of these is done the other way round
FAILING = frozenset("fail fails failed failing refuse refuses refused decline declines declined".split())  # with "to", "not"
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
PLACES = frozenset(("line", "lines", "column", "col", "zeile", "linea", "ligne"))
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
BLAND = frozenset(english_stem(word) for word in "use require add inside within first text do make silently explicitly".split())
# Where a lesson holds anyway.
HERE = frozenset(english_stem(word) for word in "repository project machine code codebase system team module utility helper".split())
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

RATES = {"hourly": "h", "daily": "d", "nightly": "d", "weekly": "week", "monthly": "month", "yearly": "year", "annually": "year"}


@lru_cache(maxsize=1)
def negators() -> frozenset[str]:
    return frozenset(_NEGATORS.split())


@lru_cache(maxsize=1)
def doubtful() -> frozenset[str]:
    allowing = next(line for line in _OPPOSITES["en"].split("\n") if line.startswith("allow "))
    refusing = allowing.partition("/")[2].split()
    return frozenset(same_word(english_stem(word)) for word in (*_DOUBTFUL.split(), *refusing))


@lru_cache(maxsize=1)
def taking_away() -> frozenset[str]:
    return frozenset(same_word(english_stem(word)) for word in _TAKING_AWAY.split())


@lru_cache(maxsize=1)
def other_side() -> dict[str, dict[str, str]]:
    """Group → each of its two sides → the other."""
    lines = [line for table in _OPPOSITES.values() for line in table.strip().split("\n")]
    sides = [[side.split()[0] for side in line.split("/")] for line in lines]
    return {"~" + one + other: {one: other, other: one} for one, other in sides}


@lru_cache(maxsize=4096)
def related(one: str, other: str) -> bool:
    """Two forms of one word (a typo, an abbreviation, an inflection our stemmer does not know), or two words of near meaning."""
    if not near().get(one, frozenset()).isdisjoint(near().get(other, frozenset())):
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
