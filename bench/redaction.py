"""How much does redaction catch, and how often does it cry wolf?

    python bench/redaction.py [--seed N] [--each N] [--data DIR] [--out FILE]

A seeded generator writes secrets of many kinds into prose, logs, code, URLs and diffs, and lessons that hold no
secret but look as if they might. A secret counts as caught only if every one of its characters is gone. Exit status
1: recall on the known kinds below 0.97, or false alarms above 0.2 % of the lessons.

A third of the kinds are *unknown*: their formats and sentences were written down from general knowledge and committed
before the first rule existed, and no rule is tuned on them. Their recall estimates what happens with the formats
nobody thought of. FIRST keeps what came out when the rules were first run on them.

With `--data`, a folder that holds `ace_playbooks/` and `injection/`, lessons and attacks written by others are measured
too, for `redact` and for `screen`; what is absent is skipped.
"""

from __future__ import annotations

import argparse
import base64
import csv
import json
import os
import string
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import process_time

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from tacit.learn import correcting
from tacit.safety.redact import redact
from tacit.safety.screen import screen
from tacit.testing import signed

LEAST_RECALL = 0.97
MOST_ALARMS = 0.002
LESSON_COUNT = 2_000

ALNUM = string.ascii_letters + string.digits
LOWER = string.ascii_lowercase + string.digits
UPPER = string.ascii_uppercase + string.digits
HEX = "0123456789abcdef"
URLSAFE = ALNUM + "-_"
BASE64 = ALNUM + "+/"
BASE32 = string.ascii_uppercase + "234567"


@dataclass(frozen=True)
class Sample:
    """A text and the secrets in it, none of whose characters may survive."""

    text: str
    secrets: tuple[str, ...]


@dataclass(frozen=True)
class Kind:
    """One kind of secret: how it looks and the sentences it is found in."""

    name: str
    known: bool
    make: Callable[[Random], Sample]


def chars(r: Random, alphabet: str, count: int) -> str:
    """A random string that has at least one digit and one letter where the alphabet has both, as real keys do."""
    while True:
        made = "".join(r.choices(alphabet, k=count))
        mixed = any(c.isdigit() for c in made) and any(c.isalpha() for c in made)
        if (
            mixed
            or count < 8
            or not (any(c.isdigit() for c in alphabet) and any(c.isalpha() for c in alphabet))
        ):
            return made


def b64(r: Random, count: int) -> str:
    return base64.b64encode(r.randbytes(count)).decode()


# ---- where secrets are found

# A token that says what it is may stand anywhere, also where no word announces it.
ANYWHERE = (
    "The deploy failed with 401 until I set the token to {s}.",
    "Use {s} for the staging calls, the old one has expired.",
    "The user pasted {s} and asked me to retry the upload.",
    "I tried `{s}` first and that worked, the other one did not.",
    "Worked after switching credentials ({s}) and clearing the cache",
    "Key: {s}, valid until Friday; rotate it afterwards.",
    "2026-03-02T10:11:12Z ERROR auth: rejected credential {s} (403)",
    "[debug] request headers: {{'x-key': '{s}', 'accept': '*/*'}}",
    'client = Client("{s}")',
    "const c = new Client({{ apiKey: '{s}', region: 'eu-west-1' }});",
    "export {V}_TOKEN={s}",
    '{V}_API_KEY: "{s}"',
    '{{"api_key": "{s}", "retries": 3}}',
    'api_key = "{s}"\nretries = 3',
    "https://api.example.com/v1/items?token={s}&page=2",
    'curl -sS -H "Authorization: Bearer {s}" https://api.example.com/v1/me',
    '--- a/settings.py\n+++ b/settings.py\n-KEY = "{s}"\n+KEY = os.environ["KEY"]\n',
    '{{"role":"tool","output":"export {V}_TOKEN={s}\\nexit 0"}}',
    "echo {s} | docker login --password-stdin registry.example.com",
    "{v} said the key {s} had been revoked",
)

# An opaque value is a secret only because something says so.
NAMED = (
    "export {V}_API_KEY={s}",
    "{V}_SECRET={s}",
    '{v}_token: "{s}"',
    '{{"{v}_api_key": "{s}", "timeout": 30}}',
    "{v}.apiKey = '{s}'",
    "The {v} API key is {s} and it is read at start-up.",
    "I set the {v} token to {s} in the staging environment.",
    "For {v} use the key {s} until the rotation on Monday.",
    'headers = {{"X-{v}-Api-Key": "{s}"}}',
    "-  {v}_key: {s}\n+  {v}_key: ${{{V}_KEY}}\n",
    '{{"role":"tool","output":"{V}_API_KEY={s}\\nok"}}',
    "https://api.example.com/v1/{v}?api_key={s}",
)


def anywhere(name: str, known: bool, vendor: str, token: Callable[[Random], str]) -> Kind:
    return Kind(name, known, lambda r: put(r, ANYWHERE, token(r), vendor))


def named(name: str, known: bool, vendor: str, token: Callable[[Random], str]) -> Kind:
    return Kind(name, known, lambda r: put(r, NAMED, token(r), vendor))


def told(name: str, known: bool, token: Callable[[Random], str], *sentences: str) -> Kind:
    return Kind(name, known, lambda r: put(r, sentences, token(r), ""))


def put(r: Random, sentences: tuple[str, ...], secret: str, vendor: str) -> Sample:
    text = r.choice(sentences).format(s=secret, v=vendor, V=vendor.upper().replace("-", "_"))
    return Sample(text, (secret,))


# ---- unknown kinds: written before any rule


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


SEED_WORDS = words(
    """
    abandon ability anchor apple arrow basket beach bicycle bridge cactus camera canyon castle cherry circle
    copper cradle dolphin dragon eager elbow engine fabric falcon feather forest garden giraffe glimpse hammer
    harvest hollow indoor island jacket jungle kitten ladder lemon lizard magnet mango meadow monkey nephew
    noble ocean olive orange oyster paddle pepper planet puzzle quantum rabbit ribbon river saddle salmon shadow
    silver spider sunset tackle timber tunnel unicorn velvet violin walnut whisper window winter wisdom yellow
    zebra
    """
)
HUMAN_WORDS = words(
    """
    Sommer Winter Tiger Falcon Blue Rocket Coffee Maple Summit Lisbon Copper Monday Panda Harbor Violet Granite
    """
)


def human(r: Random) -> str:
    """A password as people choose them."""
    a, b = r.sample(HUMAN_WORDS, 2)
    return r.choice(
        (
            f"{a}{r.randint(10, 9999)}!",
            f"{a.lower()}{b}{r.randint(1, 99)}",
            f"{a}-{b}-{r.randint(100, 999)}",
            f"{a[:3]}$" + chars(r, ALNUM, 7),
            chars(r, ALNUM + "!#%+", 12),
        )
    )


def codes(r: Random) -> Sample:
    made = [chars(r, LOWER, 5) + "-" + chars(r, LOWER, 5) for _ in range(4)]
    head = r.choice(
        ("Backup codes: ", "The 2FA recovery codes are ", "Recovery codes for the CI account:\n")
    )
    return Sample(head + r.choice((", ", "\n", " ")).join(made), tuple(made))


def cluster_secret(r: Random) -> Sample:
    value = base64.b64encode(chars(r, ALNUM, r.randint(12, 30)).encode()).decode()
    field = r.choice(("password", "db-password", "api-token", "tls.key", "credentials"))
    return Sample(
        f"apiVersion: v1\nkind: Secret\nmetadata:\n  name: app\ntype: Opaque\ndata:\n  {field}: {value}\n",
        (value,),
    )


def command_line(r: Random) -> Sample:
    secret = chars(r, ALNUM, r.randint(10, 18))
    line = r.choice(
        (
            "mysql -u root -p{s} app < dump.sql",
            "sshpass -p {s} ssh deploy@10.0.0.4 uptime",
            "redis-cli -h cache -a {s} PING",
            "PGPASSWORD={s} psql -h db -U app -c 'select 1'",
            "docker login -u ci -p {s} registry.example.com",
            "curl -u deploy:{s} https://ci.example.com/api/json",
            "mongosh --username app --password {s} db.example.com",
            "openssl pkcs12 -in bundle.p12 -passin pass:{s} -nodes",
            "az login --service-principal -u http://app -p {s} --tenant t1",
        )
    )
    lead = r.choice(("", "$ ", "Worked with: ", "Run `", "The fix was to call "))
    return Sample(lead + line.format(s=secret) + ("`" if lead.endswith("`") else ""), (secret,))


def putty(r: Random) -> Sample:
    lines = [chars(r, BASE64, 64) for _ in range(3)]
    head = "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: ci\nPrivate-Lines: 3\n"
    return Sample(head + "\n".join(lines) + f"\nPrivate-MAC: {chars(r, HEX, 64)}\n", tuple(lines))


def invented(r: Random) -> str:
    """What a vendor nobody has heard of hands out, after the fashion of the others."""
    return f"{chars(r, string.ascii_lowercase, r.randint(3, 6))}_live_{chars(r, ALNUM, 32)}"


UNKNOWN = (
    anywhere("groq", False, "groq", lambda r: "gsk_" + chars(r, ALNUM, 52)),
    anywhere("perplexity", False, "perplexity", lambda r: "pplx-" + chars(r, ALNUM, 48)),
    anywhere("xai", False, "xai", lambda r: "xai-" + chars(r, ALNUM, 80)),
    anywhere("replicate", False, "replicate", lambda r: "r8_" + chars(r, ALNUM, 37)),
    anywhere(
        "tailscale",
        False,
        "tailscale",
        lambda r: f"tskey-auth-k{chars(r, ALNUM, 11)}CNTRL-{chars(r, ALNUM, 32)}",
    ),
    anywhere("figma", False, "figma", lambda r: "figd_" + chars(r, URLSAFE, 39) + "x"),
    anywhere(
        "airtable-pat", False, "airtable", lambda r: f"pat{chars(r, ALNUM, 14)}.{chars(r, HEX, 64)}"
    ),
    anywhere(
        "mapbox-secret",
        False,
        "mapbox",
        lambda r: f"sk.eyJ1Ijoi{chars(r, ALNUM, 60)}.{chars(r, ALNUM, 22)}",
    ),
    anywhere("fly", False, "fly", lambda r: "fm2_" + b64(r, 120)),
    anywhere("render", False, "render", lambda r: "rnd_" + chars(r, ALNUM, 28)),
    anywhere(
        "pinecone", False, "pinecone", lambda r: f"pcsk_{chars(r, ALNUM, 5)}_{chars(r, ALNUM, 63)}"
    ),
    anywhere("resend", False, "resend", lambda r: f"re_{chars(r, ALNUM, 8)}_{chars(r, ALNUM, 24)}"),
    anywhere("contentful", False, "contentful", lambda r: "CFPAT-" + chars(r, URLSAFE, 42) + "x"),
    anywhere("1password", False, "op", lambda r: "ops_eyJ" + chars(r, ALNUM, 250)),
    anywhere("invented-vendor", False, "acme", invented),
    told(
        "okta-ssws",
        False,
        lambda r: "00" + chars(r, URLSAFE, 39) + "x",
        "Authorization: SSWS {s}",
        'curl -H "Authorization: SSWS {s}" https://dev-1.okta.example/api/v1/users',
        "headers['Authorization'] = 'SSWS {s}'",
        "Okta answered 403 although I sent SSWS {s}",
    ),
    told(
        "wifi-passphrase",
        False,
        human,
        "The lab Wi-Fi is called hangar and the passphrase is {s}, needed for the device tests.",
        "wpa_passphrase={s}",
        "Join the office network with WPA key {s} before flashing.",
        "nmcli dev wifi connect hangar password {s}",
    ),
    told(
        "keep",
        False,
        "--always",
        lambda r: chars(r, string.digits, r.choice((4, 6, 8))),
        "The PIN is {s}, enter it twice on the emulator.",
        "Unlock the test phone with PIN {s}.",
        "The door code is {s}, ask before using it.",
        "Simulator passcode: {s}",
        "One-time code {s} was accepted on the second try.",
    ),
    told(
        "prose-other-language",
        False,
        human,
        "A senha do banco de testes é {s}, não a mude.",
        "La password del server di prova è {s}.",
        "Het wachtwoord van de testgebruiker is {s}.",
        "Hasło do bazy testowej to {s}.",
        "Lösenordet till testservern är {s}.",
        "テスト用のパスワードは {s} です。",
    ),
    told(
        "seed-phrase",
        False,
        lambda r: " ".join(r.sample(SEED_WORDS, 12)),
        "The wallet's seed phrase is {s}.",
        'MNEMONIC="{s}"',
        "mnemonic: {s}",
        "Recovery phrase for the test wallet: {s}",
    ),
    told(
        "bitcoin-wif",
        False,
        lambda r: r.choice("KL") + chars(r, ALNUM.translate({ord(c): None for c in "0OIl"}), 51),
        "Import the private key {s} into the regtest wallet.",
        "bitcoin-cli importprivkey {s} faucet",
        "WIF: {s}",
        'wallet.load("{s}")',
    ),
    told(
        "ethereum-key",
        False,
        lambda r: chars(r, HEX, 64),
        "PRIVATE_KEY=0x{s}",
        "The deployer's private key is 0x{s}.",
        'const wallet = new ethers.Wallet("0x{s}");',
        'accounts: ["0x{s}"]  // deployer private key',
        "cast send --private-key 0x{s} --rpc-url http://localhost:8545",
    ),
    told(
        "wireguard",
        False,
        lambda r: b64(r, 32),
        "[Interface]\nPrivateKey = {s}\nAddress = 10.8.0.2/24",
        "wg set wg0 private-key {s}",
        "PresharedKey = {s}",
        "The VPN came up once the private key was {s}.",
    ),
    told(
        "totp",
        False,
        lambda r: chars(r, BASE32, r.choice((16, 32))),
        "otpauth://totp/Acme:ci@example.com?secret={s}&issuer=Acme",
        "The TOTP secret is {s}.",
        "oathtool --totp -b {s}",
        'pyotp.TOTP("{s}").now()',
        "Scan failed, so I typed the 2FA seed {s} by hand.",
    ),
    Kind("command-line", False, command_line),
    told(
        "password-hash",
        False,
        lambda r: r.choice(
            (
                "$2y$10$" + chars(r, ALNUM + "./", 53),
                f"$6${chars(r, ALNUM, 8)}${chars(r, ALNUM + './', 86)}",
                f"$argon2id$v=19$m=65536,t=3,p=4${chars(r, ALNUM, 22)}${chars(r, ALNUM, 43)}",
                "$apr1$" + chars(r, ALNUM, 8) + "$" + chars(r, ALNUM + "./", 22),
            )
        ),
        "admin:{s}",
        "root:{s}:19000:0:99999:7:::",
        "password_hash = '{s}'",
        "The seed user's hash is {s} in fixtures.sql",
    ),
    Kind("kubernetes-secret", False, cluster_secret),
    Kind("recovery-codes", False, codes),
    told(
        "jwk-private",
        False,
        lambda r: chars(r, URLSAFE, 42) + "A",
        '{{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","d":"{s}"}}',
        '{{"kty": "OKP", "crv": "Ed25519", "d": "{s}", "use": "sig"}}',
    ),
    told(
        "session-cookie",
        False,
        lambda r: f"s%3A{chars(r, URLSAFE, 31)}x.{chars(r, ALNUM, 43)}",
        "Cookie: theme=dark; connect.sid={s}",
        "Set-Cookie: connect.sid={s}; Path=/; HttpOnly",
        "curl --cookie 'connect.sid={s}' https://app.example.com/me",
        "Reproduced it with the session cookie {s} from the browser.",
    ),
    told(
        "windows-command",
        False,
        lambda r: chars(r, ALNUM, 12),
        "cmdkey /add:fileserver /user:ci /pass:{s}",
        "net use Z: \\\\fileserver\\build /user:ci {s}",
        "ConvertTo-SecureString '{s}' -AsPlainText -Force",
        '<add key="AdminPassword" value="{s}" />',
    ),
    told(
        "smtp-auth",
        False,
        lambda r: base64.b64encode(f"\0ci@example.com\0{chars(r, ALNUM, 12)}".encode()).decode(),
        "C: AUTH PLAIN {s}",
        "smtp: sent AUTH PLAIN {s}, got 535",
    ),
    Kind("putty-key", False, putty),
)


# ---- known kinds: the rules were written for these


def pem(r: Random) -> Sample:
    """A private key: whole, cut off, or on one line as environment variables hold it."""
    kind = r.choice(
        (
            "RSA PRIVATE KEY",
            "PRIVATE KEY",
            "EC PRIVATE KEY",
            "OPENSSH PRIVATE KEY",
            "ENCRYPTED PRIVATE KEY",
        )
    )
    lines = [chars(r, BASE64, 64) for _ in range(r.randint(2, 8))] + [
        chars(r, BASE64, r.randint(18, 63)) + "="
    ]
    head, tail = f"-----BEGIN {kind}-----", f"-----END {kind}-----"
    cut = lines[: r.randint(1, len(lines))]
    text = r.choice(
        (
            "\n".join([head, *lines, tail, ""]),
            "The key in the log was\n" + "\n".join([head, *lines, tail]) + "\nand I removed it.",
            "\n".join([head, *cut]),
            'PRIVATE_KEY="' + "\\n".join([head, *lines, tail, ""]) + '"',
            '{"private_key": "' + "\\n".join([head, *lines, tail, ""]) + '", "client_id": "1"}',
            "\n".join("+" + line for line in [head, *lines, tail]),
            "Log cut here: " + "\\n".join([head, *cut]),
        )
    )
    return Sample(text, tuple(line for line in lines if line in text))


def pgp(r: Random) -> Sample:
    lines = [chars(r, BASE64, 64) for _ in range(4)]
    head, tail = "-----BEGIN PGP PRIVATE KEY BLOCK-----", "-----END PGP PRIVATE KEY BLOCK-----"
    return Sample("\n".join((head, "Version: GnuPG v2", "", *lines, tail)), tuple(lines))


def jwt(r: Random) -> str:
    parts = [
        base64.urlsafe_b64encode(p.encode()).decode().rstrip("=")
        for p in ('{"alg":"HS256","typ":"JWT"}', f'{{"sub":"{r.randint(1, 10**9)}"}}')
    ]
    return ".".join([*parts, chars(r, URLSAFE, 42) + "x"])


def basic(r: Random) -> str:
    return base64.b64encode(f"ci:{chars(r, ALNUM, 14)}".encode()).decode()


def url_login(r: Random) -> Sample:
    secret = chars(r, ALNUM + "!$*-_.~", r.randint(9, 24)) + "x"
    scheme = r.choice(
        ("postgres", "postgresql", "mysql", "mongodb+srv", "redis", "amqp", "https", "ftp", "smtp")
    )
    url = f"{scheme}://app:{secret}@db-{r.randint(1, 9)}.example.com:5432/orders"
    return Sample(
        r.choice(
            (
                "DATABASE_URL={u}",
                "Connect with {u} from CI.",
                'dsn = "{u}"',
                "git clone failed for {u}: 403",
                "- url: {u}\n+ url: $DATABASE_URL",
            )
        ).format(u=url),
        (secret,),
    )


def signed_url(r: Random) -> Sample:
    kind = r.randint(0, 3)
    if kind == 0:
        secret = chars(r, HEX, 64)
        url = f"https://bucket.s3.amazonaws.com/a.tgz?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=20260301T000000Z&X-Amz-Expires=300&X-Amz-Signature={secret}"
    elif kind == 1:
        secret = chars(r, ALNUM, 40) + "%3D"
        url = f"https://acct.blob.core.windows.net/c/a.zip?sv=2022-11-02&se=2026-03-01T00%3A00%3A00Z&sr=b&sp=r&sig={secret}"
    elif kind == 2:
        secret = chars(r, HEX, 128)
        url = f"https://storage.googleapis.com/b/o?X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Expires=300&X-Goog-Signature={secret}"
    else:
        secret = chars(r, URLSAFE, 30) + "x"
        url = f"https://files.example.com/report.pdf?expires=1772323200&signature={secret}"
    return Sample(
        r.choice(
            ("Downloaded {u} twice.", "curl -O '{u}'", "GET {u} -> 403", "[archive]({u})")
        ).format(u=url),
        (secret,),
    )


def hook_url(r: Random) -> Sample:
    kind = r.randint(0, 3)
    if kind == 0:
        secret = f"T{chars(r, UPPER, 10)}/B{chars(r, UPPER, 10)}/{chars(r, ALNUM, 24)}"
        url = f"https://hooks.slack.com/services/{secret}"
    elif kind == 1:
        secret = chars(r, URLSAFE, 67) + "x"
        url = f"https://discord.com/api/webhooks/{r.randint(10**17, 10**18)}/{secret}"
    elif kind == 2:
        secret = f"{r.randint(10**9, 10**10 - 1)}:AA{chars(r, URLSAFE, 32)}x"
        url = f"https://api.telegram.org/bot{secret}/sendMessage"
    else:
        secret = f"{uuid(r)}@{uuid(r)}/IncomingWebhook/{chars(r, HEX, 32)}/{uuid(r)}"
        url = f"https://acme.webhook.office.com/webhookb2/{secret}"
    return Sample(
        r.choice(
            ("Alerts go to {u}", "WEBHOOK_URL={u}", 'notify("{u}")', "curl -d @m.json {u}")
        ).format(u=url),
        (secret,),
    )


def aws_pair(r: Random) -> Sample:
    key, secret = "AKIA" + chars(r, BASE32, 16), chars(r, BASE64, 40)
    text = r.choice(
        (
            "[default]\naws_access_key_id = {k}\naws_secret_access_key = {s}\n",
            "AWS_ACCESS_KEY_ID={k} AWS_SECRET_ACCESS_KEY={s} terraform apply",
            "The CI user has {k} / {s}, do not use it locally.",
            '{{"AccessKeyId": "{k}", "SecretAccessKey": "{s}"}}',
        )
    ).format(k=key, s=secret)
    return Sample(text, (key, secret))


def azure_storage(r: Random) -> Sample:
    secret = b64(r, 64)
    text = r.choice(
        (
            "DefaultEndpointsProtocol=https;AccountName=acct;AccountKey={s};EndpointSuffix=core.windows.net",
            "Endpoint=sb://bus.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey={s}",
            "AZURE_STORAGE_KEY={s}",
            "az storage blob list --account-key {s} --account-name acct",
        )
    )
    return Sample(text.format(s=secret), (secret,))


def connection(r: Random) -> Sample:
    secret = chars(r, ALNUM + "!#%*", r.randint(9, 16)) + "x"
    text = r.choice(
        (
            "Server=db.example.com;Database=orders;User Id=app;Password={s};Encrypt=True",
            "host=db.example.com dbname=orders user=app password={s} sslmode=require",
            "jdbc:postgresql://db.example.com/orders?user=app&password={s}&ssl=true",
            "Driver={{ODBC Driver 18}};Server=tcp:x,1433;Uid=app;Pwd={s};Encrypt=yes;",
        )
    )
    return Sample(text.format(s=secret), (secret,))


def uuid(r: Random) -> str:
    return "-".join(chars(r, HEX, n) for n in (8, 4, 4, 4, 12))


PROSE_EN = (
    "The password is {s}, it was never rotated.",
    "The password for the staging database is {s}.",
    "I logged in with password {s} and it worked.",
    "Password: {s}",
    "We changed the admin password to {s} yesterday.",
    "Use `{s}` as the password for the test account.",
    "The passphrase of the deploy key was {s}",
    "{s} is the password of the seed user.",
    "login admin, password {s}, then open /settings",
    'The root password is "{s}".',
)
PROSE_DE = (
    "Mein Passwort lautet {s}.",
    "Das Passwort für die Datenbank ist {s}, bitte nicht weitergeben.",
    "Das Kennwort des Testnutzers ist jetzt {s}.",
    "Passwort: {s}",
    "Ich habe das Passwort auf {s} geändert.",
)
PROSE_ES = (
    "La contraseña es {s}.",
    "La contraseña de la base de datos es {s}, no la cambies.",
    "Contraseña: {s}",
    "Entra con la contraseña {s} y prueba otra vez.",
)
PROSE_FR = (
    "Le mot de passe est {s}.",
    "Le mot de passe de la base est {s}, ne le change pas.",
    "Mot de passe : {s}",
    "Connecte-toi avec le mot de passe {s} puis relance.",
)
PROSE_TOKEN = (
    "Use token {s} for the upload.",
    "The API token is {s}.",
    "I set the token to {s} and the build passed.",
    "The secret is {s}; it goes into the header.",
    "El token es {s}.",
    "Der Token ist {s}.",
    "Le jeton est {s}.",
    "Benutze den API-Schlüssel {s} nur in CI.",
    "Send {s} as the token.",
    "The bearer token was {s} at the time.",
)
SETTINGS = (
    "DB_PASSWORD={s}",
    "export SMTP_PASS='{s}'",
    'password = "{s}"',
    "password: {s}",
    '{{"username": "app", "password": "{s}"}}',
    '{{\\"user\\": \\"app\\", \\"password\\": \\"{s}\\"}}',
    "spring.datasource.password={s}",
    'dbPassword: "{s}",',
    "+  adminPassword: '{s}'",
    "os.environ['DB_PASSWORD'] = '{s}'",
    "mysqldump --user=root --password={s} orders",
    "docker run -e POSTGRES_PASSWORD={s} postgres:16",
    "<password>{s}</password>",
    "- name: DB_PASSWORD\n  value: {s}",
    "ENV DB_PASSWORD={s}",
    "client_secret={s}&grant_type=client_credentials",
    "SESSION_SECRET={s}",
)
HEADERS = (
    "Authorization: Bearer {s}",
    'curl -H "Authorization: Bearer {s}" https://api.example.com',
    "headers = {{'Authorization': 'Bearer {s}'}}",
    '"Authorization": "token {s}"',
    "X-Api-Key: {s}",
    "requests.get(url, headers={{'X-Auth-Token': '{s}'}})",
    "PRIVATE-TOKEN: {s}",
    "> authorization: Bearer {s}\n< HTTP/2 401",
)
COOKIES = (
    "Cookie: theme=dark; sessionid={s}",
    "Set-Cookie: JSESSIONID={s}; Path=/; HttpOnly; Secure",
    "curl -H 'Cookie: _app_session={s}' https://app.example.com/me",
    'headers["Cookie"] = "sid={s}; lang=en"',
)
NETRC = (
    "machine api.example.com login ci password {s}",
    "machine github.com\n  login bot\n  password {s}\n",
    "db.example.com:5432:orders:app:{s}",
    "//registry.example.com/:_authToken={s}",
)

KNOWN = (
    Kind("aws-pair", True, aws_pair),
    anywhere("aws-access-key", True, "aws", lambda r: "ASIA" + chars(r, BASE32, 16)),
    anywhere("gcp-api-key", True, "google", lambda r: "AIza" + chars(r, URLSAFE, 34) + "x"),
    anywhere("gcp-oauth-secret", True, "google", lambda r: "GOCSPX-" + chars(r, URLSAFE, 27) + "x"),
    anywhere("gcp-access-token", True, "google", lambda r: "ya29." + chars(r, URLSAFE, 100) + "x"),
    Kind("azure-storage", True, azure_storage),
    anywhere(
        "azure-ad-secret",
        True,
        "azure",
        lambda r: f"{chars(r, ALNUM, 3)}8Q~{chars(r, ALNUM + '._~-', 33)}x",
    ),
    anywhere(
        "github-classic",
        True,
        "github",
        lambda r: r.choice(("ghp_", "gho_", "ghu_", "ghs_", "ghr_")) + chars(r, ALNUM, 36),
    ),
    anywhere(
        "github-fine-grained",
        True,
        "github",
        lambda r: f"github_pat_{chars(r, ALNUM, 22)}_{chars(r, ALNUM, 59)}",
    ),
    anywhere(
        "gitlab",
        True,
        "gitlab",
        lambda r: r.choice(("glpat-", "gldt-", "glrt-", "glptt-")) + chars(r, URLSAFE, 19) + "x",
    ),
    anywhere(
        "slack-bot",
        True,
        "slack",
        lambda r: (
            f"xoxb-{chars(r, string.digits, 12)}-{chars(r, string.digits, 12)}-{chars(r, ALNUM, 24)}"
        ),
    ),
    anywhere(
        "slack-app",
        True,
        "slack",
        lambda r: (
            f"xapp-1-A{chars(r, UPPER, 10)}-{chars(r, string.digits, 13)}-{chars(r, HEX, 64)}"
        ),
    ),
    anywhere(
        "stripe",
        True,
        "stripe",
        lambda r: (
            r.choice(("sk_live_", "sk_test_", "rk_live_")) + chars(r, ALNUM, r.choice((24, 99)))
        ),
    ),
    anywhere("anthropic", True, "anthropic", lambda r: f"sk-ant-api03-{chars(r, URLSAFE, 93)}AA"),
    anywhere(
        "openai-project",
        True,
        "openai",
        lambda r: f"sk-proj-{chars(r, URLSAFE, 73)}xT3BlbkFJ{chars(r, URLSAFE, 73)}x",
    ),
    anywhere(
        "openai-classic",
        True,
        "openai",
        lambda r: f"sk-{chars(r, ALNUM, 20)}T3BlbkFJ{chars(r, ALNUM, 20)}",
    ),
    anywhere("huggingface", True, "hf", lambda r: "hf_" + chars(r, string.ascii_letters, 34)),
    anywhere("npm", True, "npm", lambda r: "npm_" + chars(r, ALNUM, 36)),
    anywhere("pypi", True, "pypi", lambda r: "pypi-AgEIcHlwaS5vcmc" + chars(r, URLSAFE, 150) + "x"),
    anywhere("twilio-key", True, "twilio", lambda r: "SK" + chars(r, HEX, 32)),
    named("twilio-auth-token", True, "twilio", lambda r: chars(r, HEX, 32)),
    anywhere(
        "sendgrid",
        True,
        "sendgrid",
        lambda r: f"SG.{chars(r, URLSAFE, 22)}.{chars(r, URLSAFE, 42)}x",
    ),
    anywhere("mailgun", True, "mailgun", lambda r: "key-" + chars(r, HEX, 32)),
    anywhere("mailchimp", True, "mailchimp", lambda r: f"{chars(r, HEX, 32)}-us{r.randint(1, 21)}"),
    anywhere(
        "discord-bot",
        True,
        "discord",
        lambda r: f"M{chars(r, ALNUM, 23)}.{chars(r, ALNUM, 6)}.{chars(r, URLSAFE, 37)}x",
    ),
    anywhere(
        "telegram-bot",
        True,
        "telegram",
        lambda r: f"{r.randint(10**9, 10**10 - 1)}:AA{chars(r, URLSAFE, 32)}x",
    ),
    named("datadog", True, "datadog", lambda r: chars(r, HEX, r.choice((32, 40)))),
    anywhere("newrelic", True, "newrelic", lambda r: "NRAK-" + chars(r, UPPER, 27)),
    anywhere(
        "shopify",
        True,
        "shopify",
        lambda r: r.choice(("shpat_", "shpca_", "shppa_", "shpss_")) + chars(r, HEX, 32),
    ),
    anywhere("digitalocean", True, "digitalocean", lambda r: "dop_v1_" + chars(r, HEX, 64)),
    named("heroku", True, "heroku", uuid),
    anywhere("vault", True, "vault", lambda r: "hvs." + chars(r, URLSAFE, 91) + "x"),
    anywhere("doppler", True, "doppler", lambda r: "dp.pt." + chars(r, ALNUM, 43)),
    anywhere("databricks", True, "databricks", lambda r: "dapi" + chars(r, HEX, 32)),
    anywhere("linear", True, "linear", lambda r: "lin_api_" + chars(r, ALNUM, 40)),
    anywhere(
        "notion",
        True,
        "notion",
        lambda r: r.choice(
            (
                f"ntn_{chars(r, string.digits, 11)}{chars(r, ALNUM, 35)}",
                "secret_" + chars(r, ALNUM, 43),
            )
        ),
    ),
    anywhere("postman", True, "postman", lambda r: f"PMAK-{chars(r, HEX, 24)}-{chars(r, HEX, 34)}"),
    anywhere("sentry", True, "sentry", lambda r: "sntryu_" + chars(r, HEX, 64)),
    anywhere("supabase", True, "supabase", lambda r: "sbp_" + chars(r, HEX, 40)),
    named("cloudflare", True, "cloudflare", lambda r: chars(r, URLSAFE, 39) + "x"),
    named("algolia", True, "algolia", lambda r: chars(r, HEX, 32)),
    named("vercel", True, "vercel", lambda r: chars(r, ALNUM, 24)),
    anywhere(
        "terraform-cloud",
        True,
        "tf",
        lambda r: f"{chars(r, ALNUM, 14)}.atlasv1.{chars(r, ALNUM, 67)}",
    ),
    anywhere(
        "grafana", True, "grafana", lambda r: f"glsa_{chars(r, ALNUM, 32)}_{chars(r, HEX, 8)}"
    ),
    anywhere(
        "atlassian",
        True,
        "jira",
        lambda r: f"ATATT3xFfGF0{chars(r, URLSAFE, 170)}={chars(r, HEX, 8).upper()}",
    ),
    anywhere("docker-hub", True, "docker", lambda r: "dckr_pat_" + chars(r, URLSAFE, 26) + "x"),
    anywhere(
        "planetscale", True, "planetscale", lambda r: "pscale_tkn_" + chars(r, URLSAFE, 42) + "x"
    ),
    anywhere(
        "age",
        True,
        "age",
        lambda r: "AGE-SECRET-KEY-1" + chars(r, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
    ),
    anywhere("jwt", True, "auth", jwt),
    Kind("private-key-pem", True, pem),
    Kind("private-key-pgp", True, pgp),
    told("bearer-header", True, lambda r: chars(r, URLSAFE, r.randint(20, 60)) + "x", *HEADERS),
    told(
        "basic-header",
        True,
        basic,
        "Authorization: Basic {s}",
        "curl -H 'Authorization: Basic {s}' https://ci.example.com",
        '{{"auths": {{"registry.example.com": {{"auth": "{s}"}}}}}}',
    ),
    told("cookie", True, lambda r: chars(r, ALNUM, 32), *COOKIES),
    Kind("url-password", True, url_login),
    Kind("signed-url", True, signed_url),
    Kind("webhook-url", True, hook_url),
    told(
        "url-parameter",
        True,
        lambda r: chars(r, ALNUM, 28),
        "https://api.example.com/v1/items?access_token={s}",
        "GET /v1/me?token={s}&page=2 401",
        "wss://stream.example.com/feed?api_key={s}",
        "https://app.example.com/cb#access_token={s}&state=1",
        "https://maps.example.com/js?key={s}&libraries=geo",
    ),
    Kind("connection-string", True, connection),
    told("setting-human", True, human, *SETTINGS),
    told("setting-random", True, lambda r: chars(r, ALNUM, r.randint(16, 40)), *SETTINGS),
    told("netrc", True, lambda r: chars(r, ALNUM, 20), *NETRC),
    told("prose-english", True, human, *PROSE_EN),
    told("prose-german", True, human, *PROSE_DE),
    told("prose-spanish", True, human, *PROSE_ES),
    told("prose-french", True, human, *PROSE_FR),
    told(
        "prose-token",
        True,
        lambda r: r.choice((chars(r, ALNUM, r.randint(14, 40)), b64(r, 32))),
        *PROSE_TOKEN,
    ),
)


# ---- lessons without a secret: also written before any rule

LESSONS = (
    # words that announce secrets, used of something else
    "The token limit is {n}; longer prompts are cut at the end.",
    "Token counts come from `{mod}.count_tokens`, not from len(text).",
    "Use a token bucket with {n} requests per minute in {path}.",
    "The password is hashed with bcrypt in {path}; never compare strings.",
    "The password field must be cleared after a failed login, see {path}:{n}.",
    "The secret is to run `make migrate` before {cmd}.",
    "Passwords are validated in {path} by `validate_password`, minimum length {n}.",
    "The key is a composite of (tenant_id, {ident}) and must stay unique.",
    "The primary key is {ident}_id, a bigint.",
    "The API key is read from {ENV}; tests set it to an empty string.",
    "Set {ENV} before running {cmd}, otherwise the client raises KeyError.",
    "The token is refreshed {n} seconds before expiry in {path}.",
    "Access tokens expire after {n} minutes; refresh tokens live in an httpOnly cookie.",
    "Credentials are loaded from ~/.aws/credentials by profile name `{ident}`.",
    "Secrets live in Vault under secret/data/{ident}/{mod}, never in {path}.",
    "Never commit .env; {ENV} belongs in the CI settings.",
    "password={ENV} in the compose file refers to the variable, not the value.",
    "Rotate the signing key every {n} days; the rotation job is {mod}.rotate.",
    "The auth token parser in {path} rejects tokens without a `kid` header.",
    "The lexer emits token IDENT for `{ident}` and token NUMBER for {n}.",
    "Use Token.{Camel} instead of the string '{ident}' in {path}.",
    "The cache key is {ident}:{n}:v{small}, see {path}.",
    "Use key {ident}.{mod} in the translation files, not {ident}-{mod}.",
    "The partition key is {ident}, the sort key is {mod}#{date}.",
    "The encryption key must be {n} bytes long, or {mod} raises ValueError.",
    "Passing token=None disables auth in the test client ({path}).",
    "The session cookie is named sid and set to SameSite=Lax in {path}.",
    "`Authorization: Bearer <token>` is required on every call but /health.",
    "Send `Authorization: Bearer ${{{ENV}}}`; a missing header gives 401 from {host}.",
    "Add the header X-Request-Id: {uuid} to trace a call through {mod}.",
    "basic auth is disabled on {host}; use OIDC.",
    "Mein Passwort wird nie geloggt; siehe {path}.",
    "Das Passwort ist in {path} als Argon2-Hash abgelegt.",
    "La contraseña se valida en {path} con {mod}.check.",
    "Le mot de passe est vérifié par {mod}.verify dans {path}.",
    "El token se renueva cada {n} segundos.",
    # settings without a value, or with a placeholder
    "{ENV}=<token> {cmd}",
    "{ENV}=your-api-key-here in .env.example is a placeholder.",
    "{ENV}=xxxxxxxxxxxxxxxx",
    '{ENV}: "${{{{ secrets.{ENV} }}}}" in .github/workflows/ci.yml',
    'password = os.environ["{ENV}"]',
    'api_key = os.getenv("{ENV}", "")',
    "const apiKey = process.env.{ENV};",
    "apiKey: string; // set by {mod}",
    "token: str | None = None",
    "def login(self, username: str, password: str) -> Session:",
    "secret_key_base: <%= ENV['{ENV}'] %>",
    "password: {{{{ vault_db_password }}}}",
    "password = config.{mod}.{ident}",
    "token = await get_token(self.{ident})",
    "secret = derive_secret({ident}, rounds={n})",
    "if not token: raise AuthError('{ident}')",
    "private_key_path = '{path}'",
    "SECRET_FILE=/run/secrets/{ident}",
    "api_key_header = 'X-Api-Key'",
    "access_token_url = https://{host}/oauth/token",
    "token_type: bearer, expires_in: {n}",
    "password_reset_timeout = {n}",
    "max_tokens={n}, temperature=0.{small}",
    "tokenizer = AutoTokenizer.from_pretrained('{ident}/{mod}')",
    "monkeypatch.setenv('{ENV}', 'test')",
    "mock password 'changeme' in the fixtures of {path} is fine",
    "postgres://localhost:{port}/{ident}_test must exist before {cmd}.",
    "DATABASE_URL=postgres://user:password@localhost:{port}/{ident}",
    "DATABASE_URL=postgresql://postgres:postgres@localhost:{port}/{ident} in CI.",
    "redis://localhost:{port}/{small} is shared by all workers.",
    "git clone git@{host}:{ident}/{mod}.git fails without an agent; use https://{host}/{ident}/{mod}.git",
    "ssh deploy@{host} -p {port} needs the VPN.",
    "https://{host}/{ident}/{mod}/pull/{n}#discussion_r{n}",
    "https://{host}/docs/{ident}?page={small}&sort=desc&utm_source={mod}",
    "See https://{host}/{ident}/{mod}/blob/{sha1}/{path}#L{n}.",
    # things that look random
    "The regression came in with commit {sha1}.",
    "Bisect ended at {short}; {sha1} is the last good commit.",
    "Cherry-pick {short}..{short2} onto release/{ver}.",
    "sha256:{sha256} is the digest of the base image.",
    "{sha256}  dist/{mod}-{ver}.tar.gz",
    "Expected checksum {sha256} but got {sha256b} for {mod}-{ver}.whl.",
    "md5 of the fixture is {md5}.",
    '"integrity": "sha512-{b64_64}"',
    "{mod}=={ver} --hash=sha256:{sha256}",
    "FROM {host}/{ident}@sha256:{sha256}",
    "Request {uuid} timed out after {n} s in {mod}.",
    "The tenant {uuid} has no rows in {ident}.",
    "trace_id={md5} span_id={short}00 shows the slow query.",
    "Test id {b64id} fails only on Windows.",
    "FAILED tests/{mod}/test_{ident}.py::Test{Camel}::test_{mod}[{ident}-{n}-{short}]",
    "Snapshot {b64id} is stale; run {cmd} -u.",
    "Pod {ident}-{pod} was OOM-killed at {n} Mi.",
    "arn:aws:iam::{acct}:role/{ident}-deploy needs s3:GetObject.",
    "s3://{ident}-{mod}/{date}/part-{n}-{uuid}.snappy.parquet is empty.",
    "The message id was msg_{id24}; retry with the same id.",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b64_43} is the public host key of {host}.",
    "go: {host}/{ident}/{mod} v0.0.0-{stamp}-{hex12}: checksum mismatch",
    "h1:{b64_44} does not match go.sum for {mod} v{ver}.",
    'etag: W/"{md5}" makes the CDN serve {path} for {n} s.',
    "webpack emits {mod}.{hex20}.js; do not hard-code the hash.",
    "The nix store path /nix/store/{nix}-{mod}-{ver} must not leak into {path}.",
    "0x{hex16} is the address of the vtable; see {path}:{n}.",
    "IPv6 {ipv6} is not routable from CI.",
    "Serial {md5} of the certificate expires on {date}.",
    "-----BEGIN CERTIFICATE----- in {path} is the public part and may be committed.",
    "color #{hex6} fails the contrast check; use #{hex6b}.",
    "Build {stamp}.{n} used node {ver} and pnpm {ver}.",
    "UUID namespace {uuid} is fixed in {path}; changing it breaks {ident}.",
    # plain lessons
    "Run `{cmd}` before pushing; CI runs it with -Werror.",
    "Always use pnpm here, npm breaks the lockfile of {mod}.",
    "Never edit {path} by hand: it is generated by {cmd}.",
    "`{mod}.{ident}` returns None when {ENV} is unset.",
    "TypeError: {ident}() takes {small} positional arguments but {n} were given, fixed in {path}.",
    "Flaky: test_{ident} needs freeze_time, it fails around midnight UTC.",
    "In {path} import {Camel} lazily; start-up took {n} ms otherwise.",
    "{Camel}.{ident} must hold the lock of {mod} while it writes {path}.",
    "Port {port} is taken by {mod} on the build host; pass --port {n}.",
    "The migration {stamp}_{ident}.sql must run before {ver} is deployed.",
    "Prefer `{ident}.{mod}(timeout={n})` to the default of {small} s.",
    "{path}: line {n}: `{ident}` is not defined under {mod} {ver}",
)

PATHS = (
    "src/auth/token.py",
    "src/auth/password_reset.ts",
    "lib/secrets/loader.go",
    "app/models/user.rb",
    "config/credentials.yml.enc",
    "packages/api-keys/src/index.ts",
    "internal/keys/keyring.go",
    "tests/fixtures/tokens.json",
    "deploy/k8s/secret-store.yaml",
    "crates/lexer/src/token.rs",
    "web/components/PasswordField.tsx",
    "scripts/rotate_keys.sh",
    "db/migrate/20260102_add_tokens.rb",
)
COMMANDS = (
    "make test",
    "pnpm test",
    "cargo test -p lexer",
    "pytest -q tests/auth",
    "go test ./...",
    "npm run build",
    "tox -e py312",
    "terraform plan -var-file=dev.tfvars",
)
VARIABLES = (
    "API_KEY",
    "OPENAI_API_KEY",
    "DB_PASSWORD",
    "GITHUB_TOKEN",
    "SECRET_KEY",
    "AWS_SECRET_ACCESS_KEY",
    "SESSION_SECRET",
    "NPM_TOKEN",
    "AUTH_TOKEN",
    "SMTP_PASSWORD",
)
IDENTIFIERS = (
    "user",
    "account",
    "parse_header",
    "token_store",
    "apiClient",
    "session_cache",
    "keyring",
    "invoice",
    "orders",
    "password_policy",
    "secretsManager",
    "billing",
)
MODULES = (
    "auth",
    "billing",
    "lexer",
    "tokenizer",
    "gateway",
    "credentials",
    "keystore",
    "worker",
    "scheduler",
    "mailer",
    "passkeys",
)
CAMELS = (
    "TokenStore",
    "PasswordHasher",
    "ApiKeyMiddleware",
    "SecretProvider",
    "UserRepository",
    "InvoiceParser",
    "SessionCookieFactory",
)
HOSTS = (
    "github.com",
    "gitlab.example.com",
    "registry.example.com",
    "api.example.com",
    "docs.example.org",
    "db.internal",
)


def lesson(r: Random) -> str:
    """One lesson without a secret."""
    return r.choice(LESSONS).format(
        n=r.randint(20, 9000),
        small=r.randint(1, 9),
        port=r.choice((5432, 6379, 8080, 3306, 27017)),
        acct=chars(r, string.digits, 12),
        ver=f"{r.randint(0, 22)}.{r.randint(0, 30)}.{r.randint(0, 12)}",
        date=f"2026-{r.randint(1, 12):02}-{r.randint(1, 28):02}",
        stamp=f"2026{r.randint(1, 12):02}{r.randint(1, 28):02}{r.randint(0, 235959):06}",
        path=r.choice(PATHS),
        cmd=r.choice(COMMANDS),
        ENV=r.choice(VARIABLES),
        ident=r.choice(IDENTIFIERS),
        mod=r.choice(MODULES),
        Camel=r.choice(CAMELS),
        host=r.choice(HOSTS),
        sha1=chars(r, HEX, 40),
        short=chars(r, HEX, 8),
        short2=chars(r, HEX, 8),
        sha256=chars(r, HEX, 64),
        sha256b=chars(r, HEX, 64),
        md5=chars(r, HEX, 32),
        hex6=chars(r, HEX, 6),
        hex6b=chars(r, HEX, 6),
        hex12=chars(r, HEX, 12),
        hex16=chars(r, HEX, 16),
        hex20=chars(r, HEX, 20),
        uuid=uuid(r),
        ipv6=":".join(chars(r, HEX, 4) for _ in range(8)),
        pod=f"{chars(r, LOWER, 10)}-{chars(r, LOWER, 5)}",
        nix=chars(r, LOWER, 32),
        id24="01" + chars(r, ALNUM, 22),
        b64id=base64.b64encode(
            f"Test:{r.choice(IDENTIFIERS)}:{r.randint(1, 9999)}".encode()
        ).decode(),
        b64_43=chars(r, BASE64, 43),
        b64_44=b64(r, 32),
        b64_64=b64(r, 64),
    )


# ---- measuring

# Recall of the unknown kinds when the rules were first run on them, before any correction (commit 8055b2d; seed 1, 60
# samples each).
FIRST = {
    "groq": 1.0,
    "perplexity": 1.0,
    "xai": 1.0,
    "replicate": 1.0,
    "tailscale": 1.0,
    "figma": 1.0,
    "airtable-pat": 0.8,
    "mapbox-secret": 0.767,
    "fly": 1.0,
    "render": 1.0,
    "pinecone": 1.0,
    "resend": 1.0,
    "contentful": 1.0,
    "1password": 1.0,
    "invented-vendor": 1.0,
    "okta-ssws": 0.717,
    "wifi-passphrase": 0.683,
    "pin": 0.0,
    "prose-other-language": 0.0,
    "seed-phrase": 0.0,
    "bitcoin-wif": 0.3,
    "ethereum-key": 0.6,
    "wireguard": 0.933,
    "totp": 0.4,
    "command-line": 0.467,
    "password-hash": 0.0,
    "kubernetes-secret": 1.0,
    "recovery-codes": 0.0,
    "jwk-private": 0.317,
    "session-cookie": 0.783,
    "windows-command": 0.6,
    "smtp-auth": 0.0,
    "putty-key": 0.0,
}
# Unknown kinds that turned out to have a rule of their own: gitleaks lists them, and the rules were to match its list.
LISTED = ("perplexity", "fly", "1password", "kubernetes-secret")


@dataclass(frozen=True)
class Score:
    """How many samples of a kind were caught, and one that was not."""

    kind: Kind
    caught: int
    of: int
    missed: str = ""

    @property
    def recall(self) -> float:
        return self.caught / self.of


def score(kind: Kind, each: int, seed: int) -> Score:
    r = Random(f"{seed}:{kind.name}")
    samples = [kind.make(r) for _ in range(each)]
    missed = [sample for sample in samples if not caught(sample)]
    return Score(kind, each - len(missed), each, shortened(missed[0]) if missed else "")


def shortened(sample: Sample) -> str:
    """The sample with the middle of its secrets left out, so that a report sets off no other scanner."""
    text = sample.text
    for secret in sample.secrets:
        text = text.replace(secret, f"{secret[:5]}…" if len(secret) > 8 else secret)
    return text


def caught(sample: Sample) -> bool:
    """Whether every character of every secret was inside a hit."""
    gone = {
        at for hit in redact(sample.text).hits for at in range(hit.start, hit.start + hit.length)
    }
    return all(
        at in gone
        for secret in sample.secrets
        for at in range(sample.text.index(secret), sample.text.index(secret) + len(secret))
    )


def recall(scores: Iterable[Score]) -> float:
    found = list(scores)
    return sum(s.caught for s in found) / sum(s.of for s in found)


def false_alarms(texts: Iterable[str]) -> list[str]:
    return [f"{text} -> {done.text}" for text in texts if (done := redact(text)).hits]


def left_in_a_store(each: int, seed: int) -> tuple[int, int]:
    """Lessons with secrets of the known kinds are added to a store: how many, and how many secrets its files hold."""
    from tacit.memory import open as open_store

    with tempfile.TemporaryDirectory() as folder:
        samples = [
            kind.make(r)
            for kind in KNOWN
            for r in [Random(f"{seed}:{kind.name}")]
            for _ in range(each)
        ]
        env = signed(
            {
                "HOME": folder,
                "XDG_DATA_HOME": folder,
                "USER": "bench",
                "PATH": os.environ.get("PATH", ""),
            }
        )
        with open_store(str(Path(folder) / "tacit.db"), cwd=folder, env=env) as memories:
            correcting.add_many(memories, [sample.text for sample in samples])
        files = b"".join(path.read_bytes() for path in Path(folder).rglob("*") if path.is_file())
        # Ten characters in a row are enough to know a secret by.
        left = sum(
            any(secret[i : i + 10].encode() in files for i in range(max(1, len(secret) - 9)))
            for sample in samples
            for secret in sample.secrets
        )
    return len(samples), left


# ---- the report


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=60, help="samples of each kind")
    parser.add_argument("--data", type=Path, help="lessons and attacks written by others")
    parser.add_argument("--out", type=Path, help="also write the report to this file")
    given = parser.parse_args()
    report, passed = measured(given.seed, given.each, given.data)
    print(report)
    if given.out:
        given.out.write_text(report + "\n", encoding="utf-8")
    return 0 if passed else 1


def measured(seed: int, each: int, data: Path | None) -> tuple[str, bool]:
    """The report, and whether the bounds hold."""
    began = process_time()
    known = [score(kind, each, seed) for kind in KNOWN]
    unknown = [score(kind, each, seed) for kind in UNKNOWN]
    r = Random(f"{seed}:lessons")
    lessons = [lesson(r) for _ in range(LESSON_COUNT)]
    alarms = false_alarms(lessons)
    took = process_time() - began
    added, left = left_in_a_store(5, seed)
    passed = (
        recall(known) >= LEAST_RECALL and len(alarms) <= MOST_ALARMS * LESSON_COUNT and left == 0
    )
    first = sum(FIRST.values()) / len(FIRST)
    lines = [
        f"`python bench/redaction.py --seed {seed} --each {each}` · Python {sys.version.split()[0]} · {took:.1f} s CPU",
        "",
        "| what | figure | bound | |",
        "|---|---|---|---|",
        row(
            f"recall, {len(KNOWN)} known kinds",
            f"{recall(known):.4f}",
            f"≥ {LEAST_RECALL}",
            recall(known) >= LEAST_RECALL,
        ),
        row("lowest of the known kinds", f"{min(s.recall for s in known):.3f}"),
        row(
            f"false alarms on {LESSON_COUNT} lessons",
            f"{len(alarms) / LESSON_COUNT:.2%}",
            f"≤ {MOST_ALARMS:.1%}",
            len(alarms) <= MOST_ALARMS * LESSON_COUNT,
        ),
        row(
            f"secrets left in the files of a store after adding {added} lessons",
            str(left),
            "= 0",
            left == 0,
        ),
        row(f"recall, {len(UNKNOWN)} unknown kinds, first time", f"{first:.3f}"),
        row(f"recall, {len(UNKNOWN)} unknown kinds, now", f"{recall(unknown):.3f}"),
        row(
            f"… of them without the {len(LISTED)} that gitleaks lists, now",
            f"{recall(s for s in unknown if s.kind.name not in LISTED):.3f}",
        ),
        row("… of them the 15 tokens of vendors, now", f"{recall(unknown[:15]):.3f}"),
        *(from_others(data, lessons) if data else []),
        "",
        "| unknown kind | first | now | not caught, for example |",
        "|---|---|---|---|",
        *(
            f"| {s.kind.name} | {FIRST[s.kind.name]:.3f} | {s.recall:.3f} | {shown(s.missed)} |"
            for s in unknown
        ),
        "",
        "| known kind | recall | not caught, for example |",
        "|---|---|---|",
        *(f"| {s.kind.name} | {s.recall:.3f} | {shown(s.missed)} |" for s in known),
    ]
    if alarms:
        lines += ["", "False alarms:", "", *(f"- {shown(alarm)}" for alarm in alarms)]
    return "\n".join(lines), passed


def row(what: str, figure: str, bound: str = "", holds: bool | None = None) -> str:
    return (
        f"| {what} | {figure} | {bound} | {'' if holds is None else 'PASS' if holds else 'FAIL'} |"
    )


def shown(text: str) -> str:
    flat = " ".join(text.split()).replace("|", "\\|").replace("`", "'")
    return f"`{flat[:90]}{'…' if len(flat) > 90 else ''}`" if flat else ""


def from_others(data: Path, lessons: list[str]) -> list[str]:
    """Lessons and attacks that others wrote, as far as they are here."""
    lines: list[str] = []
    bullets = [
        line.strip()
        for path in sorted((data / "ace_playbooks").glob("*.txt"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.strip() and not line.startswith("#")
    ]
    if bullets:
        alarms = false_alarms(bullets)
        lines.append(
            row(
                f"redact: false alarms on {len(bullets)} playbook bullets (ACE)",
                f"{len(alarms) / len(bullets):.2%}",
            )
        )
        caught_here = sum(not screen(bullet).clean for bullet in bullets)
        lines.append(
            row(
                f"screen: false alarms on {len(bullets)} playbook bullets (ACE)",
                f"{caught_here / len(bullets):.2%}",
            )
        )
    stopped = sum(not screen(text).clean for text in lessons)
    lines.append(
        row(f"screen: false alarms on the {len(lessons)} lessons", f"{stopped / len(lessons):.2%}")
    )
    attacks: dict[str, list[str]] = {}
    table = data / "injection" / "giskard" / "prompt_injections.csv"
    if table.exists():
        with table.open(encoding="utf-8", newline="") as file:
            for record in csv.DictReader(file):
                attacks.setdefault(f"{record['group']} (Giskard)", []).append(record["prompt"])
    goals = data / "injection" / "agentdojo_goals.json"
    if goals.exists():
        attacks["attackers' goals, bare (AgentDojo)"] = json.loads(
            goals.read_text(encoding="utf-8")
        )["goals"]
    for name, texts in attacks.items():
        share = sum(not screen(text).clean for text in texts) / len(texts)
        lines.append(row(f"screen: caught of {len(texts)} {name}", f"{share:.2f}"))
    return lines


if __name__ == "__main__":
    sys.exit(main())
