"""Three hundred secrets in every place that a run has: how many stay in anything we write?

    python bench/redaction_places.py [--seed N] [--count 300] [--transcripts DIR …]

Each secret, in its sentence, stands in a finding, a quote, an error, a command, an output, the task, the name of a file, of the folder and of
the branch, in JSON and over several lines of a run, which is learned; it is said to a hook that keeps sessions itself; a person adds it; then the store is exported and synced into the journal
that a team shares through git. Any ten characters in a row of a secret in the store, its write-ahead log, the exports, the journal or the kept
session count as a leak. Kinds for which rules were written and kinds
for which none was are reported apart. With `--transcripts`, every redaction in those real sessions counts as a false alarm. Exit status 1: more than
1 % of these kinds leak, or more than one alarm in a thousand lines.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "src"), str(HERE)]

from redaction import ALNUM, HEX, KNOWN, UNKNOWN, URLSAFE, Kind, Sample, chars, told  # noqa: E402

MOST_LEFT = 0.01
MOST_ALARMS = 1.0  # in a thousand lines
SYMBOLS = ALNUM + "!#%+"

# Unknown kinds of `redaction.py` that have had a rule since; they count as known here.
TAUGHT = ("command-line", "wireguard", "password-hash", "jwk-private", "smtp-auth", "putty-key")


def random_word(r: Random) -> str:
    return chars(r, SYMBOLS, r.randint(12, 20))


# Written down before the rules were run on them; no rule is tuned on them.
FRESH = (
    told(
        "kafka-jaas",
        False,
        random_word,
        'sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="app" password="{s}";',
    ),
    told(
        "jdbc-url",
        False,
        lambda r: chars(r, ALNUM, 16),
        "jdbc:postgresql://db.example.com/shop?user=app&password={s}&ssl=true",
    ),
    told(
        "odbc",
        False,
        lambda r: chars(r, ALNUM, 16),
        "Driver={{ODBC Driver 18}};Server=db;Uid=app;Pwd={s};",
    ),
    told("ansible", False, random_word, "ansible_become_pass: {s}", "ansible_ssh_pass={s}"),
    told("tfvars", False, random_word, 'db_master_pw = "{s}"', 'admin_password = "{s}"'),
    told(
        "spring", False, random_word, "spring.datasource.password={s}", "spring.mail.password: {s}"
    ),
    told(
        "gradle-signing", False, random_word, "signing.password={s}", "RELEASE_STORE_PASSWORD={s}"
    ),
    told(
        "rails-master",
        False,
        lambda r: chars(r, HEX, 32),
        "RAILS_MASTER_KEY={s}",
        "the master key is {s}",
    ),
    told("django", False, lambda r: chars(r, SYMBOLS, 50), "SECRET_KEY = 'django-insecure-{s}'"),
    told(
        "flask",
        False,
        lambda r: chars(r, ALNUM, 32),
        "app.secret_key = b'{s}'",
        'app.config["SECRET_KEY"] = "{s}"',
    ),
    told("vapid", False, lambda r: chars(r, URLSAFE, 42) + "x", "VAPID_PRIVATE_KEY={s}"),
    told(
        "npmrc",
        False,
        lambda r: chars(r, ALNUM, 36),
        "//registry.example.com/:_authToken={s}",
        "//registry.example.com/:_password={s}",
    ),
    told("s3cfg", False, lambda r: chars(r, ALNUM, 40), "secret_key = {s}"),
    told(
        "wp-config",
        False,
        random_word,
        "define('DB_PASSWORD', '{s}');",
        "define( 'AUTH_KEY', '{s}{s}' );",
    ),
    told(
        "compose",
        False,
        random_word,
        "      POSTGRES_PASSWORD: {s}",
        "      - MYSQL_ROOT_PASSWORD={s}",
    ),
    told(
        "helm-set",
        False,
        lambda r: chars(r, ALNUM, 16),
        "helm upgrade db bitnami/postgresql --set auth.password={s}",
    ),
    told(
        "kubectl-literal",
        False,
        lambda r: chars(r, ALNUM, 24),
        "kubectl create secret generic app --from-literal=token={s}",
    ),
    told(
        "header",
        False,
        lambda r: chars(r, ALNUM, 32),
        'curl -H "X-Api-Key: {s}" https://api.example.com',
        "x-hasura-admin-secret: {s}",
    ),
    told("ldap-bind", False, random_word, "bindpw {s}", "olcRootPW: {s}"),
    told(
        "cli-set",
        False,
        lambda r: chars(r, ALNUM, 28),
        "heroku config:set PAYMENTS_TOKEN={s}",
        "fly secrets set SESSION_SECRET={s}",
        "aws configure set aws_secret_access_key {s}",
    ),
    told(
        "gh-secret", False, lambda r: chars(r, ALNUM, 28), "gh secret set DEPLOY_TOKEN --body {s}"
    ),
    told("pgp-passphrase", False, random_word, "gpg --batch --passphrase {s} --sign a.txt"),
)


# Written down on 2026-11-16, after the rules that the kinds above led to, and before any of these was tried.
LATER = (
    told(
        "circleci-setup",
        False,
        lambda r: chars(r, HEX, 40),
        "circleci setup --token {s} --no-prompt",
    ),
    told("tf-var", False, random_word, "TF_VAR_db_password={s} terraform apply"),
    told("rabbitmqctl", False, random_word, "rabbitmqctl change_password app {s}"),
    told("redis-conf", False, random_word, "requirepass {s}"),
    told(
        "pypirc",
        False,
        lambda r: chars(r, ALNUM, 40),
        "[internal]\nrepository = https://pypi.example.com\nusername = app\npassword = {s}",
    ),
    told(
        "build-arg",
        False,
        lambda r: chars(r, ALNUM, 36),
        "docker build --build-arg NPM_TOKEN={s} .",
    ),
    told(
        "user-secrets",
        False,
        lambda r: chars(r, ALNUM, 32),
        'dotnet user-secrets set "Payments:ApiKey" "{s}"',
    ),
    told(
        "workflow-env",
        False,
        lambda r: chars(r, ALNUM, 32),
        "        env:\n          DEPLOY_KEY: {s}",
    ),
    told(
        "form-body",
        False,
        lambda r: chars(r, ALNUM, 32),
        'curl -d "client_id=app&client_secret={s}&grant_type=client_credentials" https://id.example.com/token',
    ),
    told(
        "typed-constant",
        False,
        lambda r: chars(r, ALNUM, 32),
        "const apiKey: string = '{s}';",
        'private static final String API_KEY = "{s}";',
    ),
    told(
        "struct-field",
        False,
        lambda r: chars(r, ALNUM, 32),
        'cfg := Config{{Token: "{s}", Region: "eu"}}',
    ),
    told(
        "dotted-property",
        False,
        lambda r: chars(r, ALNUM, 32),
        "security.oauth2.client.client-secret={s}",
    ),
    told("secret-key-base", False, lambda r: chars(r, ALNUM + "+/", 64), 'secret_key_base: "{s}"'),
    told("htpasswd", False, random_word, "htpasswd -b .htpasswd app {s}"),
    told(
        "alter-user",
        False,
        random_word,
        "ALTER USER app WITH PASSWORD '{s}';",
        "CREATE USER app IDENTIFIED BY '{s}';",
    ),
    told(
        "create-user", False, random_word, 'db.createUser({{user: "app", pwd: "{s}", roles: []}})'
    ),
    told(
        "mount-option",
        False,
        lambda r: chars(r, ALNUM, 16),
        "mount -t cifs //nas/share /mnt -o username=app,password={s}",
    ),
    told("fetchmail", False, random_word, 'poll mail.example.com user "app" password "{s}"'),
    told("vnc", False, random_word, "x11vnc -passwd {s} -display :0"),
    told(
        "log-header",
        False,
        lambda r: chars(r, HEX, 40),
        "2026-11-02 10:00:00 DEBUG http Authorization=Token {s}",
    ),
    told("declared", False, lambda r: chars(r, HEX, 32), 'declare -x SLACK_SIGNING_SECRET="{s}"'),
    told(
        "label",
        False,
        lambda r: chars(r, ALNUM, 28),
        "The deploy token for staging: {s}",
        "Deploy token (staging): {s}",
    ),
)


# Written down later still, after the rules that LATER led to. At the first try 12 of 48 were left (LATER: 6 of 44); `_nearby` came of them.
LAST = (
    told("grafana-cli", False, random_word, "grafana-cli admin reset-admin-password {s}"),
    told(
        "svn",
        False,
        random_word,
        "svn checkout https://svn.example.com/x --username app --password {s}",
    ),
    told("sqlplus", False, lambda r: chars(r, ALNUM, 14), "sqlplus app/{s}@db.example.com/shop"),
    told("lftp", False, lambda r: chars(r, ALNUM, 14), "lftp -u app,{s} sftp://files.example.com"),
    told(
        "keytool",
        False,
        lambda r: chars(r, ALNUM, 16),
        "keytool -genkey -storepass {s} -keypass {s}",
    ),
    told(
        "nginx-header", False, lambda r: chars(r, HEX, 32), "proxy_set_header X-Internal-Token {s};"
    ),
    told("php-array", False, random_word, "'password' => '{s}',"),
    told(
        "xml-attribute", False, lambda r: chars(r, ALNUM, 24), '<add key="ApiSecret" value="{s}" />'
    ),
    told("toml-inline", False, random_word, 'database = {{ user = "app", password = "{s}" }}'),
    told("csv-row", False, lambda r: chars(r, ALNUM, 20), "name,api_key\nstaging,{s}"),
    told("powershell", False, lambda r: chars(r, ALNUM, 28), "$env:DEPLOY_TOKEN = '{s}'"),
    told("chat", False, lambda r: chars(r, ALNUM, 28), "here's the api key you asked for: {s}"),
)


def left(
    kinds: list[Kind], count: int, seed: int, show: bool = False
) -> tuple[int, int, Counter[str]]:
    """(secrets planted, secrets found again, by kind)."""
    from tacit.app import open as open_store
    from tacit.core.run import Finding, Run, Step
    from tacit.surfaces.cli import main

    samples: list[tuple[Kind, Sample]] = []
    makers = {kind.name: Random(f"{seed}:places:{kind.name}") for kind in kinds}
    while len(samples) < count:
        samples += [(kind, kind.make(makers[kind.name])) for kind in kinds][: count - len(samples)]
    with tempfile.TemporaryDirectory() as folder:
        env = {
            "HOME": folder,
            "XDG_DATA_HOME": f"{folder}/data",
            "USER": "bench",
            "PATH": os.environ.get("PATH", ""),
        }
        store = str(Path(folder) / "tacit.db")
        with open_store(store, "p", cwd=folder, env=env) as memories:
            for n, (_, sample) in enumerate(samples):
                flat, spread = (
                    " ".join(sample.text.split()),
                    json.dumps({"output": sample.text, "n": n}),
                )
                memories.learn(
                    Run(
                        f"r{n}",
                        "neutral",
                        task=sample.text,
                        task_id=flat,
                        branch=flat,
                        cwd=f"/srv/{flat}",
                        files=(f"notes/{flat}.md", sample.text),
                        agent="a",
                        complete=True,
                        steps=(
                            Step(
                                "user",
                                "1",
                                f"Always remember: {sample.text}",
                                typed=True,
                                speaker="typed",
                            ),
                            Step(
                                "tool",
                                "2",
                                tool="Bash",
                                input={"command": f"make check{n}"},
                                error=f"Error: {sample.text}",
                            ),
                            Step(
                                "tool",
                                "3",
                                tool="Bash",
                                input={"command": f"make setup; {flat}"},
                                output=spread,
                            ),
                            Step(
                                "tool",
                                "4",
                                tool="Bash",
                                input={"command": f"make check{n}"},
                                output=sample.text,
                            ),
                        ),
                        findings=(
                            Finding(
                                f"r{n}",
                                f"f{n}",
                                f"Case {n}: {sample.text}",
                                quote=spread,
                                paths=(f"a/{flat}",),
                                tags=(flat,),
                                extra={"said": [sample.text, spread]},
                            ),
                        ),
                    )
                )
            for name in ("jsonl", "csv"):
                Path(folder, f"out.{name}").write_text(
                    _exported(main, store, folder, name), encoding="utf-8"
                )
        _shared(store, folder, env, samples)
        _captured(store, samples)
        written = {
            str(path): path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()
        }
        everything = b"\n".join(written.values())
    found: Counter[str] = Counter()
    for kind, sample in samples:
        pieces = {
            secret[at : at + 10]
            for secret in sample.secrets
            for at in range(max(1, len(secret) - 9))
        }
        spelled = {each.encode() for piece in pieces for each in (piece, json.dumps(piece)[1:-1])}
        there = next((piece for piece in spelled if piece in everything), b"")
        found[kind.name] += bool(there)
        if there and show:
            for name, raw in written.items():
                if (at := raw.find(there)) >= 0:
                    print(
                        f"    {kind.name} in {Path(name).name}: {raw[max(0, at - 70) : at + 40]!r}"
                    )
    return len(samples), sum(found.values()), +found


def _exported(main: object, store: str, folder: str, name: str) -> str:
    import contextlib
    import io

    out = io.StringIO()
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(io.StringIO()),
        contextlib.suppress(SystemExit),
    ):
        main(["export", "--format", name, "--store", store, "--project", "p"])  # type: ignore[operator]
    return out.getvalue()


def _shared(
    store: str, folder: str, env: dict[str, str], samples: list[tuple[Kind, Sample]]
) -> None:
    """Each as a person's own lesson, in the file that `sync` writes for the team."""
    from tacit.app import open as open_store
    from tacit.testing import signed

    tree = Path(folder, "tree")
    subprocess.run(["git", "init", "-q", str(tree)], check=True)
    with open_store(store, cwd=str(tree), env=signed(env)) as memories:
        memories.add_many(
            {
                "text": f"Case {n}, for the team: {sample.text}",
                "kind": "fact",
                "tags": [" ".join(sample.text.split())],
            }
            for n, (_, sample) in enumerate(samples)
        )
        memories.sync()
    lines = sum(
        len(path.read_bytes().splitlines()) for path in (tree / ".tacit" / "journal").iterdir()
    )
    if lines < len(samples):
        raise SystemExit(
            f"sync wrote {lines} lines for {len(samples)} lessons: this place was not measured"
        )


def _captured(store: str, samples: list[tuple[Kind, Sample]]) -> None:
    """A host that keeps no session of its own: hooks write it down."""
    from tacit.hosts.dialect import Event
    from tacit.surfaces.hooks.capture import keep

    for n, (_, sample) in enumerate(samples):
        said = {
            "role": "tool",
            "tool": "Bash",
            "input": {"command": sample.text},
            "output": sample.text,
            "error": "",
        }
        event = Event(
            "tool-failure",
            "cursor",
            f"s{n % 7}",
            f"/srv/{' '.join(sample.text.split())}",
            f"k{n}",
            step=said,
        )
        keep(store, event)


def alarms(folders: list[Path], most: int = 200_000) -> tuple[int, int, list[str]]:
    """(lines read, lines with a redaction, examples) of what real sessions say and print."""
    from tacit.guard.redact import redact

    lines = hits = 0
    examples: list[str] = []
    for text in (text for folder in folders for text in _lines(folder, most // len(folders))):
        lines += 1
        if (found := redact(text[:2000])).hits:
            hits += 1
            if len(examples) < 400:
                examples.append(f"{found.hits[0].kind}: {found.text[:160]}")
    return lines, hits, examples


def _lines(folder: Path, most: int) -> Iterator[str]:
    """So many lines of a folder's sessions: every folder has its share, whatever its size."""
    every = (
        line
        for path in sorted(folder.rglob("*.jsonl"))
        for text in _texts(path)
        for line in text.splitlines()
        if line.strip()
    )
    return islice(every, most)


def _texts(path: Path) -> list[str]:
    found: list[str] = []

    def walk(at: object) -> None:
        if isinstance(at, str) and len(at) > 3:
            found.append(at)
        elif isinstance(at, dict):
            for name, each in at.items():
                if name not in (
                    "uuid",
                    "parentUuid",
                    "signature",
                    "id",
                    "sessionId",
                    "data",
                    "requestId",
                ):
                    walk(each)
        elif isinstance(at, list):
            for each in at:
                walk(each)

    for raw in path.read_text(encoding="utf-8", errors="replace").splitlines()[:400]:
        try:
            record = json.loads(raw)
        except ValueError:
            continue
        if isinstance(record, dict):
            walk(record.get("message") or record.get("payload") or {})
    return found


def run() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--show", action="store_true", help="where each leak stands")
    parser.add_argument("--transcripts", type=Path, nargs="*", default=[])
    parser.add_argument("--lines", type=int, default=60_000)
    args = parser.parse_args()
    known = [*LAST, *LATER, *FRESH, *KNOWN, *(kind for kind in UNKNOWN if kind.name in TAUGHT)]
    planted, leaked, by_kind = left(known, args.count, args.seed, args.show)
    print(
        f"kinds, with those that no rule was written for: {len(known)}; {planted} secrets in every place: {leaked} left ({leaked / planted:.1%}, bound {MOST_LEFT:.0%}) {dict(by_kind) or ''}"
    )
    fresh = left([*LAST], 4 * len(LAST), args.seed, args.show)
    print(
        f"kinds without a rule of their own, written for this: {len(LAST)}; {fresh[0]} secrets: {fresh[1]} left ({fresh[1] / fresh[0]:.1%}) {dict(fresh[2]) or ''}"
    )
    other = [kind for kind in UNKNOWN if kind.name not in TAUGHT]
    rest = left(other, 3 * len(other), args.seed)
    print(
        f"kinds without a rule of their own, from before: {len(other)}; {rest[0]} secrets: {rest[1]} left ({rest[1] / rest[0]:.1%}) {dict(rest[2])}"
    )
    bad = leaked > MOST_LEFT * planted
    if args.transcripts:
        lines, hits, examples = alarms(args.transcripts, args.lines)
        rate = 1000 * hits / max(lines, 1)
        print(
            f"{lines} lines of real sessions: {hits} with a redaction, {rate:.2f} in a thousand (bound {MOST_ALARMS:g})"
        )
        for kind, count in Counter(each.split(":")[0] for each in examples).most_common():
            print(f"  {kind} {count}: {next(each for each in examples if each.startswith(kind))}")
        bad = bad or rate > MOST_ALARMS
    return int(bad)


if __name__ == "__main__":
    sys.exit(run())
