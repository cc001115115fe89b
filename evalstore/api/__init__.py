"""The Python API by subject: everything that `import evalstore` exports."""
