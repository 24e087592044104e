"""The compiled exact search: branch and bound over states, for best responses that are proved."""

from __future__ import annotations
