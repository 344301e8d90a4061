"""Run the command line as ``python -m geceval``."""

from geceval.cli import main

if __name__ == "__main__":
    main()
