import { memoizeBy } from '../cache/memoize-by.ts'
import type { ModelDescription, OwnedRelation } from '../model/model-description.ts'
import { storedItemOfTexts } from './create-stored-item.ts'
import { defaultValueOf } from './default-value.ts'
import { blobKeysMember } from './item-resources.ts'
import { isLinkageValue } from './linkage.ts'
import { addMemberTexts } from './member-texts.ts'
import { randomVersion } from './random-version.ts'
import type { StoredItem } from './stored-item.ts'
import { storedNames } from './stored-names.ts'

/** The JSON of members, by the JSON of their names. */
type MemberMap = Map<string, string>

/**
 * The migrated item, made of slices of its text: parsing the text and writing the values again
 * takes twice as long. Undefined where only that gives the same: for models and items with binary
 * resources, and for texts that the library does not write. A promise only for new fields, whose
 * default a schema may make asynchronously.
 */
export function migrateTexts(
  model: ModelDescription,
  { id, text, hiddenText, revision }: StoredItem,
): StoredItem | undefined | Promise<StoredItem> {
  const { fields, relations, canSlice } = memberNames(model)
  if (!canSlice) return undefined
  const stored: MemberMap = new Map()
  if (hiddenText !== null && !addMemberTexts(stored, hiddenText)) return undefined
  if (!addMemberTexts(stored, text) || stored.has(blobKeysName)) return undefined
  for (const name of namesOfNoMember) stored.delete(name)
  const values: (string | undefined)[] = []
  let lacksValue = false
  for (const { field, names } of fields) {
    const value = take(stored, names)
    values.push(value)
    if (value === undefined && field.isRequiredInResponse) lacksValue = true
  }
  const linkage: string[] = []
  for (const { field, names } of relations) linkage.push(takeLinkage(stored, field, names))
  const create = (): StoredItem => {
    const texts = { id, values, relations: linkage, resources: [], blobKeys: undefined }
    const created = storedItemOfTexts(model, texts, revision + 1, randomVersion)
    // What is left is undeclared.
    return stored.size === 0 ? created : withHiddenTexts(created, stored)
  }
  const waiting = lacksValue ? addDefaults(model, values) : undefined
  return waiting ? waiting.then(create) : create()
}

/** Returns a promise only where a default is asynchronous. */
function addDefaults(
  { valueFields }: ModelDescription,
  values: (string | undefined)[],
): Promise<unknown> | undefined {
  const waiting: Promise<void>[] = []
  for (let index = 0; index < values.length; index++) {
    const { isRequiredInResponse, schema } = valueFields[index]!
    if (!isRequiredInResponse || values[index] !== undefined) continue
    const add = (value: unknown): void => {
      values[index] = JSON.stringify(value)
    }
    const value = defaultValueOf(schema)
    if (value instanceof Promise) waiting.push(value.then(add))
    else add(value)
  }
  return waiting.length === 0 ? undefined : Promise.all(waiting)
}

const [idName, hashName, blobKeysName] = ['"id"', '"hash"', JSON.stringify(blobKeysMember)]
/** What the JSON of an item has beside its members. */
const namesOfNoMember = [idName, hashName] as const

const memberNames = memoizeBy((model: ModelDescription) => {
  const withNames = <Field extends Parameters<typeof storedNames>[1]>(field: Field) => ({
    field,
    names: storedNames(model, field).map((name) => JSON.stringify(name)),
  })
  return {
    fields: model.valueFields.map(withNames),
    relations: model.ownedRelations.map(withNames),
    canSlice: model.resourcePaths.length === 0,
  }
})

/** Removes the member that has the first of these names. */
function take(stored: MemberMap, names: readonly string[]): string | undefined {
  for (const name of names) {
    const json = stored.get(name)
    if (json === undefined) continue
    stored.delete(name)
    return json
  }
  return undefined
}

/** A member that holds anything but linkage stays, as one that the model does not declare. */
function takeLinkage(stored: MemberMap, field: OwnedRelation, names: readonly string[]): string {
  for (const name of names) {
    const json = stored.get(name)
    if (json === undefined) continue
    if (!isLinkageText(field, json)) break
    stored.delete(name)
    return json
  }
  return field.kind === 'toOne' ? 'null' : '[]'
}

function isLinkageText(field: OwnedRelation, json: string): boolean {
  if (field.kind === 'toOne') return json === 'null' || json.startsWith('"')
  return json === '[]' || isLinkageValue(field, JSON.parse(json))
}

function withHiddenTexts(item: StoredItem, members: MemberMap): StoredItem {
  const added = Array.from(members, ([name, json]) => `${name}:${json}`).join(',')
  const { hiddenText } = item
  return {
    ...item,
    hiddenText: hiddenText === null ? `{${added}}` : `${hiddenText.slice(0, -1)},${added}}`,
  }
}
