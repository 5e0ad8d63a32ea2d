"""Derivatives of operators: their formulas, and what is generated from them."""
