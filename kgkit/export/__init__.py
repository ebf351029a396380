"""Graphs and tables for other tools, and the HTML report."""
