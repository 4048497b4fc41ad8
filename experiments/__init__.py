"""Experiments: a YAML file in, a run folder with numbers and error bars out.

Run from the checkout: ``python -m experiments VERB CONFIG [key=value ...]``.
"""
