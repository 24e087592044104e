"""Compiled inner loops; everything outside this folder is plain Python."""
