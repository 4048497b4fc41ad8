"""Tests of duplicate scoring."""
