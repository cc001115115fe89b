"""The SELECT of the view `run_parameters`, which differs between SQLite and PostgreSQL.

A value of `run_parameters` is text: numbers and booleans as the JSON has them. PostgreSQL gives
that text. SQLite gives other digits (1.0e-05), and its scalar functions of JSON may not be called
in views (`trusted_schema`), so there the number is cut out of the JSON, which `json_text` wrote:
it stands after `"name": `, which is nowhere else, because a quote within a text has a backslash
before it and names have none.
"""

PARAMETERS = """
SELECT collection.name AS collection,
       engine.name AS engine,
       run.name AS run,
       parameter.name AS name,
       {value} AS value
FROM {parameters}
JOIN collection ON collection.id = run.collection_id
JOIN engine ON engine.id = run.engine_id
WHERE run.deleted_at IS NULL
  AND collection.deleted_at IS NULL
"""

PARAMETERS_ON_SQLITE = PARAMETERS.format(
    value="""CASE
         WHEN parameter.type = 'text' THEN parameter.value
         ELSE rtrim(substr(parameter.rest, 1, instr(parameter.rest, ',') - 1), '}')
       END""",
    parameters="""(
    SELECT run.id AS run_id,
           entry.key AS name,
           entry.type AS type,
           entry.value AS value,
           substr(
             run.parameters,
             instr(run.parameters, '"' || entry.key || '": ') + length(entry.key) + 4
           ) || ',' AS rest
    FROM run
    JOIN json_each(run.parameters) AS entry
) AS parameter
JOIN run ON run.id = parameter.run_id""",
)
PARAMETERS_ON_POSTGRES = PARAMETERS.format(
    value="parameter.value",
    parameters="""run
CROSS JOIN json_each_text(run.parameters) AS parameter(name, value)""",
)
