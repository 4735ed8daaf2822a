import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { joinIdParts, splitId } from './composite-id.ts'
import type { ItemTable } from './item-table.ts'

/** Where the id of a new item comes from, or the fields whose values forbid it. */
export type NewItemId =
  | { readonly kind: 'known'; readonly id: string }
  | { readonly kind: 'database' }
  | { readonly kind: 'refused'; readonly fields: readonly string[] }

/**
 * Fields may have the columns of the key: then their values make the id, and an id of the client
 * has to say the same.
 *
 * @param isReplaceable whether the service chose the id of the item
 */
export function newItemId(table: ItemTable, item: StoredItem, isReplaceable: boolean): NewItemId {
  const { newIds } = table
  const parts = isReplaceable ? partsOfMembers(table, item) : []
  const known = parts.flatMap((part) => part ?? [])
  if (isReplaceable && known.length === table.key.parts.length)
    return acceptedId(table, idOfParts(known), namesOfMembers(table))
  if (isReplaceable && isMadeByDatabase(table, item)) return { kind: 'database' }
  if (newIds.source === 'databaseOnly') return { kind: 'refused', fields: ['id'] }
  const id = acceptedId(table, item.id, ['id'])
  if (id.kind !== 'known') return id
  const contradictions = changedKeyMembers(table, item)
  return contradictions.length === 0 ? id : { kind: 'refused', fields: ['id', ...contradictions] }
}

/** The id of the service is taken where the one column of the key can hold it. */
function isMadeByDatabase({ newIds, key, idCodec }: ItemTable, { id }: StoredItem): boolean {
  if (newIds.source !== 'database') return newIds.source === 'databaseOnly'
  return key.parts.length > 1 || idCodec.canonical(id) === undefined
}

/** The fields whose value is another than the id says. A field without a value says nothing. */
export function changedKeyMembers(table: ItemTable, item: StoredItem): readonly string[] {
  const parts = partsOfId(table, item.id)
  return partsOfMembers(table, item).flatMap((part, index) =>
    part === undefined || part === parts?.[index]
      ? []
      : [table.newIds.keyMembers[index]!.field.name],
  )
}

function acceptedId(table: ItemTable, id: string, fields: readonly string[]): NewItemId {
  const isPossible = table.idCodec.canonical(id) === id
  return isPossible ? { kind: 'known', id } : { kind: 'refused', fields }
}

function partsOfMembers(table: ItemTable, item: StoredItem): readonly (string | undefined)[] {
  const { keyMembers } = table.newIds
  if (keyMembers.every((member) => member === undefined)) return []
  const values = readStoredValues(table.model, item)
  return keyMembers.map((member) => {
    const value = member && values[member.field.name]
    if (value === undefined || value === null) return undefined
    // In the form of the column: an instant has a text in each time zone.
    return String(table.codecOf(member!.field).encode(value))
  })
}

function namesOfMembers({ newIds }: ItemTable): readonly string[] {
  return newIds.keyMembers.flatMap((member) => member?.field.name ?? [])
}

function partsOfId({ key }: ItemTable, id: string): readonly string[] | undefined {
  return key.parts.length === 1 ? [id] : splitId(id, key.parts.length)
}

function idOfParts(parts: readonly string[]): string {
  return parts.length === 1 ? parts[0]! : joinIdParts(parts)
}
