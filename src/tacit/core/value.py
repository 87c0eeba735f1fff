"""Frozen values that cost almost nothing to load, and the JSON of plain ones.

A hook starts Python for each prompt, and `dataclasses` alone imports `inspect` and compiles several methods per
class. `@value` reads the annotations, keeps the fields in the instance's own dict, and writes a class's `__init__`
only when its first instance is made. To mypy and editors it is a frozen dataclass.

    @value
    class Place:
        path: str
        line: int = 0

`dumps` and `loads` say what those of `json` say, by the same C functions. The module itself loads `re` and compiles seven expressions with
it, two thirds of what an interpreter costs to start, and none of them is used.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeVar, dataclass_transform

    T = TypeVar("T")
    K = TypeVar("K")

    @dataclass_transform(frozen_default=True)
    def value(cls: type[T]) -> type[T]: ...

else:

    def value(cls):
        """Make `cls` a frozen value: fields from its annotations, equality and hash by content, a readable repr."""
        inherited = getattr(cls, "FIELDS", ())
        names = inherited + tuple(
            n for n in cls.__dict__.get("__annotations__", ()) if n not in inherited
        )
        cls.FIELDS = names
        cls.__match_args__ = names
        cls.__init__ = _first_init
        cls.__setattr__ = cls.__delattr__ = _refuse
        cls.__eq__ = _eq
        cls.__hash__ = _hash
        if "__repr__" not in cls.__dict__:
            cls.__repr__ = _repr
        return cls


class Section:
    """A part of a way of remembering: named values that never change.

    One class for all parts: frozen values of their own would cost a tenth of an interpreter's start at every hook.
    """

    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)

    def __setattr__(self, name: str, _: object) -> None:
        raise AttributeError(f"a section is a value: use section.but({name}=...)")

    def __eq__(self, other: object) -> bool:
        return self.__dict__ == other.__dict__ if isinstance(other, Section) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # sections hold mappings

    def __repr__(self) -> str:
        return f"Section({', '.join(f'{name}={at!r}' for name, at in self.__dict__.items())})"

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    @property
    def FIELDS(self) -> tuple[str, ...]:
        """As a value's: `fields(section)` works."""
        return tuple(self.__dict__)

    def but(self, **values: Any) -> Section:
        """The same with other values; a name that it does not have is a mistake."""
        if unknown := values.keys() - self.__dict__.keys():
            raise TypeError(f"there is no {', '.join(sorted(unknown))} here")
        return Section(**{**self.__dict__, **values})


def replace(of: T, **changes: Any) -> T:
    """A copy of a value with some fields changed."""
    return type(of)(**{**of.__dict__, **changes})


def fields(of: Any) -> dict[str, Any]:
    """A value's fields by name, in the order they were declared; not deep."""
    return {name: of.__dict__[name] for name in of.FIELDS}


def grouped(items: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """Items by a key, each group in their order."""
    found: dict[K, list[T]] = {}
    for each in items:
        found.setdefault(key(each), []).append(each)
    return found


PLAIN_INSTANCES = 24  # instances of a class that are filled without an `__init__` of its own; a hook makes fewer of most


def _first_init(__self: Any, *args: Any, **named: Any) -> None:
    # Compiling an `__init__` costs as much as a hundred instances. A process that makes a handful never pays for it.
    cls = type(__self)
    made = cls.__dict__.get("_made", 0)
    if made < PLAIN_INSTANCES:
        cls._made = made + 1
        return _fill(__self, cls, args, named)
    missing = object()
    defaults = {name: getattr(cls, name, missing) for name in cls.FIELDS}
    head = ", ".join(n if defaults[n] is missing else f"{n}=__defaults[{n!r}]" for n in cls.FIELDS)
    body = "".join(f"    __at[{n!r}] = {n}\n" for n in cls.FIELDS)  # names no field may have
    scope: dict[str, Any] = {"__defaults": defaults}
    exec(f"def __init__(__self, {head}):\n    __at = __self.__dict__\n{body}", scope)
    cls.__init__ = scope["__init__"]
    cls.__init__(__self, *args, **named)


def _fill(of: Any, cls: Any, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    at, names = of.__dict__, cls.FIELDS
    if len(args) > len(names):
        raise TypeError(f"{cls.__name__} takes {len(names)} fields, not {len(args)}")
    for name, field in zip(names, args):
        at[name] = field
    for name in names[len(args) :]:
        if name in named:
            at[name] = named.pop(name)
        else:
            try:
                at[name] = getattr(cls, name)
            except AttributeError:
                raise TypeError(f"{cls.__name__} lacks its field {name}") from None
    if named:
        twice = next(iter(named))
        raise TypeError(
            f"{cls.__name__} got {twice} twice"
            if twice in names
            else f"{cls.__name__} has no field {twice}"
        )


def _refuse(self: Any, name: str, *_: Any) -> None:
    raise AttributeError(f"{type(self).__name__} is a value: use replace(..., {name}=...)")


def _eq(self: Any, other: object) -> bool:
    return self.__dict__ == other.__dict__ if type(other) is type(self) else NotImplemented


def _hash(self: Any) -> int:
    return hash(tuple(self.__dict__.values()))


def _repr(self: Any) -> str:
    return f"{type(self).__name__}({', '.join(f'{n}={v!r}' for n, v in self.__dict__.items())})"


def dumps(of: Any, *, ensure_ascii: bool = True, separators: tuple[str, str] = (", ", ": ")) -> str:
    """A plain value as JSON."""
    said = _json.encode_basestring_ascii if ensure_ascii else _json.encode_basestring
    encode = _json.make_encoder(
        {}, _no_json, said, None, separators[1], separators[0], False, False, True
    )
    return str(said(of)) if isinstance(of, str) else "".join(encode(of, 0))


def loads(text: str | bytes) -> Any:
    """The value that a JSON text says, bytes in UTF-8; ValueError where it is none."""
    text = text.decode("utf-8", "surrogatepass") if isinstance(text, bytes) else text
    try:
        found, end = _scan(text, len(text) - len(text.lstrip(_AROUND_JSON)))
    except StopIteration:
        raise ValueError("it is no JSON") from None
    if text[end:].strip(_AROUND_JSON):
        raise ValueError(f"something follows the JSON at {end}")
    return found


def _no_json(of: Any) -> Any:
    raise TypeError(f"Object of type {type(of).__name__} is not JSON serializable")


class _Strictly:  # what the C scanner asks for
    strict, object_hook, object_pairs_hook, parse_float, parse_int = True, None, None, float, int
    parse_constant = {
        "NaN": float("nan"),
        "Infinity": float("inf"),
        "-Infinity": float("-inf"),
    }.__getitem__


_AROUND_JSON = " \t\n\r"
try:
    import _json

    _scan: Any = _json.make_scanner(_Strictly)  # type: ignore[arg-type]
except (ImportError, AttributeError):  # another Python, or a later one that asks for more
    import json

    dumps, loads = json.dumps, json.loads  # type: ignore[assignment]
