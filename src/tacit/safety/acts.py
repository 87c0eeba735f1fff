"""Acts that wait for a person unless a lesson says *when asked to …*: thirty parsed commands."""

from __future__ import annotations

import re

from tacit.safety.names import OPTION, SPAN, Programs, commands_in
from tacit.safety.shell import Call, calls

# program, then words that must all stand behind it: a|b any of these, * anything, x* what begins so
_ACTS = tuple(
    tuple(row.split())
    for row in """
npm|pnpm|yarn|bun|cargo|gem|uv|poetry|twine publish|upload
docker|podman push
gh release|secret|variable create|set|upload|delete
gh pr merge --admin
gh repo|workflow delete|edit|run|disable
git push --force|-f|--force-with-lease|--mirror|--delete|-d
git filter-branch|filter-repo
git tag|commit -s|-S|--gpg-sign
gpg|cosign|codesign|minisign *
kubectl|helm|terraform|pulumi|ansible-playbook apply|delete|install|upgrade|destroy|up|*.yml
vercel|netlify|fly|flyctl|heroku|wrangler|firebase|serverless deploy|publish|--prod
curl|http|xh|wget -X|-d|--data|-F|-T|--upload-file|--post-data|POST|PUT|PATCH|DELETE
mail|sendmail|mutt *
rm -rf|-fr|-r /*|~*|$*
dropdb|dropuser *
vault|op|aws|gcloud|az put|write|set-secret|create-secret|put-parameter
chmod 777|a+rwx|-R
tacit keep|review|config|guard|import|connect|leave|sync|restore
* --no-verify
* --no-sandbox
curl|wget -k|--no-check-certificate
* --insecure
* --dangerously-skip-permissions|--dangerously-bypass-approvals-and-sandbox|--yolo|--privileged
* --no-gpg-sign|--skip-signature|--trusted-host
pip|pip3|npm|pnpm|yarn|bun|go|cargo|uv|brew|gem|npx install|add|get|i|-y git+*|http*|ssh:*
""".strip().split("\n")
)
_ASSIGNED = re.compile(
    r"\b(?:NODE_TLS_REJECT_UNAUTHORIZED=0|GIT_SSL_NO_VERIFY=\S+|PYTHONHTTPSVERIFY=0"
    r"|StrictHostKeyChecking=no|HUSKY=0|sslmode=disable)"
)
_PIPED_TO_SHELL = re.compile(r"\b(?:curl|wget)\b[^|`]*\|\s*(?:sudo\s+)?(?:ba|z)?sh\b")
_AGAINST = re.compile(
    r"\b(?:not|never|no|avoid|without|instead of|rather than|refus\w+|reject\w*|fail\w*|block\w*"
    r"|forbid\w*|den(?:y|ied|ies))\b[^.;:]{0,50}$",
    re.I,
)
_FAILS = re.compile(r"[^.;:]{0,30}\b(?:fails?|failed|refused|rejected|blocked|denied)\b", re.I)
_WHEN_ASKED = re.compile(
    r"\b(?:when|if|once|only if|only when)\s+(?:they\s+)?(?:asked|told)\b", re.I
)


def act_in(text: str, programs: Programs) -> str:
    """The act that a lesson tells to do unasked; empty where there is none."""
    if _WHEN_ASKED.search(text):
        return ""
    for at, span in _told(text, programs):
        behind = text[at + len(span) :].lstrip('`"” ')
        if _AGAINST.search(text[:at]) or _FAILS.match(behind):
            continue
        for call in calls(span):
            if any(_is(call, row) for row in _ACTS):
                return " ".join(call.run)[:60]
    for found in (*_PIPED_TO_SHELL.finditer(text), *_ASSIGNED.finditer(text)):
        if not _AGAINST.search(text[: found.start()]):
            return found[0]
    return ""


def _told(text: str, programs: Programs) -> list[tuple[int, str]]:
    marked = [
        (found.start() + 1, next(filter(None, found.groups()))) for found in SPAN.finditer(text)
    ]
    bare = [(text.find(line.split()[0]), line) for line in commands_in(text, programs)]
    options = [(found.start(), f"any {found[0]}") for found in OPTION.finditer(text)]
    return [*marked, *bare, *options]


def _is(call: Call, row: tuple[str, ...]) -> bool:
    program, *needs = row
    if program != "*" and call.program not in program.split("|"):
        return False
    return all(any(_like(word, need) for word in call.run[1:]) for need in needs)


def _like(word: str, need: str) -> bool:
    return any(
        each in (word, "*")
        or (each.endswith("*") and word.startswith(each[:-1]))
        or (each.startswith("*") and word.endswith(each[1:]))
        for each in need.split("|")
    )
