import { linkageOf, linkedIds } from '../../stored-item/linkage.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { Engine } from './engine.ts'
import type { ItemJoinTable } from './item-join-table.ts'

/** The statements that write what a to-many relation holds. */
export interface JoinTableWrites {
  /** For a new item. */
  insert(item: StoredItem): readonly Statement[]
  /**
   * For a changed item. `before` is the item as it is stored: only rows that differ are written, so
   * that those which other programs add meanwhile stay.
   */
  replace(item: StoredItem, before: StoredItem | undefined): readonly Statement[]
  /** Of which the owner is the only parameter. */
  readonly removeSql: string
}

export function joinTableWrites({ dialect }: Engine, joinTable: ItemJoinTable): JoinTableWrites {
  const { sql, owner, target, position, ownerCodec, targetCodec } = joinTable
  const ownerId = ownerCodec.form.operand(dialect.placeholder(1))
  const isOwned = `${owner} = ${dialect.placeholder(1)}`
  const listed = `(${dialect.listWithPositions(dialect.placeholder(2))}) s`
  const targetId = targetCodec.form.operand('s.id')
  const columns = [owner, target, ...(position === undefined ? [] : [position])].join(', ')
  const numbers = position === undefined ? '' : ', s.position'
  const onConflict =
    position === undefined
      ? 'do nothing'
      : `do update set ${position} = excluded.${position} where j.${position} is distinct from excluded.${position}`
  const insertSql = (condition: string) =>
    `insert into ${sql} as j (${columns}) select ${ownerId}, ${targetId}${numbers} from ${listed} where ${condition} on conflict (${owner}, ${target}) ${onConflict}`
  const insertAllSql = insertSql('true')
  const added = `select a.id from (${dialect.listWithPositions(dialect.placeholder(3))}) a`
  const insertAddedSql = insertSql(`s.id in (${added})`)
  const removeListedSql = `delete from ${sql} where ${isOwned} and ${target} in (select ${targetId} from ${listed})`
  const removeOthersSql = `delete from ${sql} where ${isOwned} and ${target} not in (select ${targetId} from ${listed})`
  const numberSql =
    position &&
    `update ${sql} as j set ${position} = s.position from ${listed} where j.${isOwned} and j.${target} = ${targetId} and j.${position} is distinct from s.position`

  const statement = (
    text: string,
    { id }: StoredItem,
    ...lists: readonly (readonly string[])[]
  ) => ({
    sql: text,
    parameters: [id, ...lists.map((list) => dialect.binder.list(list))],
  })
  return {
    insert(item) {
      const targets = targetsOf(joinTable, item)
      return targets.length === 0 ? [] : [statement(insertAllSql, item, targets)]
    },

    replace(item, before) {
      const targets = targetsOf(joinTable, item)
      if (!before)
        return [statement(removeOthersSql, item, targets), statement(insertAllSql, item, targets)]
      const targetsBefore = targetsOf(joinTable, before)
      const removed = without(targetsBefore, targets)
      const added = without(targets, targetsBefore)
      const isInOrder = isSameList(without(targetsBefore, removed), without(targets, added))
      const isNumbered = numberSql !== undefined && !(added.length === 0 && isInOrder)
      return [
        ...(removed.length > 0 ? [statement(removeListedSql, item, removed)] : []),
        ...(isNumbered ? [statement(numberSql, item, targets)] : []),
        ...(added.length > 0 ? [statement(insertAddedSql, item, targets, added)] : []),
      ]
    },

    removeSql: `delete from ${sql} where ${isOwned}`,
  }
}

function targetsOf({ field }: ItemJoinTable, item: StoredItem): readonly string[] {
  return [...new Set(linkedIds(linkageOf(item), field))]
}

function without(ids: readonly string[], others: readonly string[]): readonly string[] {
  const excluded = new Set(others)
  return ids.filter((id) => !excluded.has(id))
}

function isSameList(ids: readonly string[], others: readonly string[]): boolean {
  return ids.length === others.length && ids.every((id, index) => id === others[index])
}
