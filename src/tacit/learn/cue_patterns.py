"""Patterns of what is no lesson: tasks, descriptions, reports, traces, dumps, and what a command or a path looks like."""

from __future__ import annotations

import re


def one_line_pattern(pattern: str) -> str:
    """A pattern written over several lines, without its line breaks and indentation."""
    return re.sub(r"\n\s*", "", pattern.strip())


def compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    return re.compile(one_line_pattern(pattern), flags)


def word_set(text: str) -> frozenset[str]:
    """The words of a list that is easier to read as text."""
    return frozenset(text.split())


WHOLE_SCOPE = (
    r"repo|project|code ?base|repository|team|company|mono-?repo|workspace|organi[sz]ation|machine|environment"
)
# It points at something a stranger cannot see.
TASK_BOUND = compiled(rf"""
    \b(?:this|that|these|those|the other|the same|the (?:first|second|third|last|next|previous|current|new|above|
    below|following)) (?!{WHOLE_SCOPE}|way\b|package manager)[\w-]+
    |\b(?:yet|for now|right now|just now|this time|today|tonight|tomorrow|for the moment|at the moment|first|then|
    next(?! to)|as well|too|here|there|above|below|once you're done|when you're done|after that)\b(?! of\b| you| we)
    |\b(?:for|in|on|with|to|like|of|at) (?:this|that|these|those|it)\b(?! (?:{WHOLE_SCOPE})\b)
    |\b(?:option|version|variant|approach|solution|suggestion|idea|number|step|point) (?:\d+|[a-d]|one|two|three)\b
    |\b(?:port|line|row|column|page|issue|ticket|pr) #?\d+
    |\b(?:diese[rsmn]?|jene[rsmn]?|gerade|heute|erstmal|vorerst|noch nicht|dort|diesmal)\b(?! repo| projekt| code)
    |\b(?:est[ea] (?!repo|proyecto|código)\w+|es[ea] \w+|por ahora|ahora mismo|hoy|todavía|aquí|ahí|esta vez)\b
    |\b(?:ce(?:tte|t)? (?!dépôt|repo|projet|code)\w+|pour l'instant|aujourd'hui|cette fois|encore|là)\b
""")
# Its object is only a pronoun: "never do that again".
POINTING = compiled(r"""
    ^(?:(?:always|never|don't|do not|please|just|from now on,?|going forward,?|immer|nie|nie wieder|siempre|nunca|
    toujours|jamais) )*(?:\w+ ){0,2}
    (?:it|that|this|them|those|these|so|one|das|es|dies|so etwas|sowas|eso|esto|lo|ça|cela|le|comme ça)
    (?: (?:again|anymore|ever|ever again|like (?:this|that)|way|now|up|out|wieder|mehr|nochmal|otra vez|más|encore|
    plus))*$
""")
# Said of the world, not asked of anyone.
DESCRIBING = compiled(r"""
    ^(?:it|that|this|he|she|they|there|the [\w -]{1,30}?|my [\w-]+|tests?|everything|nothing|something|[\w-]+)
    [ ](?:always|never|still) (?!use\b|run\b|commit\b|push\b)\w+
    |^(?:i|we) (?:never|always) (?:got|get|had|have|saw|see|heard|knew|know|thought|think|said|did|was|were|wanted|
    ended|end|seem|forget|forgot|run into|hit|lose|run out)\b
    |^never ?mind\b|^never (?:heard|seen|had|been|again\b$)
    |^always (?:fails?|returns?|works?|gets?|the|a|been|nice|good|happens?)\b
    |^(?:i|we) (?:don't|do not|didn't|can't|couldn't) (?:know|think|understand|see|remember|care|mind|believe|need|have|
    get|want to|want this|want that)\b
    |^don't (?:worry|bother|mind|know|think|panic)\b
    |^(?:keep (?:going|at|up|it|working|trying)|make sense|do it|do so|do that)\b
    |^(?:every|each) time (?:i|it|the|we|this|that|a|my)\b|^whenever (?:i|it|the|we|this|that)\b
    |^in (?:the )?future (?:we|i|it|this|the) (?:might|may|could|will|would|can)\b|^by default (?:it|this|the|that)\b
    |^(?:der|die|das|es|er|sie) .*\b(?:immer|nie)\b(?!.*\b(?:muss|müssen|soll|sollen|darf|dürfen)\b)
    |^(?:el|la|los|las|esto|eso) .*\b(?:siempre|nunca)\b(?!.*\bdebe)
    |^(?:ça|il(?! faut)|elle|le|la|les) .*\b(?:toujours|jamais)\b
""")
# Said of one thing, or of the people who use what is being built: a requirement, not a way of working.
REQUIREMENT = compiled(r"""
    ^(?:it|this|that|(?:the|a|an|its|their) [\w -]{1,30}?|users?|customers?|clients?|visitors?|admins?)
    [ ](?:should|must|shall|may|can|has to|have to|needs? to)\b
    |^(?:der|die|das|ein|eine|es|er|sie) [\w -]{0,30}?(?:muss|müssen|soll|sollen|darf|dürfen)\b
    |^(?:el|la|los|las|un|una) .*\bdeben?\b|^(?:le|la|les|un|une|l').*\bdoi(?:t|vent)\b
""")
# What is to be made now; "that it never …" after it is about the thing made.
TASK_OPENING = compiled(r"""
    ^(?:add|write|create|make|implement|build|fix|change|update|remove|rename|move|refactor|generate|show|display|
    erstelle?|baue?|füge?|mach|mache|crea|añade|haz|ajoute|crée|fais)
    [ ](?:a|an|the|it|some|ein\w*|den|die|das|un|una|el|la|los|las|une|le|les|que|en sorte|sure the|sure it)\b
""")
# Somebody else's word, passed on.
REPORTED = compiled(r"""
    ^(?:(?:the|this|that|its|their|a|my|our|der|die|das|el|la|le) )?(?:[\w-]+ )?
    (?:docs?|documentation|readme|error|message|log|output|warning|issue|ticket|page|article|guide|spec|e-?mail|
    comment|review(?:er)?|linter|compiler|he|she|they|someone|somebody|boss|colleague|customer|client|doku|fehler|
    meldung|mensaje|erreur) (?:says?|said|is|was|reads|states|told|wrote|suggests?|recommends?|claims?|sagt|dice|
    dit)\b
""")
HYPOTHETICAL = compiled(r"""
    ^(?:if|unless|suppose|imagine|what if|maybe|perhaps|probably|i (?:think|guess|wonder|suspect)|wenn|falls|vielleicht|
    si |quizás|tal vez|peut-être)\b
""")
# "If the schema changes, always regenerate the client" is a rule; "if it never works, tell me" is not.
CONDITIONAL = compiled(r"""
    ^(?:if|when|wenn|falls|si|quand|cuando)\b[^,]+, (?:please |bitte |then |dann )?
    (?:always|never|immer|nie|niemals|siempre|nunca|toujours|jamais|don't|do not)\b
""")
QUESTION = compiled(r"""
    ^(?:what|why|how|when|where|who|which|is|are|was|were|do|does|did|should|shall|may|have|has|isn't|aren't|don't you|
    didn't|can't|couldn't|warum|wie|wann|wo|wer|welche\w*|ist|sind|hast|soll|qué|por qué|cómo|cuándo|dónde|quién|
    pourquoi|comment|quand|où|qui|est-ce)\b
""")
# These ask for something although their first word could open a question.
NOT_A_QUESTION = re.compile(r"^(?:do not|don't|dont|do (?:always|never)|wherever|whenever|when )")
POLITE = compiled(r"""
    (?:please,? )?(?:can|could|would|will) you\b|(?:kannst|könntest|würdest) du\b|(?:puedes|podrías)\b|(?:peux|
    pourrais)-tu\b
""")
FOR_GOOD = compiled(r"""
    \b(?:always|never|ever|(?:hate|like) (?:it )?when you|from now on|going forward|in (?:the )?future|every|each|
    whenever|immer|nie|niemals|ab jetzt|ab sofort|künftig|in zukunft|jede[mnrs]?|siempre|nunca|jamás|
    a partir de ahora|de ahora en adelante|cada|toujours|jamais|désormais|dorénavant|à partir de maintenant|
    à l'avenir|chaque)\b
""")
HEDGED = compiled(r"""
    \b(?:might (?:be|have|need|work|help|not|cause|want)
    |could (?:potentially|possibly|perhaps|be (?:that|because|due|related|caused))
    |may not|may (?:be|have) (?:due|because|related|caused|something)|appears? to|seems? (?:like|to|as if|that)|it seems
    |maybe|perhaps|probably|possibly|presumably|likely (?:because|due|caused|that)|i (?:think|guess|suspect|believe|
    assume)
    |not (?:entirely )?sure|unclear (?:if|whether|why)|for some reason|sort of|kind of|my guess|one possible explanation
    |vielleicht|möglicherweise|eventuell|vermutlich|wahrscheinlich|könnte (?:sein|daran|an)|scheint|anscheinend|
    womöglich
    |ich (?:glaube|denke|vermute)
    |quizás?|tal vez|a lo mejor|posiblemente|probablemente|puede que|podría ser|parece (?:que|ser)|supongo|creo que
    |peut-être|probablement|il se peut|pourrait être|semble|apparemment|sans doute|je (?:pense|crois|suppose))\b
""")
NARRATION = compiled(r"""
    ^(?:(?:ok(?:ay)?|great|perfect|good|now|next|first|then|alright|excellent|sure|done|so|well|hmm|wait|yes|right|
    actually|finally)[,.!:]*\s+)*
    (?:i(?:'ll| will| am going to|'m going to|'ve| have| need to| should| can see| see that| see\b| found| noticed| ran|
    [ ]tried| did| fixed| added| updated| created| checked| discovered| was| am|'m| just| had| think)\b
    |let me\b|let's\b|let us\b|we(?:'ve| have) (?:now|just|successfully|completed)\b|we (?:ran|tried|fixed|did|then|
    now)\b
    |now (?:i|let|we|that)\b|next,? (?:i|let|we)\b|the user (?:asked|wants|said|requested|told|is asking|has)\b
    |in this (?:session|conversation|run|environment|trial|episode)\b|this session\b|as (?:requested|an ai)\b|
    looking at\b
    |(?:all )?(?:done|finished|completed)[.!]?$|here(?:'s| is| are)\b|successfully \w+ed\b
    |(?:the )?(?:task|work|implementation) (?:is|was|has been) (?:now )?(?:complete|done|finished)\b
    |ich (?:werde|habe|schaue|prüfe|muss)\b|lass mich\b|als nächstes\b|voy a\b|he (?:hecho|visto|encontrado)\b|déjame\b
    |je vais\b|j'ai\b|laisse-moi\b)
""")
TRACE = compiled(
    r"""
    </?(?:tool_?call|tool_?use|tool_?result|function_?calls?|function_results?|invoke|parameter|arguments|antml:\w+|
    command-\w+|local-command-\w+|system-reminder|bash-\w+|task-notification|stdout|stderr)\b
    |&lt;/?(?:tool_?call|arguments|invoke)|\btoolu_\w{6,}|\bcall_[A-Za-z0-9]{12,}
    |\"(?:tool_use_id|tool_calls?|function_call|old_string|new_string|file_path)\"\s*:|^\s*(?:\{\s*\"|\[\s*\{)
    |^\s*(?:Traceback \(most recent|diff --git|@@ -\d|\+\+\+ |--- a/|index [0-9a-f]{7})|^\s*at [\w.$<>]+ ?\(
    |\b(?:bash|zsh|sh) -lc\b|\x1b\[|^Exit code \d+|^\s*\d+[→│|]\s|^(?:Bash|Read|Edit|Write|Grep|Glob|Task|
    WebFetch)\([^)]*\)
    """,
    re.I | re.M,
)
DUMP = compiled(r"""
    ^\s*(?:[$#%❯>]\s+|\(\w+\)\s*[$#]\s+|\w+@[\w-]+[:~][^$#]*[$#]\s+)?(?:sudo |[A-Z_]+=\S+ )*
    (?:cd|ls|cat|echo|grep|rg|find|sed|awk|git|npm|npx|pnpm|yarn|bun|node|python3?|pip3?|uv|pytest|cargo|go|make|mvn|
    gradle|docker|kubectl|curl|wget|mkdir|rm|cp|mv|touch|chmod|tail|head|export|source|ssh|scp|tar|mix|bundle|rails|
    bash|sh|brew|apt(?:-get)?|psql|sqlite3|terraform|gh|jq|ps|kill)\b
""")
SHELL_SIGNS = re.compile(r"[|&;<>$]|\s--?\w|(?:^|\s)[./~][\w./-]+|['\"]")
# A shell line says nothing about itself; a sentence that begins with a program's name does.
PROSE = compiled(
    r"""
    \b(?:is|are|was|were|the|an?|must|should|before|after|when|fails?|failed|needs?|not|because|instead|always|never|
    first|works?|to|of|only|can|cannot|breaks?|requires?|ist|muss|nicht|vor|der|die|das|es|el|los|antes|debe|est|doit|
    avant|les)\b
    """,
    re.I,
)
INSTRUCTION_EDIT = compiled(
    r"""
    ^(?:[-*]\s*)?(?:\(\d{4}-\d\d-\d\d\)\s*)?
    (?:(?:add|append|insert|put) (?:to|this to|a (?:section|note|line|bullet|entry)|new (?:section|entry|entries|
    bullet)|(?:an? )?(?:entry|entries|bullet|line)s?|after|before|under)\b|add:
    |replace \S.* with \S|replace\b.*\b(?:section|line|bullet|entry|paragraph|heading)
    |(?:update|expand|consolidate|strengthen|rewrite|reword|rephrase|clarify|revise|shorten|merge)
    [ ](?:the |existing |this |these |section|entry|entries|bullet)
    |remove (?:duplicate|the (?:line|section|entry|bullet|duplicate|paragraph))
    |delete (?:the (?:line|section|entry|bullet|paragraph)|this line)|confirm and\b
    |move (?:this|the (?:line|section|bullet)) (?:to|under)\b|rename (?:the )?section\b
    |in section\b.*\b(?:add|replace|remove|change)\b|change the (?:wording|heading|title|section)\b)
    """,
    re.I,
)
RECURRING = re.compile(r"\b(?:always|never|before|after|when|whenever|every|each|must|if|once|until|unless)\b", re.I)
ADR = re.compile(r"\bADR[- ]?\d{1,5}\b", re.I)
# "go to" and "make sure" are no commands.
COMMAND = compiled(r"""
    `[a-z][\w./-]*(?: [^`]+)?`
    |(?:^|[\s(\"'])(?:(?:npm|pnpm|yarn|bun|npx|pip|uv|poetry|pytest|tox|ruff|mypy|cargo|mvn|gradle|docker|kubectl|
    mix|bundle|terraform) (?:-{1,2}[\w-]+|[a-z][\w:.-]+)
    |git (?:-{1,2}\w|add|commit|push|pull|fetch|merge|rebase|reset|checkout|switch|stash|clone|tag|branch|diff|clean)
    |gh (?:pr|issue|run|repo|api)|go (?:test|build|run|vet|fmt|mod|get|install|generate|work)
    |make (?!sure|it|the|an?|this|that|them|use|your|no|changes)[\w-]+|(?:python3?|node) (?:-\w|\S+\.\w+)
    |curl (?:-|http|localhost))
""")
SETTING = compiled(r"""
    \b[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+\b|\b[\w.-]+\s?=\s?(?:true|false|\d+|\"[^\"]+\")|\b[\w-]+(?:\.config\.\w+|\.env)\b
""")
LESSON_SHAPE = compiled(
    r"""
    \b(?:always|never|must|mustn't|should|shouldn't|don't|do not|avoid|use|prefer|run|check|ensure|make sure|instead|
    before|after|when|whenever|if|because|since|otherwise|unless|requires?|needs?|fails?|failed|breaks?|causes?|
    returns?|expects?|only|without|first|missing|not|cannot|can't|no|immer|nie|muss|nicht|vor|nach|wenn|statt|siempre|
    nunca|debe|antes|después|cuando|toujours|jamais|doit|avant|après|quand)\b
    """,
    re.I,
)
