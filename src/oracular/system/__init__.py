"""What is asked of the machine: files, memory, deadlines, Ctrl-C."""
