"""Tests of the games' rules, options and hidden information."""
