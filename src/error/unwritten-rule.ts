/**
 * A kind of rule that no schema says: of a database, or of the service, by the check of a whole
 * item or a hook around writes.
 */
export type UnwrittenRule = 'database' | 'item'

/** The `meta` of an error that such a rule caused. */
export const unwrittenRuleMeta: Readonly<Record<UnwrittenRule, { readonly violates: string }>> =
  Object.freeze({
    database: Object.freeze({ violates: 'databaseRule' }),
    item: Object.freeze({ violates: 'itemRule' }),
  })

/**
 * The keyword of a response that covers such rules: a request that matches its description may be
 * refused with it.
 */
export const unwrittenRuleKeywords: Readonly<Record<UnwrittenRule, string>> = Object.freeze({
  database: 'x-resourcery-database-rules',
  item: 'x-resourcery-item-rules',
})

export const unwrittenRules: readonly UnwrittenRule[] = Object.freeze(['database', 'item'])
