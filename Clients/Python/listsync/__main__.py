"""Runs the program with the arguments of the command."""
import subprocess
import sys

from .store import _program

sys.exit(subprocess.run([_program(), *sys.argv[1:]]).returncode)
