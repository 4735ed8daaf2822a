/** The `meta` of an error that a rule of the database caused, which no schema says. */
export const databaseRuleMeta: Readonly<Record<string, unknown>> = Object.freeze({
  violates: 'databaseRule',
})
