"""A shop in Django that takes orders for films: who pays may send one, and watches it."""
