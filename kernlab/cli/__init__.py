"""The ``kernlab`` command, a command a file.

With ``--json`` a command prints one JSON document to standard output and nothing else; progress and errors go to
standard error. A user's mistake ends with exit code 2 and a sentence, a run that failed with code 1, an interrupted
one with code 130. Heavy imports happen inside the commands, so that ``--help`` answers at once.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence

import click

# They register themselves, in the order of the sections of the README.
from kernlab.cli import app, bench, compare, data, lists, reproduce, runs, train  # noqa: F401
from kernlab.cli.base import cli
from kernlab.errors import KernlabError

__all__ = ["cli", "main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point: run the command, and turn a user's mistake into a sentence and exit code 2."""
    usual, warnings.formatwarning = warnings.formatwarning, _sentence
    try:
        code = cli.main(args=arguments, prog_name="kernlab", standalone_mode=False)
    except KernlabError as error:
        click.echo(f"kernlab: {error}", err=True)
        code = 2
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        code = 130
    except BrokenPipeError:  # the reader of the output has ended (kernlab runs list | head)
        sys.stderr.close()
        code = 0
    finally:
        warnings.formatwarning = usual
    sys.exit(code if isinstance(code, int) else 0)


def _sentence(message: Warning | str, *_: object, **__: object) -> str:
    """A library's warning without its file and line, which are of no use to who types a command."""
    return f"kernlab: {message}\n"
