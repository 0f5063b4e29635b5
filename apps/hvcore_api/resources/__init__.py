"""One module per group of routes: parse, one service call, render."""
