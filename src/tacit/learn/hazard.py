"""Which commands a lesson may not recommend before a person has looked: those that bring in, send out or loosen something.

A cure is a command that an agent ran and that then worked, in two runs. Where a page told both agents to run it, the lesson outlives
the page: "running `npx evil-setup` first made it pass". So a command that installs by name or address, fetches code and runs it, sends
files away, or loosens encryption, rights or a sandbox waits for a person, whatever the evidence. What the project's own files install
(`npm ci`, `pip install -r requirements.txt`, `uv sync`) is no such thing, nor is a push to where the work came from, an address that
no program is given, or a command that the lesson forbids in so many words ("do not run `…`": nothing may stand between the two, since
"do not skip `…`" recommends it).

    hazard("Tests fail; running `npm install left-pad` first made them pass.") == "installs by name: npm install left-pad"

So is what runs on another machine, takes a program, library, package or certificate from elsewhere by a variable set in front of it, runs a script that lies
outside the repository, or changes rights, a service or a check.

Not a wall against whoever may write commands; it is the list of what nobody should learn by imitation, and a list has a mesh: docs/security.md says how wide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tacit.learn.command import LONGEST_LINE, WRAPPERS, Command, commands

_LONGEST = 60  # characters of a command in a reason

# Programs that run a package by name where it is not installed; these packages a project usually has itself.
_BY_NAME = {"npx": 1, "bunx": 1, "uvx": 1, "pipx": 2, "dlx": 1}
_USUAL = frozenset(
    """
    vitest jest mocha ava tsc vue-tsc svelte-check eslint prettier biome stylelint playwright cypress prisma drizzle-kit next nuxt vite
    webpack rollup esbuild tsup turbo nx lerna tsx ts-node nodemon concurrently husky lint-staged changeset semantic-release storybook expo
    astro remix ng wrangler tailwindcss knex typeorm sequelize rimraf markdownlint commitlint karma c8 nyc swc babel parcel gulp grunt
    bun npm pnpm yarn ruff black mypy pytest pyright isort flake8 pre-commit tox nox poe hatch poetry
    """.split()
)
_INSTALLERS = {
    "pip": ("install", "download"), "pip3": ("install", "download"), "pipx": ("install", "inject", "run"), "uv": ("add", "tool"),
    "poetry": ("add",), "pdm": ("add",), "rye": ("add",), "conda": ("install", "create"), "mamba": ("install",),
    "npm": ("install", "i", "add", "exec", "x", "create", "init", "link"), "pnpm": ("add", "install", "i", "dlx", "create"),
    "yarn": ("add", "dlx", "create", "global"), "bun": ("add", "install", "i", "x", "create"), "deno": ("add", "install"),
    "gem": ("install",), "bundle": ("add",), "cargo": ("install", "add"), "go": ("get", "install"), "composer": ("require", "global"),
    "apt": ("install",), "apt-get": ("install",), "dnf": ("install",), "yum": ("install",), "apk": ("add",), "brew": ("install", "tap"),
    "pacman": ("-S",), "snap": ("install",), "flatpak": ("install",), "choco": ("install",), "winget": ("install",), "scoop": ("install",),
    "helm": ("install", "upgrade", "repo"), "code": ("--install-extension",), "gh": ("extension",), "rustup": ("toolchain",), "asdf": ("plugin",),
    "mise": ("use", "plugins"), "nix-env": ("-i", "-iA"), "volta": ("install",), "sdk": ("install",), "corepack": ("prepare",), "luarocks": ("install",), "cabal": ("install",), "mix": ("archive.install", "escript.install"),
    "dotnet": ("add", "tool"), "nuget": ("install",), "opam": ("install", "pin"), "vcpkg": ("install",), "conan": ("install",), "claude": ("mcp", "plugin"),
}  # fmt: skip
_OWN_FILES = re.compile(
    r"^(?:-r|--requirement|-c|--constraint|-e|--editable|--frozen|--locked)(?:=|$)|^\.{0,2}/?$|^\.(?:\[[\w,-]+\])?$|^\.{1,2}/"
)
_WITH_VALUE = frozenset("-r --requirement -c --constraint -e --editable --filter -F --prefix -C -w --workspace".split())
_SENDS = frozenset(
    "scp rsync sftp ftp ncftp rclone nc ncat netcat socat telnet mail sendmail mutt aws gsutil gcloud az s3cmd mc transfer ngrok cloudflared".split()
)
_SENDING_SUB = {"aws": ("s3", "s3api"), "gcloud": ("storage", "scp"), "az": ("storage",), "git": ("bundle", "send-email"), "docker": ("push", "login"),
                "gh": ("gist", "release", "secret"), "npm": ("publish", "login"), "pnpm": ("publish",), "yarn": ("publish",), "cargo": ("publish", "login"),
                "twine": ("upload",), "gem": ("push",), "kubectl": ("cp",), "mc": ("cp", "mirror")}  # fmt: skip
_READING_SUB = {"gh": ("list", "view"), "aws": ("ls",)}  # of the same programs, what only looks
_ELSEWHERE = frozenset("ssh autossh mosh psexec pdsh ansible ansible-playbook".split())
_ADDRESS = r"\b(?:https?|git|ssh|ftps?|tcp|s3|gs|oci)://|\bgit\+(?:https?|ssh)://|\bgit@[\w.-]+:|\b(?:github|gitlab|bitbucket):\w"
# A variable set for one command that says where programs, libraries, packages, certificates or the network come from, unless its value stays in the repository.
_STEERS = (
    r"(?:^|[\s;&|(])(?!node_options=\S*--(?:max|experimental|openssl)|gopath=\$\(go env |\w*=(?:['\"]?(?:\.(?!\.)|src|lib|tests?|app|packages|:)[\w./:-]*['\"]?)(?:\s|$))"
    r"(?:\w*(?:proxy|cert|ssl|tls|_ca|ca_|index_url|registry|mirror|no_verify|preload|agent|startup|askpass|credential)\w*|\w*path|\w*lib|\w+opts?|\w+options|docker_host|"
    r"git_\w*(?:command|dir|config)\w*|goproxy|goflags|gonosum\w*|gosumdb|npm_config_\w+|pip_\w+|uv_\w+)=(?!/dev/null)|(?:^|\s)(?:bash_env|editor|pager|shell)=\S|(?:^|\s)(?!\w*(?:cache|tmp|temp))\w+=(?:/tmp|/var/tmp|/dev/shm|~)/"
)
# Over the whole command, lower case: kind, expression. Each is bounded.
_SIGNS: tuple[tuple[str, str], ...] = (
    # As a program, not as part of a file's name; `fetch` only where a command begins, since git has such a verb too.
    ("fetches code", r"(?<![\w.-])(?:curl|wget|iwr|irm|invoke-webrequest|aria2c)(?![\w./-])|(?:^|[|;&(]\s?)fetch\s"),
    ("fetches code", _ADDRESS),
    ("fetches code", r"\bgit\s+clone\b"),
    ("runs a package by name", r"(?:^|\s)@?[\w./-]+@(?:latest|next|(?!\d+\.\d+\.\d+\.\d+)v?\d[\w.-]*)(?=\s|$)"),
    ("changes where things come from", _STEERS),
    ("runs what lies outside the repository", r"(?:^|[|;&(]\s?)(?:(?:ba|z|da|k)?sh|source|\.|python3?|node|ruby|perl|php|deno run|bun)\s+(?:-\S+\s+)*(?:/tmp|/var|/dev/shm|~|\$home)/|\bgit\s+(?:apply|am)\b[^|;&]{0,40}\s(?:/tmp|~|\.\.)/"),
    ("runs what lies outside the repository", r"\b(?:compose|gradlew?|mvn|make|cargo|npm)\b[^|;&]{0,80}\s-{1,2}(?:init-script|settings|i|s|f|file|config)[ =](?:/tmp|/var|/dev/shm)/"),
    ("serves files", r"\bhttp\.server\b|\bphp\s+-s\b|\bngrok\b"),
    ("changes rights or a service", r"\b(?:grant|revoke)\s+\w[\w\s,*.]{0,60}\b(?:to|on|from)\b|\balter\s+(?:user|role)\b|\bcreate\s+(?:user|role)\b|\bconfig\s+set\b|\biam\b|\brole\s+assignment\b|--visibility\b|"
     r"\bgh\s+(?:auth|ssh-key|gpg-key|repo\s+(?:edit|delete|rename)|variable)\b|\bgh\s+api\b[^|;&]{0,80}(?:-x|--method)[ =]?(?!get)\w|\b(?:npm|pnpm|yarn)\s+(?:token|owner|access|set|adduser|deprecate|unpublish|pkg\s+set)\b|"
     r"\baws\s+configure\b|\b(?:gcloud|az|heroku|fly|flyctl|doctl|firebase|vercel|netlify|wrangler|supabase)\s+(?:auth|login|deploy|secrets?|run-command|db\s+push)\b|--prod\b|\bpulumi\s+(?:up|destroy)|\bkubectl\s+(?:delete|exec|edit|patch|scale|drain|config\s+(?:use|set)\S*)\b|\bdocker\s+context\s+use\b|\bterraform\s+(?:apply|destroy|import)\b|"
     r"\bsysctl\s+-w|\bsystemctl\s+start\b|\bservice\s+\w+\s+start\b|/proc/sys/|\bswapoff\b|(?:^|[|;&(]\s?)(?:useradd|passwd|mount|killall|shred|apt-key|easy_install|osascript|powershell|pwsh|yum-config-manager|ufw|firewall-cmd)\s(?!\|)|\bcmd\s+/c|\bcluster-admin\b|\bat\s+now\b|\bgpg\s+--(?:import|export)|\bbundle\s+config\b"),
    ("goes around a check", r"--no-gpg-sign\b|--assume-unchanged|--skip-worktree|--admin\b|-auto-approve\b|--checkpoint-action|\brebase\b[^|;&]{0,40}(?:--exec|-x)\b|\bpush\s+(?:--delete|-d)\b|\bfilter-branch\b|\breflog\s+expire\b|\bhistory\s+-c\b|\bunset\s+histfile|\+o\s+history|\baudit\s+fix\s+--force\b"),
    ("installs from another place", r"--(?:extra-)?index-url\b|\bpip3?\b[^|;&]{0,80}\s-i\s|--find-links\b|--trusted-host\b|--registry\b|\bregistry\s*=|--add-source\b|"
     r"\bgoproxy=|\bpip_index_url|\bnpm_config_registry|replace\s+\S+\s*=>|mod edit -replace"),
    ("loosens encryption", r"sslverify|strict-ssl|ssl_verify|verify[_=-]?(?:ssl|tls|certs?)?[= ]+(?:false|0|no|none)\b|--no-check-certificate|--insecure\b|(?:^|\s)-k(?:\s|$)|"
     r"node_tls_reject_unauthorized|pythonhttpsverify|--no-verify-ssl|--skip-tls|--tls-skip|--allow-insecure|--allow-unauthenticated|--nogpgcheck|"
     r"stricthostkeychecking[= ]+no|gosumdb=off|gonosumcheck|gonosumdb|goflags=-insecure|--no-gpg-check|--disable-ssl|cafile\b|ssl-verify"),
    ("loosens rights", r"\bchmod\b[^|;&]{0,60}(?:\b0?[0-7]?[67][67][67]\b|[augo]*\+[rwx]*[ws]|-r\b)|\bchown\b|\bsetfacl\b|\bsudo\b|\bdoas\b|\bsu\s+-|\bsetcap\b|\bvisudo\b|\busermod\b|"
     r"\badduser\b|authorized_keys|/etc/|\bumask\s+0?00|\bicacls\b|\bxattr\b|\bspctl\b|\bcsrutil\b"),
    ("loosens a sandbox", r"--privileged\b|--cap-add|--security-opt|seccomp|apparmor|\bsetenforce\b|--network[= ]host|--net[= ]host|--pid[= ]host|-v\s+/:|/var/run/docker\.sock|"
     r"--no-sandbox|--disable-web-security|--dangerously|--allow-all\b|\bdeno\s+run\s+(?:\S+\s+)*-a\b|--allow-run|--unsafe|\bufw\s+disable|\biptables\b|\bfirewall\b|--yolo\b|"
     r"bypasspermissions|skip-permissions|--full-auto\b|core\.hookspath|--no-verify\b|\bhusky=0|skip=\S+"),
    ("changes the shell or what runs by itself", r"\.(?:bashrc|zshrc|profile|bash_profile|zprofile|zshenv|gitconfig|npmrc|pypirc|netrc|ssh/|pip/|cargo/config|curlrc|wgetrc|docker/config)|"
     r"\bcrontab\b|\bsystemctl\s+(?:enable|disable|stop|mask)|\blaunchctl\b|\.git/hooks|"
     r"\bgit\s+config\b(?!(?:\s+--?(?:global|local|system|get|get-all|list|show-origin|l|z))*(?:\s+[\w.-]+)?\s*(?:$|[|;&)]|\d?>))|\b(?:npm|pnpm|yarn|pip)\s+config\s+set|\bexport\s+path|\balias\s+\w+=|"
     r"\bgit\s+remote\s+(?:-v\s+)?(?:add|set-\w+|rename|rm|remove|prune|update)\b|\bgit\s+submodule\s+add|--exec-path|\bprompt_command"),
    ("runs text as code", r"\|\s*(?:sudo\s+)?(?:ba|z|da|k|fi)?sh\b|(?<![\w-])eval(?![\w-])|\bbase64\s+(?:-d|--decode)|\b(?:ba|z|da)?sh\s+-c\b|\bsource\s+<\(|\bpython3?\s+-c\b|\bnode\s+-e\b|\bperl\s+-e\b|\bruby\s+-e\b|\bphp\s+-r\b|"
     r"\bxargs\b(?!(?:\s+-\S+(?:\s+\{\})?)*\s+(?:grep|rg|ls|wc|basename|dirname|head|tail|echo|stat|file|du)\b)"),
    ("applies what another place serves", r"\bkubectl\s+(?:apply|create|replace)\b[^|;&]{0,80}-f\s+\S*:|\bterraform\s+init\b[^|;&]{0,60}-from-module|\bansible-galaxy\b|\bvagrant\s+box\s+add|\bdocker\s+(?:run|pull|import|load)\b"),
    ("changes what is remembered", r"(?:^|[|;&(]\s?)(?:\S*/)?tacit\s"),
    ("sends files away", r"\bopenssl\s+s_client\b|/dev/(?:tcp|udp)/"),
    ("reads a secret", r"\.env\b|id_rsa|id_ed25519|\bcredentials\b|\.aws/|\.kube/|\.gnupg|--export-secret|\bfind-generic-password\b|\bauth\s+(?:token|print-\S+)|\benv\s*(?:\||>|$)|\.pem\b|\.pgpass|\bprintenv\b|secrets?\.(?:ya?ml|json|toml)"),
    ("destroys", r"\brm\s+-\w*[rf]|\bgit\s+(?:reset\s+--hard|clean\s+-\w*[fdx]|push\b[^|;&]{0,60}(?:--force|-f\b))|\bdrop\s+(?:table|database)|\btruncate\b|\bmkfs|\bdd\s+if="),
)  # fmt: skip
# A program with arguments: an address alone, or a prompt that holds one, is given to nothing.
_PROGRAM = re.compile(r"\s*(?:[A-Z_][A-Z0-9_]*=\S*\s+)*[a-z~./][\w~./+-]*\s+\S")
# not a user `localhost` at another host
_AT_HOME = re.compile(r"\bhttps?://(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0)(?::\d{1,5})?(?=[/?\s'\"]|$)")
_ELSEWISE = re.compile(
    r"(?:^|\s)(?:-x|--proxy|--preproxy|--socks\S*|--resolve|--connect-to|-K|--config|--next)(?:[\s=]|$)"
)
_FORBIDDEN = re.compile(
    r"\b(?:do not|don't|never|must not|may not|avoid)\s+(?:(?:run|use|call|try|pass|add|set|using|running|passing)\s+)?$",
    re.IGNORECASE,
)
_PLACES = re.compile(r"://|^\S+@\S+:|^(?:\.{0,2}/|~)")
_CODE = re.compile(r"`([^`\n]{2,400})`")


def hazard(text: str) -> str:
    """Why a person should look before a lesson recommends the commands in this text; empty where none calls for it."""
    for command, before in _commands(text):
        if (kind := hazard_of(command)) and not _FORBIDDEN.search(before):
            return f"{kind}: {command[:_LONGEST]}"
    return ""


def hazard_of(line: str) -> str:
    """What a shell line brings in, sends out or loosens, in words; empty for an ordinary one."""
    lowered = " ".join(line.lower().split())[:LONGEST_LINE]
    folded = _AT_HOME.sub(" ", lowered)
    if folded != lowered and not _compiled(_ADDRESS).search(folded) and not _ELSEWISE.search(line):
        folded = _compiled(r"(?<![\w.-])(?:curl|wget)(?=\s)").sub("ask", folded)  # one's own server on this machine
    # An address that no program is given, or one that is looked for.
    addressed = (
        not _PROGRAM.match(line)
        or _compiled(r"(?:git )?(?:grep|rg|ag)\s[^|;&]*(?:$|\|\s?(?:grep|head|tail|wc|sort|uniq)\b[^;&]*$)").match(
            folded
        )
        is not None
    )
    for kind, expression in _SIGNS:
        if _compiled(expression).search(folded) and not (addressed and expression is _ADDRESS):
            return kind
    for call in commands(line):
        if kind := _call(call):
            return kind
    return ""


def _commands(text: str) -> Iterator[tuple[str, str]]:
    """What stands in backticks, with what stands before it, and whole lines of a fence."""
    for found in _CODE.finditer(text):
        yield found[1], text[max(0, found.start() - 40) : found.start()]
    if "```" in text or "~~~" in text:
        inside = False
        for line in text.splitlines():
            if line.lstrip().startswith(("```", "~~~")):
                inside = not inside
            elif inside and line.strip():
                yield line.strip(), ""


def _call(call: Command) -> str:
    words = list(call.bare)
    while len(words) > 1 and words[0] in WRAPPERS:
        words = words[1:]
    program = words[0].rsplit("/", 1)[-1].removesuffix(".exe")
    if program.startswith("python") and words[1:2] == ["-m"] and len(words) > 2:
        program, words = words[2], words[2:]
    if program == "uv" and words[1:2] == ["pip"]:
        program, words = "pip", words[1:]
    rest = words[1:]
    plain = [word for word in rest if not word.startswith("-")]
    if _runs_a_stranger(program, rest, plain):
        return "runs a package by name"
    if program in _INSTALLERS and _installs(_INSTALLERS[program], rest):
        return "installs by name"
    if (program in _ELSEWHERE and plain) or (
        program in ("gcloud", "fly", "flyctl", "heroku", "az", "docker-machine") and "ssh" in plain
    ):
        return "runs on another machine"
    if (
        program == "git"
        and "commit" in plain
        and any(word[:1] == "-" and word[:2] != "--" and "n" in word.partition("m")[0] for word in rest)
    ):
        return "goes around a check"
    if program == "go" and plain[:1] == ["run"] and plain[1:] and "." in plain[1].partition("/")[0].strip("."):
        return "runs a package by name"
    if program in ("nc", "ncat", "netcat") and any(word[:1] == "-" and "z" in word for word in rest):
        return ""  # asks whether a port answers
    if program in _SENDS and program not in _SENDING_SUB:
        return "sends files away"
    if program == "git" and plain[:1] == ["push"] and (any(map(_PLACES.search, plain[1:])) or "--mirror" in rest):
        return "sends files away"  # elsewhere than to a remote that the repository knows
    if (
        program in _SENDING_SUB
        and plain[:1]
        and plain[0] in _SENDING_SUB[program]
        and plain[1:2] not in [[verb] for verb in _READING_SUB.get(program, ())]
    ):
        return "sends files away"
    return ""


def _runs_a_stranger(program: str, rest: Sequence[str], plain: Sequence[str]) -> bool:
    at = 0
    if program in ("pnpm", "yarn", "npm", "bun", "pipx") and plain[:1] and plain[0] in ("dlx", "exec", "x", "run"):
        if program in ("npm", "yarn", "pnpm", "bun") and plain[0] == "run":
            return False  # a script of the project
        at = 1
    elif program not in _BY_NAME:
        return False
    if any(word in ("-y", "--yes", "-p", "--package", "--with", "--from") for word in rest):
        return True
    name = plain[at] if len(plain) > at else ""
    return bool(name) and name not in _USUAL


def _installs(verbs: Sequence[str], rest: Sequence[str]) -> bool:
    """Whether an installer is given something by name, and not what the project's own files ask for."""
    at = next((n for n, word in enumerate(rest) if word in verbs), -1)
    if at < 0:
        return False
    after = list(rest[at + 1 :])
    if rest[at] in ("exec", "x", "dlx", "init", "tool", "repo", "mcp", "plugin", "extension", "global", "-S"):
        return bool(after)
    named = False
    skip = False
    for word in after:
        if skip:
            skip = False
        elif word in _WITH_VALUE:
            skip = True
        elif (
            not word.startswith("-")
            and not _OWN_FILES.search(word)
            and not word.endswith((".txt", ".toml", ".lock", ".yml", ".yaml"))
        ):
            named = True
    return named


_cache: dict[str, re.Pattern[str]] = {}


def _compiled(expression: str) -> re.Pattern[str]:
    found = _cache.get(expression)
    if found is None:
        found = _cache[expression] = re.compile(expression)
    return found
