"""Lower bounds of states on a GPU: the kernel, what runs it, and jobs for another machine."""
