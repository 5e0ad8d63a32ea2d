"""Running the stages that make code: by content, into folders that they own."""
