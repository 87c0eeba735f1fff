"""Words that carry form and no subject. A hook loads this list and nothing else of how texts are
cut."""

from __future__ import annotations

# Function words carry form, not subject. One set per language, since their votes also choose the
# stemmer; folded as `fold` does. Words that are technical terms in another of the four languages
# stay out (todo, car, sin, none, try …).
STOP_WORDS = {
    "en": frozenset(
        "a about above after again all also am an and any are aren as at be because been before being below both "
        "but by can cannot could couldn did didn do does doesn doing don during each either else ever every few "
        "for from further get gets getting got had hadn has hasn have haven having he her here hers him his how "
        "however i if in into is isn it its itself just let ll make makes may me might more most much must mustn "
        "my need needs neither never no nor not now of off often on once only or other otherwise ought our ours "
        "out over own per please quite rather re s same shall shan she should shouldn since so some still such t "
        "than that the their theirs them then there therefore these they this those through thus to too under "
        "until up upon us ve very via was wasn we were weren what when where whether which while who whom whose "
        "why will with within without won would wouldn yet you your yours".split()
    ),
    "de": frozenset(
        "aber alle allem allen aller alles als also am an auch auf aus bei beim bereits bin bis bist da dabei "
        "damit dann das dass dem den denn der des dessen die dies diese diesem diesen dieser dieses doch dort du "
        "durch durfen ein eine einem einen einer eines er es etwas euch fur gegen gibt haben hat hatte hier ich "
        "ihm ihn ihr ihre im immer in ins ist ja jede jedem jeden jeder jedes kann kein keine keinem keinen "
        "keiner konnen man mehr mit muss mussen nach nicht nie niemals noch nun nur ob oder ohne schon sehr sein "
        "seine seit sich sie sind so soll sollen sollte sonst uber um und uns unter vom von vor war was weil "
        "weiter wenn wer werden wie wieder wir wird wo wurde wurden zu zum zur zwischen".split()
    ),
    "es": frozenset(
        "al algo algunos ante antes aquel aunque cada como con contra cual cuando de debe deben del desde donde "
        "el ella ellos en entre era es esa ese eso esta estaba estado estan estar este esto estos fue ha hace han "
        "hasta hay la las le les lo los mas mientras muy nada ni no nos nosotros nunca o otra otro para pero por "
        "porque que quien se sea ser si sido sobre son su sus tambien tan tanto te tiene tienen toda todas todos "
        "tras tu un una uno unos y ya".split()
    ),
    "fr": frozenset(
        "ai alors au aucun aussi autre aux avec avant avoir c ca ce cela ces cet cette ceux chaque comme d dans "
        "de depuis des doit doivent donc dont du elle elles en encore est et ete etre eu faut fait il ils j je "
        "jamais l la le les leur leurs lors lorsque lui m ma mais meme mes moi n ne nos notre nous on ont ou par "
        "parce pas peu peut plus pour pourquoi qu quand que quel quelle qui s sa sans se sera ses si son sont "
        "sous sur t ta tous tout toute toutes tu un une vers voici vos votre vous y".split()
    ),
}


_OF_ALL = frozenset().union(*STOP_WORDS.values())


def all_stop_words() -> frozenset[str]:
    """Function words of all languages we know."""
    return _OF_ALL
