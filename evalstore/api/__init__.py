"""The Python API, by subject: what `import evalstore` exports."""
