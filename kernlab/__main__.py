"""``python -m kernlab``: the command line."""

from kernlab.cli import main

if __name__ == "__main__":
    main()
