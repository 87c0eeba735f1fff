"""What a stranger gets: build wheel and sdist, install each into empty environments, and do there what the first page says.

    make dist                      everything; files stay in dist/
    make dist ONLY='--python 3.12 --skip-hints'

Each of the two files is installed with every Python of PYTHONS that this machine has, without extras and with them; in each
environment the demo of the sdist is played. Then each kind of installation (pip, uv without pip, uv tool, pipx, clone, plugin) is asked for
something it lacks (two commands, and by the function behind every hint for the other extras), and what its hint says is pasted into a
shell: afterwards it must be there. Nothing of the clone is on the path of these environments. Exit code 1 where anything fails; a Python or an installer that is not here is named and skipped.
"""

from __future__ import annotations

import argparse
import email
import glob
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Iterator, Mapping

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DISTRIBUTION = "tacit-memory"
PYTHONS = ("3.11", "3.12", "3.13")
EXTRAS = "mcp,llm"  # what most people add; the demo needs none of them
COMMANDS = {"mcp": "mcp"}  # extras that a command asks for
# the others, by what is imported
BEHIND = {
    "llm": "httpx",
    "postgres": "psycopg, psycopg_pool, pgvector",
    "semantic": "numpy, wordllama",
}
# pasted in one kind alone: without a wheel for this machine each kind would compile it for minutes
BUILT = ("semantic",)
BUNDLED = {  # files of others that travel in the wheel, each with its licence beside it
    "tacit/surfaces/web/static/htmx.min.js": "tacit/surfaces/web/static/htmx.LICENSE",
}
FAILED: list[str] = []


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--python",
        action="append",
        metavar="VERSION",
        help=f"only this one; default {', '.join(PYTHONS)}",
    )
    parser.add_argument("--skip-hints", action="store_true", help="do not paste the hints")
    parser.add_argument("--skip-demo", action="store_true", help="only install and start")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tacit-dist-") as folder:
        wheel, sdist = build(os.path.join(ROOT, "dist"))
        parts = build_parts(os.path.join(ROOT, "dist"))
        metadata(wheel)
        licences(wheel, sdist)
        demo = unpacked(sdist, folder)
        for version in args.python or PYTHONS:
            python = interpreter(version)
            if not python:
                print(f"skipped: Python {version} is not on this machine")
                continue
            for artefact in (wheel, sdist):
                for extras in ("", EXTRAS):
                    installed(
                        python, version, artefact, extras, "" if args.skip_demo else demo, folder
                    )
            with_parts(python, version, wheel, parts, folder)
        if not args.skip_hints:
            hints(wheel, os.path.dirname(os.path.dirname(demo)), folder)
    print(
        "\n".join(["", *(f"FAILED: {each}" for each in FAILED)])
        if FAILED
        else "everything installs, starts and tells its story"
    )
    return 1 if FAILED else 0


# -- the two files -------------------------------------------------------------------------------------------------------------


def build(folder: str) -> tuple[str, str]:
    """Wheel and sdist by the standard front end, from what git knows and nothing else that lies around."""
    shutil.rmtree(folder, ignore_errors=True)
    run([sys.executable, "-m", "build", "--outdir", folder, ROOT], cwd=ROOT)
    [wheel], [sdist] = (
        glob.glob(os.path.join(folder, "*.whl")),
        glob.glob(os.path.join(folder, "*.tar.gz")),
    )
    for path in (wheel, sdist):
        print(f"built {os.path.basename(path)}: {os.path.getsize(path) / 1e6:.2f} MB")
    return wheel, sdist


def build_parts(folder: str) -> list[str]:
    """A wheel of every other distribution of this repository."""
    for part in sorted(glob.glob(os.path.join(ROOT, "distributions", "tacit-*"))):
        run(
            [
                sys.executable,
                "-m",
                "build",
                "--wheel",
                "--outdir",
                os.path.join(folder, "parts"),
                part,
            ],
            cwd=ROOT,
        )
    wheels = sorted(glob.glob(os.path.join(folder, "parts", "*.whl")))
    print(f"built {', '.join(map(os.path.basename, wheels))}")
    return wheels


def metadata(wheel: str) -> None:
    """The wheel says who we are, and names nobody else's project as ours."""
    with zipfile.ZipFile(wheel) as archive:
        name = next(each for each in archive.namelist() if each.endswith(".dist-info/METADATA"))
        told = email.message_from_bytes(archive.read(name))
        tops = {each.split("/")[0] for each in archive.namelist()}
    check(told["Name"] == DISTRIBUTION, f"the wheel is called {told['Name']}")
    needed = [
        re.split(r"[\s;<>=!\[(]", line)[0].lower() for line in told.get_all("Requires-Dist") or []
    ]
    check("tacit" not in needed, "the wheel requires another project called tacit")
    wrong = re.findall(
        r"install[^\n|]*[\s'\"]tacit(?:\[|['\"]|\s*$)", str(told.get_payload()), re.M
    )
    check(not wrong, f"the description installs another project: {wrong}")
    check(tops == {"tacit", os.path.dirname(name)}, f"the wheel puts {sorted(tops)} beside us")
    check(told["License-Expression"] == "Apache-2.0", f"licence {told['License-Expression']}")
    print(
        f"metadata: {told['Name']} {told['Version']}, {told['License-Expression']}, needs {', '.join(sorted(set(needed)))}"
    )


def licences(wheel: str, sdist: str) -> None:
    """Our licence and notice, and that of every file of others."""
    with zipfile.ZipFile(wheel) as archive:
        inside = set(archive.namelist())
        sizes = {
            each: len(archive.read(each)) for each in inside if each.endswith(("LICENSE", "NOTICE"))
        }
    check(
        {"LICENSE", "NOTICE"} <= {os.path.basename(each) for each in sizes},
        "the wheel lacks LICENSE or NOTICE",
    )
    for file, licence in BUNDLED.items():
        check(file in inside and sizes.get(licence, 0) > 100, f"{file} travels without {licence}")
    foreign = {
        each for each in inside if re.search(r"\.min\.(js|css)$|\.(woff2?|ttf|so|wasm)$", each)
    } - set(BUNDLED)
    check(not foreign, f"files of others without a licence: {sorted(foreign)}")
    with tarfile.open(sdist) as archive:
        names = {each.partition("/")[2] for each in archive.getnames()}
    check(
        {"LICENSE", "NOTICE", "examples/demo.py", "src/tacit/__init__.py"} <= names,
        "the sdist is not whole",
    )
    print(
        f"licences: ours, and {', '.join(map(os.path.basename, BUNDLED.values()))} for what is bundled"
    )


def unpacked(sdist: str, folder: str) -> str:
    """The demo, as the sdist brings it."""
    with tarfile.open(sdist) as archive:
        archive.extractall(os.path.join(folder, "sdist"), filter="data")
    return glob.glob(os.path.join(folder, "sdist", "*", "examples", "demo.py"))[0]


# -- installing ----------------------------------------------------------------------------------------------------------------


def interpreter(version: str) -> str:
    """A Python of this version: on the PATH, or among those that pyenv keeps."""
    kept = os.environ.get("PYENV_ROOT") or os.path.expanduser("~/.pyenv")
    for candidate in (
        f"python{version}",
        *sorted(glob.glob(f"{kept}/versions/{version}.*/bin/python")),
    ):
        try:
            done = subprocess.run(
                [candidate, "-c", "import ensurepip, sys; print('%d.%d' % sys.version_info[:2])"],
                capture_output=True,
                text=True,
            )
        except OSError:
            continue
        if done.stdout.strip() == version:
            return candidate
    return ""


def installed(
    python: str, version: str, artefact: str, extras: str, demo: str, folder: str
) -> None:
    """One environment: install, start, play the demo."""
    kind = "wheel" if artefact.endswith(".whl") else "sdist"
    what = f"{kind} on {version} {'with ' + extras if extras else 'alone'}"
    home = os.path.join(folder, f"{kind}-{version}-{len(extras)}")
    began = time.monotonic()
    run([python, "-m", "venv", home], cwd=folder)
    wanted = f"{DISTRIBUTION}[{extras}] @ file://{artefact}" if extras else artefact
    done = run(
        [
            f"{home}/bin/python",
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            wanted,
        ],
        cwd=folder,
        must=False,
    )
    if done.returncode:
        FAILED.append(f"{what}: pip install: {done.stderr[-400:]}")
        return
    took = time.monotonic() - began
    env = surroundings(home)
    where = run(
        [f"{home}/bin/python", "-c", "import tacit; print(tacit.__file__)"], cwd=folder, env=env
    ).stdout
    check(where.startswith(home), f"{what}: tacit is imported from {where.strip()}")
    check(
        run([f"{home}/bin/tacit", "--version"], cwd=folder, env=env).stdout.startswith("tacit "),
        f"{what}: --version",
    )
    for verb, needs, there in (
        ("desk", "starlette, uvicorn, jinja2", True),
        ("mcp", "mcp", bool(extras)),
    ):
        told = run([f"{home}/bin/tacit", verb, "--help"], cwd=folder, env=env, must=False)
        check(told.returncode == 0, f"{what}: tacit {verb} --help fails")
        has = run(
            [f"{home}/bin/python", "-c", f"import {needs}"],
            cwd=folder,
            env=env,
            must=False,
        )
        check(
            (has.returncode == 0) == there,
            f"{what}: {needs} is {'missing' if there else 'there unasked'}",
        )
    told_in = 0.0
    if demo:
        began = time.monotonic()
        played = run([f"{home}/bin/python", demo], cwd=folder, env=env, must=False)
        told_in = time.monotonic() - began
        check(
            played.returncode == 0 and "not yet known" in played.stdout,
            f"{what}: demo: {(played.stdout + played.stderr)[-600:]}",
        )
    print(
        f"  {what:<34} installed in {took:4.0f} s" + (f", demo {told_in:4.1f} s" if demo else ""),
        flush=True,
    )
    shutil.rmtree(home, ignore_errors=True)


def with_parts(python: str, version: str, wheel: str, parts: list[str], folder: str) -> None:
    """An environment with every wheel of ours and no registry: what the parts bring is there, and before it was said to be missing."""
    home = os.path.join(folder, f"parts-{version}")
    asked = "from tacit.core.installation import PARTS, missing_parts as m; print([m(k) for p in PARTS.values() for k in p])"
    run([python, "-m", "venv", home], cwd=folder)
    pip = [f"{home}/bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run([*pip, wheel], cwd=folder)
    before = run([f"{home}/bin/python", "-c", asked], cwd=folder, env=surroundings(home)).stdout
    run([*pip, "--no-index", *parts], cwd=folder)
    after = run([f"{home}/bin/python", "-c", asked], cwd=folder, env=surroundings(home)).stdout
    check(
        "''" not in before and not after.strip("[]', \n"),
        f"parts on {version}: before {before} after {after}",
    )
    print(f"  {'parts on ' + version:<34} {len(parts)} installed beside the wheel", flush=True)
    shutil.rmtree(home, ignore_errors=True)


# -- hints ---------------------------------------------------------------------------------------------------------------------


def hints(wheel: str, source: str, folder: str) -> None:
    """Each kind of installation, asked for what it lacks; its hint pasted; asked again."""
    tools = os.path.join(folder, "tools")
    run([sys.executable, "-m", "venv", tools], cwd=folder)
    got = run(
        [
            f"{tools}/bin/python",
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "uv",
            "pipx",
        ],
        cwd=folder,
        must=False,
    )
    if got.returncode:
        print(f"skipped: uv and pipx are not to be had here: {got.stderr[-200:]}")
    for kind, tacit, env in kinds(wheel, source, folder, tools if not got.returncode else ""):
        if not os.path.exists(tacit):
            FAILED.append(f"{kind}: {tacit} was not made")
            continue
        for extra, verb in COMMANDS.items():
            lacking = run([tacit, verb], cwd=folder, env=env, must=False, stdin="")
            line = next(
                (
                    each.strip()
                    for each in lacking.stderr.splitlines()
                    if "install" in each or "inject" in each
                ),
                "",
            )
            check(
                lacking.returncode != 0 and bool(line),
                f"{kind}: tacit {verb} without its extra says no way: {lacking.stderr[-300:]}",
            )
            pasted = subprocess.run(
                ["sh", "-c", line], cwd=folder, env=env, capture_output=True, text=True
            )
            check(pasted.returncode == 0, f"{kind}: {line}\n{pasted.stderr[-400:]}")
            after = run(
                [tacit, verb],
                cwd=folder,
                env=env,
                must=False,
                stdin="",
                seconds=20,
            )
            check(
                "install" not in after.stderr and "inject" not in after.stderr,
                f"{kind}: {verb} still lacks {extra}: {after.stderr[-300:]}",
            )
            print(
                f"  {kind:<10} {extra:<8} {line if len(line) < 110 else line[:107] + '…'}",
                flush=True,
            )
        with open(tacit, encoding="utf-8") as script:
            python = script.readline().removeprefix("#!").split()[0]  # pipx adds an option
        for extra, imports in BEHIND.items():
            if extra in BUILT and kind != "pip":
                continue
            line = run(
                [python, "-c", f"from tacit.core.installation import hint; print(hint({extra!r}))"],
                cwd=folder,
                env=env,
            ).stdout.strip()
            lacks = (
                run([python, "-c", f"import {imports}"], cwd=folder, env=env, must=False).returncode
                != 0
            )
            pasted = subprocess.run(
                ["sh", "-c", line], cwd=folder, env=env, capture_output=True, text=True
            )
            check(pasted.returncode == 0, f"{kind}: {line}\n{pasted.stderr[-400:]}")
            after = run([python, "-c", f"import {imports}, tacit"], cwd=folder, env=env, must=False)
            check(
                after.returncode == 0, f"{kind}: {extra} is still not there: {after.stderr[-300:]}"
            )
            said = "" if lacks else " (was there already)"
            print(
                f"  {kind:<10} {extra:<8} {line if len(line) < 110 else line[:107] + '…'}{said}",
                flush=True,
            )


def kinds(
    wheel: str, source: str, folder: str, tools: str
) -> Iterator[tuple[str, str, Mapping[str, str]]]:
    """Kind, its `tacit`, and the surroundings in which it is called."""
    made = os.path.join(folder, "pip")
    run([sys.executable, "-m", "venv", made], cwd=folder)
    run(
        [
            f"{made}/bin/python",
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            wheel,
        ],
        cwd=folder,
    )
    yield "pip", f"{made}/bin/tacit", surroundings(made)
    made = os.path.join(folder, "clone")
    run([sys.executable, "-m", "venv", made], cwd=folder)
    run(
        [
            f"{made}/bin/python",
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--editable",
            source,
        ],
        cwd=folder,
    )
    yield "clone", f"{made}/bin/tacit", surroundings(made)
    if not tools:
        return
    made = os.path.join(folder, "uv-alone")
    env = surroundings(
        tools,
        UV_TOOL_DIR=f"{folder}/uv-tools",
        UV_TOOL_BIN_DIR=f"{folder}/uv-bin",
        UV_CACHE_DIR=f"{folder}/uv-cache",
        **uv_registry(),
    )
    run(
        [f"{tools}/bin/uv", "venv", "--quiet", "--python", sys.executable, made],
        cwd=folder,
        env=env,
    )
    run(
        [f"{tools}/bin/uv", "pip", "install", "--quiet", "--python", f"{made}/bin/python", wheel],
        cwd=folder,
        env=env,
    )
    yield "uv", f"{made}/bin/tacit", env
    run(
        [f"{tools}/bin/uv", "tool", "install", "--quiet", "--python", sys.executable, wheel],
        cwd=folder,
        env=env,
    )
    yield "uv tool", f"{folder}/uv-bin/tacit", env
    env = surroundings(
        tools,
        PIPX_HOME=f"{folder}/pipx",
        PIPX_BIN_DIR=f"{folder}/pipx-bin",
        PIPX_DEFAULT_PYTHON=sys.executable,
    )
    run([f"{tools}/bin/pipx", "install", "--quiet", wheel], cwd=folder, env=env, must=False)
    yield "pipx", f"{folder}/pipx-bin/tacit", env
    # The plugin brings no program: its hooks and its MCP server call the `tacit` on the PATH, here one from a folder by uv tool.
    env = surroundings(
        tools,
        UV_TOOL_DIR=f"{folder}/plugin-tools",
        UV_TOOL_BIN_DIR=f"{folder}/plugin-bin",
        UV_CACHE_DIR=f"{folder}/uv-cache",
        **uv_registry(),
    )
    run(
        [f"{tools}/bin/uv", "tool", "install", "--quiet", "--python", sys.executable, source],
        cwd=folder,
        env=env,
    )
    yield "plugin", f"{folder}/plugin-bin/tacit", env


def uv_registry() -> dict[str, str]:
    """uv does not read pip's settings: where pip is sent elsewhere, so is uv."""
    told = subprocess.run(
        [sys.executable, "-m", "pip", "config", "get", "global.index-url"],
        capture_output=True,
        text=True,
    ).stdout.strip()
    certificates = os.environ.get("PIP_CERT") or os.environ.get("SSL_CERT_FILE")
    return {
        **({"UV_DEFAULT_INDEX": told} if told else {}),
        **({"SSL_CERT_FILE": certificates} if certificates else {}),
    }


# -- doing ---------------------------------------------------------------------------------------------------------------------


def surroundings(prefix: str, **more: str) -> dict[str, str]:
    """A shell of somebody who has only this environment."""
    gone = ("PYTHONPATH", "VIRTUAL_ENV", "TACIT_", "XDG_", "PYTHONHOME")
    env = {name: value for name, value in os.environ.items() if not name.startswith(gone)}
    home = os.path.join(os.path.dirname(prefix), "home")
    os.makedirs(home, exist_ok=True)
    return {
        **env,
        "HOME": home,
        "PATH": f"{prefix}/bin:{env.get('PATH', '')}",
        "PYTHONUTF8": "1",
        **more,
    }


def run(
    argv: list[str],
    *,
    cwd: str,
    env: Mapping[str, str] | None = None,
    must: bool = True,
    stdin: str | None = None,
    seconds: float = 900,
) -> subprocess.CompletedProcess[str]:
    """A program's answer; one that must work and does not ends everything. One that still runs after its time is taken for working."""
    try:
        done = subprocess.run(
            argv, cwd=cwd, env=env, capture_output=True, text=True, input=stdin, timeout=seconds
        )
    except subprocess.TimeoutExpired as late:
        return subprocess.CompletedProcess(argv, 0, str(late.stdout or ""), str(late.stderr or ""))
    if must and done.returncode:
        sys.exit(f"{' '.join(argv)} failed with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


def check(holds: bool, otherwise: str) -> None:
    """Note what does not hold, and go on."""
    if not holds:
        FAILED.append(otherwise)
        print(f"  FAILED: {otherwise}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
