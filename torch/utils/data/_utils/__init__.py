"""What a DataLoader is made of."""
