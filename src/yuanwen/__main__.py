"""`python -m yuanwen` is `yuanwen`."""

from yuanwen.cli import main

if __name__ == "__main__":
    main()
