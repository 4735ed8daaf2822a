/** The `meta` of an error that a rule of the database caused, which no schema says. */
export const databaseRuleMeta: Readonly<Record<string, unknown>> = Object.freeze({
  violates: 'databaseRule',
})

/**
 * The keyword of a response that such an error may have: a request that matches its description may
 * be refused with it.
 */
export const databaseRulesKeyword = 'x-resourcery-database-rules'
