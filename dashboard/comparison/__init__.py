"""What the Compare page is made of: its data, its tables and its figures."""
