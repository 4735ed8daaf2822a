/** Says of a rule of a table that its model does not say it. */
export function leftToDatabase(constraint: string): string {
  return `The rule '${constraint}' is left to the database: a write against it is 422.`
}
