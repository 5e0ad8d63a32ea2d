"""Derivatives of operators: their formulas, and the code generated from them."""
