"""Words that stand on two sides of one question, and scopes that exclude each other: the vocabulary of contradiction, as data."""

from __future__ import annotations

from functools import lru_cache

from tacit.words.tokens import STEMMERS


@lru_cache(maxsize=4)
def side_table(tongue: str) -> dict[str, tuple[tuple[str, str], ...]]:
    """For a language, word or stem → the groups of opposites it belongs to, with its side in each. English words are
    known in every text: they are half of what developers write.
    """
    found: dict[str, dict[tuple[str, str], None]] = {}
    for mark, table, spoken in (("~", OPPOSITES["en"], "en"), ("~", OPPOSITES[tongue], tongue), ("=", _SCOPES, "en")):
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
OPPOSITES = {
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
