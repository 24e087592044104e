"""Access to the machine: files, memory, deadlines, Ctrl-C."""
