"""The dashboard: a team's view of one store, in the browser.

`app.create_app` makes the app, and `app.serve` runs it.
"""
