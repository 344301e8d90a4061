"""Declaration, parsing and validation of options.

The keyword parameters of a metric declare its options. Their annotations define the valid values:
``bool``, ``int``, ``float``, ``str``, a ``Literal`` of choices, a union of these, or a number
within a `Range`, ``Annotated[float, Range(min=0)]``.

Options that several metrics share are declared once, as fields of a ``TypedDict`` with a `Default`,
and a metric takes them with ``**options: Unpack[…]``; `resolved` returns their values.

`Metric` validates its options before ``__init__`` runs; `checked` does the same for a function.
"""

from __future__ import annotations

import functools
import inspect
import json
import math
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Literal,
    ParamSpec,
    TypeAlias,
    TypeVar,
    Union,
    Unpack,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np

from geceval.engines.threads import MAX_JOBS
from geceval.errors import OptionError, did_you_mean

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T", bound=Mapping[str, object])

_BOOLS = {
    **dict.fromkeys(("true", "yes", "on", "1"), True),
    **dict.fromkeys(("false", "no", "off", "0"), False),
}
_WORDS = {
    bool: "true or false",
    int: "an integer",
    float: "a number",
    str: "text",
    Path: "a path",
    Callable: "a function",
    types.NoneType: "none",
}


@dataclass(frozen=True, slots=True)
class Range:
    """Bounds of a number.

    Parameters
    ----------
    min, max
        Inclusive bounds.
    above, below
        Exclusive bounds.

    Examples
    --------
    >>> print(Range(min=0, max=1), Range(above=0), sep="; ")
    from 0 to 1; above 0
    >>> Range(above=0).holds(0)
    False
    """

    min: float = -math.inf
    max: float = math.inf
    above: float = -math.inf
    below: float = math.inf

    def holds(self, value: float | np.number) -> bool:
        """Whether a number lies within the bounds."""
        return bool(self.min <= value <= self.max and self.above < value < self.below)

    def record(self) -> dict[str, float]:
        """Return the finite bounds, by name."""
        bounds = {name: getattr(self, name) for name in ("min", "max", "above", "below")}
        return {name: bound for name, bound in bounds.items() if math.isfinite(bound)}

    def __str__(self) -> str:
        if math.isfinite(self.min) and math.isfinite(self.max):
            return f"from {_plain(self.min)} to {_plain(self.max)}"
        bounds = {
            "of at least": self.min,
            "above": self.above,
            "at most": self.max,
            "below": self.below,
        }
        return " and ".join(
            f"{words} {_plain(bound)}" for words, bound in bounds.items() if math.isfinite(bound)
        )


def _plain(number: float) -> str:
    """Format an integer with all digits, other numbers as short as possible."""
    return str(int(number)) if float(number).is_integer() else f"{number:g}"


@dataclass(frozen=True, slots=True)
class Default:
    """Default value of an option that is a field of a ``TypedDict``, which has no values."""

    value: object


Jobs: TypeAlias = Annotated[int, Range(min=1, max=MAX_JOBS)]
"""Maximum number of cores to use."""

Beta: TypeAlias = Annotated[float, Range(min=0, max=1000)]
"""Weight of recall in F."""

Seed: TypeAlias = Annotated[int, Range(min=0)]
"""Random seed."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option and its valid values.

    Parameters
    ----------
    owner, name
        Name of the metric or function, and of the option.
    kinds
        Valid types; ``object`` for any.
    choices
        Valid values of other types.
    range
        Bounds of a number.
    default
        Default value, which is always valid.

    Examples
    --------
    >>> option = Option("m2", "beta", (float,), range=Range(min=0), default=0.5)
    >>> option.parse("2")
    2.0
    >>> option.check(-1)
    Traceback (most recent call last):
    geceval.errors.OptionError: m2: the option beta takes a number of at least 0, not -1
    """

    owner: str
    name: str
    kinds: tuple[Any, ...] = ()
    choices: tuple[object, ...] = ()
    range: Range = Range()
    default: object = inspect.Parameter.empty

    @property
    def is_choice(self) -> bool:
        """Whether the valid values are a list of choices, and possibly none."""
        return bool(self.choices) and set(self.kinds) <= {types.NoneType}

    @property
    def allowed(self) -> str:
        """Description of the valid values."""
        kinds = [kind for kind in self.kinds if not (kind is int and float in self.kinds)]
        words = [_WORDS.get(kind) or getattr(kind, "__name__", str(kind)) for kind in kinds]
        bounds = str(self.range)
        words = [f"{word} {bounds}" if word in _NUMBERS and bounds else word for word in words]
        listing = ", ".join(map(str, self.choices))
        one_of = f"one of {listing}" if len(self.choices) > 1 else listing
        return " or ".join([one_of, *words] if listing else words)

    def check(self, value: object) -> None:
        """Validate a value."""
        if value is self.default:
            return
        if any(type(value) is type(choice) and value == choice for choice in self.choices):
            return
        if not any(_fits(value, kind) for kind in self.kinds):
            raise self._error(value)
        # The kinds have let nothing pass that is not a number but looks like one.
        if isinstance(value, int | float | np.number) and not self.range.holds(value):
            raise self._error(value)

    def parse(self, text: str) -> Any:
        """Parse and validate the text form of a value."""
        value = self._read(text)
        self.check(value)
        return value

    def _read(self, text: str) -> object:
        written = text.strip().casefold()
        for choice in self.choices:
            if str(choice).casefold() == written:
                return choice
        if types.NoneType in self.kinds and written == "none":
            return None
        if bool in self.kinds and written in _BOOLS:
            return _BOOLS[written]
        for kind in (int, float):
            if kind in self.kinds:
                try:
                    return kind(written)
                except ValueError:
                    pass
        if str in self.kinds or Path in self.kinds:
            return text
        if object in self.kinds:
            return _guessed(text)
        raise self._error(text)

    def _error(self, value: object) -> OptionError:
        known = [str(choice) for choice in self.choices]
        hint = did_you_mean(value, known) if isinstance(value, str) else ""
        shown = repr(value.item() if isinstance(value, np.generic) else value)
        return OptionError(
            f"{self.owner}: the option {self.name} takes {self.allowed}, not {shown}{hint}"
        )


_PLAIN = (
    bool, int, float, complex, str, bytes, types.NoneType, list, tuple, dict, set, np.generic,
    np.ndarray,
)  # fmt: skip
_NUMBERS = frozenset((_WORDS[int], _WORDS[float]))


def _is_bool(value: object) -> bool:
    return isinstance(value, bool | np.bool_)


def _fits(value: object, kind: Any) -> bool:
    """Whether a value is of a type; booleans and infinities are not numbers."""
    if kind is object:
        return True
    if kind is bool:
        return _is_bool(value)
    if kind is int:
        return isinstance(value, int | np.integer) and not _is_bool(value)
    if kind is float:
        return _fits(value, int) or (
            isinstance(value, float | np.floating) and math.isfinite(value)
        )
    if kind in _WORDS:
        return isinstance(value, kind)
    # Any object may implement the interface of a class, except for plain data.
    return not isinstance(value, _PLAIN) or (_is_checkable(kind) and isinstance(value, kind))


def _is_checkable(kind: type) -> bool:
    """Whether `isinstance` works for a type; for most protocols it does not."""
    return not getattr(kind, "_is_protocol", False) or getattr(kind, "_is_runtime_protocol", False)


def _guessed(text: str) -> object:
    """Parse the value of an option without a declared type."""
    try:
        value: object = json.loads(text.strip().casefold())
    except ValueError:
        return text
    return value


@functools.cache
def options_of(declaring: Callable[..., Any]) -> Mapping[str, Option]:
    """Return the options that a class or function declares by its keyword parameters.

    Parameters that are passed to a base class with ``**options`` are included, and the fields of a
    ``TypedDict`` that ``**options`` unpacks.

    Examples
    --------
    >>> from geceval.metrics import metric_class
    >>> options = options_of(metric_class("gleu"))
    >>> list(options)
    ['variant', 'order', 'exact', 'iterations', 'numerator', 'smoothing', 'draws', 'references', \
'unit', 'missing', 'jobs']
    >>> options["exact"].parse("no")
    False
    """
    owner = str(getattr(declaring, "name", declaring.__name__))
    found: dict[str, Option] = {}
    for function in _declarations(declaring):
        for param in inspect.signature(function).parameters.values():
            if param.kind in (param.POSITIONAL_OR_KEYWORD, param.KEYWORD_ONLY):
                found.setdefault(param.name, _option(owner, function, param))
        for name, hint in _shared_hints(function).items():
            found.setdefault(name, _declared(Option(owner, name), hint))
    found.pop("self", None)
    return types.MappingProxyType(found)


def descriptions_of(declaring: Callable[..., Any]) -> dict[str, str]:
    """Return the descriptions of options from the docstrings of a class and its bases.

    Examples
    --------
    >>> from geceval.metrics.registry import metric_class
    >>> descriptions_of(metric_class("gleu"))["missing"][:35]
    'Whether an annotator without a line'
    """
    found: dict[str, str] = {}
    for base in getattr(declaring, "__mro__", (declaring,))[:-1]:
        lines = inspect.cleandoc(vars(base).get("__doc__") or "").split("\n")
        start = lines.index("Parameters") + 2 if "Parameters" in lines else len(lines)
        names: list[str] = []
        for number, line in enumerate(lines[start:], start):
            if line and not line.startswith(" "):
                if lines[number + 1 : number + 2] and lines[number + 1].startswith("---"):
                    break
                names = [name for name in line.split(", ") if name not in found]
            else:
                for name in names:
                    found[name] = f"{found.get(name, '')} {line.replace('``', '').strip()}".strip()
    return found


def _declarations(declaring: Callable[..., Any]) -> Iterator[Callable[..., Any]]:
    """Yield the functions that declare options: one, and those that it passes others on to."""
    if not isinstance(declaring, type):
        yield declaring
        return
    for base in declaring.__mro__[:-1]:
        if "__init__" in vars(base):
            init = vars(base)["__init__"]
            yield init
            if not _takes_more(init):
                return


def _takes_more(function: Callable[..., Any]) -> bool:
    """Whether a function takes keyword arguments that it does not declare."""
    return _keywords(function) is not None and not _shared_hints(function)


def _keywords(function: Callable[..., Any]) -> inspect.Parameter | None:
    """Return the parameter that takes all other keyword arguments, if there is one."""
    params = inspect.signature(function).parameters.values()
    return next((param for param in params if param.kind is param.VAR_KEYWORD), None)


def _shared_hints(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the annotations of options that a function takes as ``**options: Unpack[…]``."""
    keywords = _keywords(function)
    hint = None if keywords is None else _hint(function, keywords)
    return _hints_with_default(get_args(hint)[0]) if get_origin(hint) is Unpack else {}


def _hints_with_default(shared: Any) -> dict[str, Any]:
    """Return the annotations of the fields of a ``TypedDict`` that have a `Default`."""
    return {
        name: hint
        for name, hint in get_type_hints(shared, include_extras=True).items()
        if any(isinstance(one, Default) for one in getattr(hint, "__metadata__", ()))
    }


def resolved(shared: type[T], given: Mapping[str, Any]) -> T:
    """Return the values of the options that a ``TypedDict`` declares, given or by default.

    Examples
    --------
    >>> from typing import TypedDict
    >>> class Sampling(TypedDict, total=False):
    ...     seed: Annotated[int, Default(0)]
    ...     n_samples: Annotated[int, Default(1000)]
    >>> resolved(Sampling, {"n_samples": 10, "beta": 0.5})
    {'seed': 0, 'n_samples': 10}
    """
    hints = _hints_with_default(shared)
    values = {name: _declared(Option("", name), hint).default for name, hint in hints.items()}
    return cast("T", {name: given.get(name, default) for name, default in values.items()})


def _option(owner: str, function: Callable[..., Any], param: inspect.Parameter) -> Option:
    option = Option(owner, param.name, default=param.default)
    if param.annotation is not param.empty:
        return _declared(option, _hint(function, param))
    # Without an annotation, the type is that of the default; an integer may mean any number.
    kind = type(param.default)
    if kind in (int, float):
        return replace(option, kinds=(int, float))
    return replace(option, kinds=(kind,) if kind in (bool, str) else (object,))


def _hint(function: Callable[..., Any], param: inspect.Parameter) -> Any:
    """Resolve an annotation; one that cannot be resolved allows any value."""
    namespace = getattr(inspect.unwrap(function), "__globals__", {})
    holder = types.SimpleNamespace(__annotations__={param.name: param.annotation})
    try:
        return get_type_hints(holder, namespace, include_extras=True)[param.name]
    except (NameError, AttributeError, TypeError, SyntaxError):
        return Any


def _declared(option: Option, hint: Any) -> Option:
    """Add the values that an annotation allows."""
    origin = get_origin(hint)
    if origin is Annotated:
        kind, *more = get_args(hint)
        option = _declared(option, kind)
        for one in more:
            if isinstance(one, Range):
                option = replace(option, range=one)
            elif isinstance(one, Default):
                option = replace(option, default=one.value)
        return option
    if origin in (Union, types.UnionType):
        for one in get_args(hint):
            option = _declared(option, one)
        return option
    if origin is Literal:
        return replace(option, choices=option.choices + get_args(hint))
    kind = origin or hint
    if hint is Any or not isinstance(kind, type):
        kind = object
    return replace(option, kinds=(*option.kinds, kind))


def check_options(declaring: Callable[..., Any], given: Mapping[str, object]) -> None:
    """Validate options of a class or function.

    Raises
    ------
    OptionError
        For an unknown option or an invalid value.
    """
    known = options_of(declaring)
    for name, value in given.items():
        if name in known:
            known[name].check(value)
        elif not any(map(_takes_more, list(_declarations(declaring))[-1:])):
            owner = str(getattr(declaring, "name", declaring.__name__))
            listing = f" (known: {', '.join(sorted(known))})" if known else ""
            hint = did_you_mean(name, known)
            raise OptionError(f"{owner}: unknown option {name!r}{hint}{listing}")


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Validate the keyword arguments of a function."""

    @functools.wraps(function)
    def run(*args: P.args, **options: P.kwargs) -> R:
        check_options(function, options)
        return function(*args, **options)

    return run
