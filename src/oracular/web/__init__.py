"""The game as a web server: an HTTP interface in JSON, and the page that plays through it."""
