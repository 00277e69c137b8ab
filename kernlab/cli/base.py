"""The group of commands, and the options that several of them have."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kernlab import __version__
from kernlab.errors import OptionError

if TYPE_CHECKING:
    from kernlab.runs.store import Store

__all__ = ["Command", "as_json", "cli", "names", "open_store", "options", "parsed_settings"]

Command = TypeVar("Command", bound=Callable[..., Any])


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="kernlab")
def cli() -> None:
    """See kernel learning: train, watch and compare spectral kernels."""


as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON document on standard output.")


def options(*several: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Several options as one decorator, in the order in which ``--help`` lists them."""

    def add(command: Command) -> Command:
        for option in reversed(several):
            command = option(command)
        return command

    return add


def names(text: str) -> list[str]:
    """The names in a list that is separated by commas."""
    return [each.strip() for each in text.split(",") if each.strip()]


def parsed_settings(
    settings: Iterable[str], form: str = "KEY=VALUE", example: str = "n_features=500"
) -> dict[str, str]:
    """The values of ``--set``, by key."""
    found = {}
    for each in settings:
        key, sign, value = each.partition("=")
        if not sign or not key.strip():
            raise OptionError(f"--set must be {form}", repr(each), f"write for example --set {example}")
        found[key.strip()] = value.strip()
    return found


def open_store() -> Store:
    """The stored runs."""
    from kernlab.runs.store import Store

    return Store()
