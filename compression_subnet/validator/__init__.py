"""The validator: ``service`` runs rounds for ever, ``main`` puts it together from settings.

``rounds`` asks, ``rewarding`` pays, ``records`` remembers, ``rescoring`` proves what was remembered, ``audit``
publishes it, ``watching`` shows how all of it fares; ``offline`` scores replies from a file in the same way.
"""
