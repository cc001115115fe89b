"""The dashboard: a team's view of one store, in the browser.

`app.create_app` makes the app, `app.serve` runs it. Data flows one way: `data` reads the store
through evalstore's use cases, `figures` and `tables` turn DataFrames into figures and grids
(and know neither app nor store), `pages` put them on a page, `shell` is what all pages share.
"""
