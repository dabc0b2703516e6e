"""Passes lines between the plugin that started this program and the class that
answers them: from standard input to the socket beside this file, and back."""
import os
import socket
import sys


def main():
    with socket.socket(socket.AF_UNIX) as to:
        to.connect(os.path.join(os.path.dirname(os.path.abspath(__file__)), "socket"))
        with to.makefile("rwb") as lines:
            for line in sys.stdin.buffer:
                lines.write(line)
                lines.flush()
                sys.stdout.buffer.write(lines.readline())
                sys.stdout.buffer.flush()


main()
