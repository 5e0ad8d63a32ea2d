"""Generator for the Type families: a class for each back end and element type, with every operator as a method."""
