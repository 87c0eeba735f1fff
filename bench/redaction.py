"""How much does redaction catch, and how often does it cry wolf?

    python bench/redaction.py [--seed N] [--each N] [--out FILE]

A seeded generator writes secrets of many kinds into prose, logs, code, URLs and diffs, and lessons that hold no
secret but look as if they might. A secret counts as caught only if every one of its characters is gone. Exit status
1: recall on the known kinds below 0.97, or false alarms above 0.2 % of the lessons.

A third of the kinds are *unknown*: their formats and sentences were written down from general knowledge and committed
before the first rule existed, and no rule is tuned on them. Their recall estimates what happens with the formats
nobody thought of.
"""

from __future__ import annotations

import base64
import string
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

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
        if mixed or count < 8 or not (any(c.isdigit() for c in alphabet) and any(c.isalpha() for c in alphabet)):
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
    head = r.choice(("Backup codes: ", "The 2FA recovery codes are ", "Recovery codes for the CI account:\n"))
    return Sample(head + r.choice((", ", "\n", " ")).join(made), tuple(made))


def cluster_secret(r: Random) -> Sample:
    value = base64.b64encode(chars(r, ALNUM, r.randint(12, 30)).encode()).decode()
    field = r.choice(("password", "db-password", "api-token", "tls.key", "credentials"))
    return Sample(
        f"apiVersion: v1\nkind: Secret\nmetadata:\n  name: app\ntype: Opaque\ndata:\n  {field}: {value}\n", (value,)
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
        "tailscale", False, "tailscale", lambda r: f"tskey-auth-k{chars(r, ALNUM, 11)}CNTRL-{chars(r, ALNUM, 32)}"
    ),
    anywhere("figma", False, "figma", lambda r: "figd_" + chars(r, URLSAFE, 39) + "x"),
    anywhere("airtable-pat", False, "airtable", lambda r: f"pat{chars(r, ALNUM, 14)}.{chars(r, HEX, 64)}"),
    anywhere("mapbox-secret", False, "mapbox", lambda r: f"sk.eyJ1Ijoi{chars(r, ALNUM, 60)}.{chars(r, ALNUM, 22)}"),
    anywhere("fly", False, "fly", lambda r: "fm2_" + b64(r, 120)),
    anywhere("render", False, "render", lambda r: "rnd_" + chars(r, ALNUM, 28)),
    anywhere("pinecone", False, "pinecone", lambda r: f"pcsk_{chars(r, ALNUM, 5)}_{chars(r, ALNUM, 63)}"),
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
        "pin",
        False,
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
        uuid="-".join(chars(r, HEX, n) for n in (8, 4, 4, 4, 12)),
        ipv6=":".join(chars(r, HEX, 4) for _ in range(8)),
        pod=f"{chars(r, LOWER, 10)}-{chars(r, LOWER, 5)}",
        nix=chars(r, LOWER, 32),
        id24="01" + chars(r, ALNUM, 22),
        b64id=base64.b64encode(f"Test:{r.choice(IDENTIFIERS)}:{r.randint(1, 9999)}".encode()).decode(),
        b64_43=chars(r, BASE64, 43),
        b64_44=b64(r, 32),
        b64_64=b64(r, 64),
    )
