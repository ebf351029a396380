"""Reading files into documents, and cutting documents into chunks."""
