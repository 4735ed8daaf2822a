import type { ToOneField } from '../../model/model-description.ts'
import type { Compilation } from './compilation.ts'
import type { Table } from './table.ts'

/** With more related items than that, looking each of them up may take longer than a full scan. */
const maxRelatedItems = 20_000

/**
 * Does a row lead to no related item? Also true where there are too many related items to look
 * up. It looks up each of these once, by an index of the relation, whose column has no NULL.
 */
export function lacksRelatedSql(
  { dialect, tableOf, nextAlias }: Compilation,
  table: Table,
  relation: ToOneField,
): string {
  const [ids, rows, related] = [nextAlias(), nextAlias(), nextAlias()] as const
  const column = `${rows}.${table.columns.get(relation.name)!.sql}`
  const target = tableOf(relation.relatedModel)
  const least = `select min(${column}) from ${table.sql} ${rows}`
  const next = `select (${least} where ${column} > ${ids}.id), ${ids}.number + 1 from ${ids}`
  const isSmall = `${ids}.id is not null and ${ids}.number <= ${maxRelatedItems}`
  const hasItem = `exists (select 1 from ${target.sql} ${related} where ${target.id(related)} = ${ids}.id)`
  return (
    `exists (with recursive ${ids} (id, number) as (select (${least}), 1 union all ` +
    `${next} where ${isSmall} and ${dialect.interruptCheck('none', { alias: ids, number: `${ids}.number` })}) ` +
    `select 1 from ${ids} where ${ids}.id is not null and (${ids}.number > ${maxRelatedItems} or not ${hasItem}))`
  )
}
