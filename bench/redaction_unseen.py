"""Forty kinds of secrets written down before the rules that are measured on them were: what do generic means catch?

    python bench/redaction_unseen.py [--seed N] [--each 25] [--show]

Every second kind is for choosing: its misses may be read, and rules made of them. The others are for checking: their rate is read, their misses are
not, so that it says what happens to the next kind that nobody thought of. FIRST keeps what came out before any of those rules. A secret
counts as left where any ten of its characters in a row (all, of a shorter one) are still there.
"""

from __future__ import annotations

import argparse
import base64
import string
import sys
from pathlib import Path
from random import Random

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "src"), str(HERE)]

from redaction import (  # noqa: E402
    ALNUM,
    HEX,
    LOWER,
    SEED_WORDS,
    UPPER,
    URLSAFE,
    Kind,
    Sample,
    chars,
    human,
    told,
)

SYMBOLS = ALNUM + "!#%+"
FIRST = {"choose": (308, 500), "check": (293, 500)}  # left, planted


def password(r: Random) -> str:
    return chars(r, SYMBOLS, r.randint(12, 20))


def token(r: Random) -> str:
    return chars(r, ALNUM, r.choice((24, 32, 40)))


def key_of(count: int) -> object:
    return lambda r: base64.b64encode(r.randbytes(count)).decode()


def dashed(r: Random) -> str:
    return "-".join(chars(r, UPPER, 5) for _ in range(5))


def grouped(r: Random) -> Sample:
    made = [chars(r, LOWER, 4) + "-" + chars(r, LOWER, 4) for _ in range(5)]
    return Sample(
        r.choice(("Your one-time recovery codes:\n", "Saved these backup codes: "))
        + r.choice(("\n", " ")).join(made),
        tuple(made),
    )


def phrase(r: Random) -> str:
    return " ".join(r.sample(SEED_WORDS, r.choice((12, 24))))


KINDS = (
    told(
        "ipmi",
        False,
        password,
        "ipmitool -I lanplus -H 10.0.0.5 -U admin -P {s} chassis status",
        "ipmitool -U admin -P {s} sel list",
    ),
    told(
        "snmp-v3",
        False,
        password,
        "snmpwalk -v3 -l authPriv -u ops -a SHA -A {s} -x AES -X {s} 10.0.0.9",
        "snmp-server community {s} RO",
    ),
    told(
        "stdin-sudo",
        False,
        password,
        "echo '{s}' | sudo -S apt-get update",
        "echo {s} | sudo -S -k whoami",
    ),
    told(
        "stdin-kinit",
        False,
        password,
        "echo '{s}' | kinit app@EXAMPLE.COM",
        "printf '{s}' | docker login -u app --password-stdin registry.example.com",
    ),
    told(
        "chpasswd",
        False,
        password,
        "echo 'app:{s}' | chpasswd",
        "chpasswd:\n  list: |\n    app:{s}",
    ),
    told(
        "expect",
        False,
        password,
        'expect "assword:"\nsend "{s}\\r"',
        'spawn ssh app@host\nexpect "password:" {{ send "{s}\\r" }}',
    ),
    told("cli-login", False, token, "wandb login {s}", "railway login --browserless {s}"),
    told(
        "cli-authtoken",
        False,
        token,
        "ngrok config add-authtoken {s}",
        "gh auth login --with-token <<< {s}",
    ),
    told("short-option", False, token, "doctl auth init -t {s}", "glab auth login -t {s}"),
    told(
        "printed-file",
        False,
        token,
        "$ cat ~/.config/acme/token\n{s}",
        "$ cat .vault-token\n{s}\n$",
    ),
    told(
        "printed-field",
        False,
        token,
        "$ vault kv get -field=api_key secret/app\n{s}",
        "$ op read op://team/acme/credential\n{s}",
    ),
    told(
        "printed-secret",
        False,
        token,
        "$ kubectl get secret app -o jsonpath='{{.data.password}}' | base64 -d\n{s}",
        "$ gcloud secrets versions access latest --secret=app\n{s}",
    ),
    told(
        "call-client", False, token, 'client = AcmeClient("{s}")', "const acme = new Acme('{s}');"
    ),
    told("call-run", False, token, "bot.run('{s}')", 'sdk.init("{s}", {{ region: "eu" }})'),
    told(
        "positional",
        False,
        password,
        'conn = connect("db.example.com", "app", "{s}", "shop")',
        "mysqli_connect('db', 'app', '{s}', 'shop');",
    ),
    told(
        "chap",
        False,
        password,
        "# client server secret addresses\napp * {s} *",
        '"app" pptp "{s}" *',
    ),
    told(
        "in-path",
        False,
        token,
        "POST https://hooks.example.com/in/{s}",
        "https://ci.example.com/generic-webhook/{s}/invoke",
    ),
    told(
        "in-url-user",
        False,
        token,
        "git remote add mirror https://{s}:x-oauth-basic@git.example.com/a/b.git",
        "pip install --index-url https://{s}@pypi.example.com/simple x",
    ),
    told(
        "redis-url",
        False,
        token,
        "redis://:{s}@cache.example.com:6379/0",
        "rediss://default:{s}@cache.example.com:6380",
    ),
    told(
        "amqp-url",
        False,
        token,
        "amqps://app:{s}@mq.example.com/vhost",
        "mongodb+srv://app:{s}@cluster0.example.net/shop?retryWrites=true",
    ),
    told(
        "service-bus",
        False,
        key_of(32),
        "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey={s}",
    ),
    told(
        "storage-account",
        False,
        key_of(64),
        "DefaultEndpointsProtocol=https;AccountName=app;AccountKey={s};EndpointSuffix=core.windows.net",
    ),
    told(
        "vendor-header",
        False,
        lambda r: chars(r, HEX, 32),
        "Ocp-Apim-Subscription-Key: {s}",
        "x-functions-key: {s}",
        "curl -H 'apikey: {s}' https://api.example.com",
    ),
    told(
        "token-header",
        False,
        token,
        "PRIVATE-TOKEN: {s}",
        "X-Vault-Token: {s}",
        'headers: {{ "X-Auth-Key": "{s}" }}',
    ),
    told("slash-pair", False, password, "Log in to staging as admin / {s}", "creds: app / {s}"),
    told(
        "colon-pair",
        False,
        password,
        "use app:{s} for the staging site",
        "java -jar cli.jar -auth app:{s} list-jobs",
    ),
    told(
        "table-row",
        False,
        password,
        "| user | password |\n|---|---|\n| app | {s} |",
        "| host | user | password |\n| db1 | app | {s} |",
    ),
    told("csv-login", False, password, "user,password\napp,{s}", "login;passwd\napp;{s}"),
    told(
        "portuguese", False, human, "A senha é {s}.", "senha: {s}", "Use a senha {s} para entrar."
    ),
    told(
        "dutch-italian",
        False,
        human,
        "Het wachtwoord is {s}.",
        "La parola d'ordine è {s}.",
        "wachtwoord: {s}",
    ),
    told(
        "slavic",
        False,
        human,
        "Hasło: {s}",
        "Пароль: {s}",
        "пароль от тестовой базы {s}",
        "Heslo je {s}.",
    ),
    told(
        "east-asian",
        False,
        human,
        "密码是 {s}。",
        "密码：{s}",
        "パスワード：{s}",
        "비밀번호는 {s} 입니다.",
    ),
    told(
        "passcode",
        False,
        lambda r: chars(r, string.digits, 6),
        "The passcode is {s}.",
        "Enter PIN {s} on the reader.",
        "unlock code: {s}",
    ),
    told(
        "one-time",
        False,
        lambda r: chars(r, string.digits, 6),
        "Your verification code is {s}",
        "OTP: {s}",
        "The 2FA code was {s}",
    ),
    Kind("backup-codes", False, grouped),
    told(
        "recovery-phrase",
        False,
        phrase,
        "seed: {s}",
        "The recovery phrase of the wallet is: {s}",
        'mnemonic = "{s}"',
    ),
    told(
        "license",
        False,
        dashed,
        "License key: {s}",
        "activate --serial {s}",
        "The product key is {s}.",
    ),
    told(
        "salt",
        False,
        lambda r: chars(r, HEX, 32),
        "PASSWORD_PEPPER={s}",
        "HASH_SALT={s}",
        'salt: "{s}"',
    ),
    told(
        "wallet-key",
        False,
        lambda r: chars(r, HEX, 64),
        'signer = Account.from_key("0x{s}")',
        "export DEPLOYER=0x{s}",
        "--private-key 0x{s}",
    ),
    told(
        "session",
        False,
        lambda r: chars(r, URLSAFE, 42) + "x",
        "curl -b 'sid={s}' https://app.example.com",
        "session id {s}",
        'sessionStorage.setItem("jwt", "{s}")',
    ),
)


def left(kinds: list[Kind], each: int, seed: int, show: bool) -> tuple[int, int, dict[str, int]]:
    """(secrets left, planted, left by kind)."""
    from tacit.guard.redact import redact

    by_kind: dict[str, int] = {}
    for kind in kinds:
        maker, shown = Random(f"{seed}:unseen:{kind.name}"), set[str]()
        for _ in range(each):
            sample = kind.make(maker)
            out = redact(sample.text).text
            if any(
                secret[at : at + 10] in out
                for secret in sample.secrets
                for at in range(max(1, len(secret) - 9))
            ):
                by_kind[kind.name] = by_kind.get(kind.name, 0) + 1
                shown.add(
                    sample.text
                    if len(sample.secrets) > 1
                    else out.replace(sample.secrets[0], "…S…")
                )
        if show:
            for text in sorted(shown)[:6]:
                print(f"    {kind.name}: {text!r}")
    return sum(by_kind.values()), each * len(kinds), by_kind


def run() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=25)
    parser.add_argument(
        "--show",
        action="store_true",
        help="what is left of the kinds for choosing; of the others never",
    )
    args = parser.parse_args()
    for name, kinds in (("choose", [*KINDS[::2]]), ("check", [*KINDS[1::2]])):
        count, planted, by_kind = left(kinds, args.each, args.seed, args.show and name == "choose")
        before, of = FIRST[name]
        told_kinds = dict(by_kind) if name == "choose" else f"{len(by_kind)} kinds"
        print(
            f"{name}: {len(kinds)} kinds, {count} of {planted} left ({count / planted:.0%}; at first {before} of {of}) {told_kinds}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(run())
