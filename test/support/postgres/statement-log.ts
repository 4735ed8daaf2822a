/**
 * The statements of a database in the log of its server, where `log_line_prefix` is `@%d@ `. Lines
 * after the first one of a statement begin with a tab.
 */
export function statementsIn(log: string, database: string): readonly string[] {
  const entry = /^@([^@]*)@ LOG: {2}(?:statement|execute [^:]*): (.*(?:\n\t.*)*)/gm
  return Array.from(log.matchAll(entry))
    .filter(([, name]) => name === database)
    .map(([, , statement = '']) => statement.replaceAll('\n\t', '\n'))
}

/** Those of the statements that change a schema. */
export function schemaChanges(statements: readonly string[]): readonly string[] {
  return statements.filter((statement) =>
    /\b(?:create|alter|drop|truncate|comment on|grant|revoke|reindex)\b/i.test(
      withoutLiterals(statement),
    ),
  )
}

function withoutLiterals(statement: string): string {
  return statement.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|--.*|\/\*[\s\S]*?\*\//g, '')
}
